//! The cells, and the rules that leave some out.

use super::faults::Fault;

/// Of the webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Mutating,
    Validating,
}

/// Generation of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    V1,
    V1Beta1,
    V1Alpha1,
}

/// One combination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) number: usize,
    pub(super) fault: Fault,
    /// `failurePolicy: Ignore`.
    pub(super) ignores: bool,
    pub(super) kind: Kind,
    pub(super) version: Version,
    pub(super) dry_run: bool,
}

impl Version {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V1Beta1 => "v1beta1",
            Self::V1Alpha1 => "v1alpha1",
        }
    }
}

impl Cell {
    /// Every combination, numbered.
    pub(super) fn all() -> Vec<Self> {
        let mut cells = Vec::new();
        for fault in Fault::ALL {
            for ignores in [false, true] {
                for kind in [Kind::Mutating, Kind::Validating] {
                    for version in [Version::V1, Version::V1Beta1, Version::V1Alpha1] {
                        for dry_run in [false, true] {
                            cells.push(Self { number: cells.len(), fault, ignores, kind, version, dry_run });
                        }
                    }
                }
            }
        }
        cells
    }

    /// Why it cannot be; `None`: it runs.
    pub(super) fn excluded(&self) -> Option<&'static str> {
        if self.version != Version::V1Alpha1 {
            return None;
        }
        match self.fault {
            _ if self.kind == Kind::Mutating => Some("v1alpha1 has no mutating webhooks"),
            _ if self.dry_run => Some("v1alpha1 knows no dry run: it is refused before any call"),
            Fault::WrongUid => Some("reviews of v1alpha1 have no uid"),
            Fault::WrongPatchType | Fault::InvalidPatch => Some("answers of v1alpha1 have no patch"),
            Fault::BlackHole | Fault::SlowHeader | Fault::SlowBody => Some("hooks of v1alpha1 have no timeout of their own"),
            _ => None,
        }
    }

    /// Whether a real kube-apiserver can express it: since 1.22 it serves `v1` alone.
    pub(super) fn is_real(&self) -> bool {
        self.version == Version::V1
    }

    /// Of the webhook, unique.
    pub(super) fn webhook(&self) -> String {
        format!("cell-{}.example.com", self.number)
    }

    /// For people.
    pub(super) fn about(&self) -> String {
        let (policy, dry_run) = (if self.ignores { "Ignore" } else { "Fail" }, if self.dry_run { " dry run" } else { "" });
        format!("{} {:?} {:?} {policy} {}{dry_run}", self.number, self.fault, self.kind, self.version.name())
    }
}
