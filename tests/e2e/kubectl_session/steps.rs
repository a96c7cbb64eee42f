//! The session as data: files in the order of their names, steps in the order of their lines.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

use super::compare::Client;

/// One command, or a few that belong together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    /// What `differences.yaml` calls it.
    pub(super) name: String,
    /// A shell script; `kubectl` is the client under test, `eventually` repeats a command until it succeeds.
    pub(super) run: String,
    #[serde(default)]
    exit: i32,
    old_exit: Option<i32>,
    /// The other one knows no such command or flag.
    only: Option<Client>,
}

impl Step {
    /// How it ends on the real API server: a session whose steps fail by mistake would compare nothing.
    pub(super) fn exit(&self, client: Client) -> i32 {
        self.old_exit.filter(|_| client == Client::Old).unwrap_or(self.exit)
    }
}

/// The directory of the data.
pub(super) fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/kubectl_session")
}

/// All steps of a client.
pub(super) fn load(client: Client) -> Vec<Step> {
    let mut files: Vec<PathBuf> = fs::read_dir(directory()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let numbered = |file: &PathBuf| file.file_name().unwrap().to_str().unwrap().starts_with(|c: char| c.is_ascii_digit());
    files.retain(numbered);
    files.sort();
    let mut steps: Vec<Step> = files.iter().flat_map(parse).collect();
    let mut names = BTreeSet::new();
    let twice: Vec<&String> = steps.iter().map(|step| &step.name).filter(|name| !names.insert(*name)).collect();
    assert!(twice.is_empty(), "two steps are called {twice:?}");
    steps.retain(|step| step.only.is_none_or(|only| only == client));
    steps
}

fn parse(file: &PathBuf) -> Vec<Step> {
    yaml_serde::from_str(&fs::read_to_string(file).unwrap()).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}
