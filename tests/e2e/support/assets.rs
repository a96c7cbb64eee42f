//! Finds the real binaries, as envtest does: in the directory that `KUBEBUILDER_ASSETS` names.

use std::io::Write;
use std::path::PathBuf;

/// The directory of kube-apiserver, etcd and kubectl.
#[derive(Clone, Debug)]
pub(crate) struct Assets(PathBuf);

impl Assets {
    /// `None`, and a message, when the variable is not set and nobody requires it; a panic when it names nothing useful.
    pub(crate) fn find() -> Option<Self> {
        let Some(directory) = std::env::var_os("KUBEBUILDER_ASSETS") else {
            let required = std::env::var("PLIMSOLL_E2E").is_ok_and(|value| value == "required");
            assert!(!required, "PLIMSOLL_E2E=required, but KUBEBUILDER_ASSETS is not set");
            // Not by `eprintln!`: the harness would keep that from whoever should know.
            let advice = "`export KUBEBUILDER_ASSETS=$(tests/tools/build)`";
            let mut stderr = std::io::stderr();
            writeln!(stderr, "skipped: KUBEBUILDER_ASSETS is not set; {advice}").unwrap();
            return None;
        };
        let assets = Self(PathBuf::from(directory));
        for name in ["etcd", "kube-apiserver", "kubectl"] {
            assert!(assets.binary(name).is_file(), "KUBEBUILDER_ASSETS names {}, which has no `{name}`", assets.0.display());
        }
        Some(assets)
    }

    pub(crate) fn binary(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}
