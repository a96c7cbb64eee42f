//! Modules: those of OPA's cases, and those of files.

use std::path::{Path, PathBuf};

use plimsoll_rego::syntax::tree::Version;
use serde::Deserialize;

/// One text to read.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) name: String,
    pub(crate) version: Version,
    pub(crate) text: String,
}

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    note: String,
    #[serde(default)]
    modules: Option<Vec<String>>,
}

/// All modules of all cases.
pub(crate) fn modules(folder: &Path) -> Vec<Module> {
    let mut modules = Vec::new();
    for (name, version) in [("v0", Version::V0), ("v1", Version::V1)] {
        for topic in entries(&folder.join(name)) {
            for file in entries(&topic) {
                let text = std::fs::read_to_string(&file).unwrap();
                let parsed: File = yaml_serde::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
                for case in parsed.cases {
                    let texts = case.modules.into_iter().flatten();
                    modules.extend(texts.map(|text| Module { name: case.note.clone(), version, text }));
                }
            }
        }
    }
    modules
}

/// All policies below a folder, in all versions.
pub(crate) fn files(folder: &Path) -> Vec<Module> {
    if folder.is_dir() {
        return entries(folder).iter().flat_map(|path| files(path)).collect();
    }
    let policy = folder.extension().is_some_and(|extension| extension == "rego");
    let Some(text) = policy.then(|| std::fs::read_to_string(folder).ok()).flatten() else { return Vec::new() };
    let name = folder.display().to_string();
    [Version::V0, Version::V0CompatV1, Version::V1, Version::V2]
        .map(|version| Module { name: name.clone(), version, text: text.clone() })
        .into()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}
