//! Public sets of policies, read from Go modules at the versions that `tests/tools/public/go.mod` pins, not copied.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use plimsoll_rego::value::{Value, json};

use crate::load::{self, Set};

/// One of them.
#[derive(Debug)]
pub(crate) struct Corpus {
    /// The name under which its verdicts are recorded.
    pub(crate) name: &'static str,
    module: &'static str,
    below: &'static [&'static str],
    without: &'static [&'static str],
    /// What OPA itself refuses: a file, and the error; left out with the tests of it. The place is that of the reference: OPA names the
    /// last one of the module to a rule of its package (row 43), whose `data` is the same term (`v1/ast/compile.go`, `resolveRef`).
    pub(crate) refused: Option<(&'static str, &'static str)>,
    /// Further data.
    data: &'static str,
}

/// Checks of Trivy: its `make test-rego`.
pub(crate) const TRIVY: Corpus = Corpus {
    name: "trivy-checks",
    module: "github.com/aquasecurity/trivy-checks",
    below: &["lib", "checks", "examples"],
    without: &["*.yaml"],
    refused: Some((
        "service_with_externalip*",
        "checks/kubernetes/service_with_externalip.rego:39: rego_type_error: undefined ref: \
         data.builtin.kubernetes.KSV0108.allowedNames[data.lib.kubernetes.object.spec.externalName]",
    )),
    data: "{}",
};

/// The linter of Rego: its `regal test bundle`, which adds what OPA can do to the data.
pub(crate) const REGAL: Corpus = Corpus {
    name: "regal",
    module: "github.com/styrainc/regal",
    below: &["bundle"],
    without: &[],
    refused: None,
    data: include_str!("regal.json"),
};

impl Corpus {
    /// What OPA accepts of it.
    pub(crate) fn accepted(&self, folder: &Path) -> Set {
        let refused = self.refused.map(|(file, _)| file);
        self.read(folder, &self.without.iter().copied().chain(refused).collect::<Vec<_>>())
    }

    /// All of it.
    pub(crate) fn whole(&self, folder: &Path) -> Set {
        self.read(folder, self.without)
    }

    fn read(&self, folder: &Path, without: &[&str]) -> Set {
        let mut set = load::load(folder, self.below, without);
        let more: Value = json::read(self.data.as_bytes(), 128).unwrap();
        set.data = load::merged(&set.data, &more);
        set
    }

    /// Where it is, or `None` where it need not be: with `PLIMSOLL_E2E=required`, as in CI, it must.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        let required = std::env::var("PLIMSOLL_E2E").as_deref() == Ok("required");
        if required {
            static ONE_AT_A_TIME: OnceLock<()> = OnceLock::new();
            ONE_AT_A_TIME.get_or_init(|| {
                let _ = go(&["mod", "download", TRIVY.module, REGAL.module]).status();
            });
        }
        let reason = match go(&["list", "-m", "-f", "{{.Dir}}", self.module]).output() {
            Ok(output) if output.status.success() => {
                let folder = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
                if folder.join(self.below[0]).is_dir() {
                    return Some(folder);
                }
                format!("the Go module {} is not downloaded", self.module)
            }
            Ok(output) => format!("`go list` failed: {}", String::from_utf8_lossy(&output.stderr).trim()),
            Err(error) => format!("no `go` to ask where {} is: {error}", self.module),
        };
        assert!(!required, "{reason}");
        #[allow(clippy::print_stderr, reason = "says that it was skipped, as the end-to-end tests do")]
        {
            eprintln!("skipped: {reason}");
        }
        None
    }
}

fn go(arguments: &[&str]) -> Command {
    let mut command = Command::new("go");
    command
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools/public"))
        .env("GOFLAGS", "-mod=readonly");
    command
}
