//! Options that name the policies which `check` and `test` work on.

use std::path::PathBuf;

use super::eval::Rego;
use super::material::Origin;

/// Options that say which policies, and how they are read.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Subject {
    /// Files and directories of policies, tests and data among them; or bundles.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
    /// The paths are bundles.
    #[arg(short, long)]
    pub bundle: bool,
    /// How policies are read.
    #[command(flatten)]
    pub rego: Rego,
}

impl Subject {
    /// Returns what to load from the paths; `modules_only` leaves data files out.
    pub(super) fn origin(&self, modules_only: bool) -> Origin {
        let (files, bundles) = if self.bundle {
            (Vec::new(), self.paths.iter().map(PathBuf::from).collect())
        } else {
            (self.paths.clone(), Vec::new())
        };
        Origin { files, bundles, modules_only, rego: self.rego.version() }
    }
}
