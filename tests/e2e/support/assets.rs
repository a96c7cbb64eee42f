//! Finds the real binaries, as envtest does: in the directory that `KUBEBUILDER_ASSETS` names.

use std::io::Write;
use std::path::PathBuf;

/// kubectl 1.20.2, named by `PLIMSOLL_OLD_KUBECTL`; `tests/tools/old-kubectl` prints it.
pub(crate) fn old_kubectl() -> Option<PathBuf> {
    let found = std::env::var_os("PLIMSOLL_OLD_KUBECTL");
    if found.is_none() {
        skip("PLIMSOLL_OLD_KUBECTL is not set; `export PLIMSOLL_OLD_KUBECTL=$(tests/tools/old-kubectl)`");
    }
    found.map(PathBuf::from)
}

/// The Python client and what it imports, named by `PLIMSOLL_PYTHON_CLIENT`; `tests/clients/python-client` prints it.
pub(crate) fn python_client() -> Option<PathBuf> {
    let found = std::env::var_os("PLIMSOLL_PYTHON_CLIENT");
    if found.is_none() {
        skip("PLIMSOLL_PYTHON_CLIENT is not set; `export PLIMSOLL_PYTHON_CLIENT=$(tests/clients/python-client)`");
    }
    found.map(PathBuf::from)
}

/// Says that a test does not run, and why; a failure where all must run.
fn skip(why: &str) {
    let required = std::env::var("PLIMSOLL_E2E").is_ok_and(|value| value == "required");
    assert!(!required, "PLIMSOLL_E2E=required, but {why}");
    // Not by `eprintln!`: the harness would keep that from whoever should know.
    let mut stderr = std::io::stderr();
    writeln!(stderr, "skipped: {why}").unwrap();
}

/// The directory of kube-apiserver, etcd and kubectl.
#[derive(Clone, Debug)]
pub(crate) struct Assets(PathBuf);

impl Assets {
    /// `None`, and a message, when the variable is not set and nobody requires it; a panic when it names nothing useful.
    pub(crate) fn find() -> Option<Self> {
        let Some(directory) = std::env::var_os("KUBEBUILDER_ASSETS") else {
            skip("KUBEBUILDER_ASSETS is not set; `export KUBEBUILDER_ASSETS=$(tests/tools/build)`");
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
