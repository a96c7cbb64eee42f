//! `attach`, `exec` and `portforward` of pods: each opens a stream, and is told to admission as an object of options. Source:
//! `kubernetes` `pkg/registry/core/pod/rest/subresources.go`.

/// A subresource that a client connects to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connect {
    /// To the output, and perhaps the input, of what a container runs already.
    Attach,
    /// To a new program in a container.
    Exec,
    /// To ports of the pod.
    PortForward,
}

impl Connect {
    /// In the order of discovery.
    pub const ALL: [Self; 3] = [Self::Attach, Self::Exec, Self::PortForward];

    /// Returns the one of this name; `None` for every other subresource.
    pub fn named(subresource: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == subresource)
    }

    /// Returns the last segment of its path.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attach => "attach",
            Self::Exec => "exec",
            Self::PortForward => "portforward",
        }
    }

    /// Returns the kind, of core/v1, of its options.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Attach => "PodAttachOptions",
            Self::Exec => "PodExecOptions",
            Self::PortForward => "PodPortForwardOptions",
        }
    }
}
