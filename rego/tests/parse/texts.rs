//! Texts for what the conformance cases do not have.

use plimsoll_rego::syntax::tree::Version;

use super::cases::Module;

/// All of them, in all versions.
pub fn modules() -> Vec<Module> {
    let versions = [Version::V0, Version::V0CompatV1, Version::V1, Version::V2];
    let every = |text: &&str| versions.map(|version| Module { name: "text.rego".to_owned(), version, text: (*text).to_owned() });
    TEXTS.iter().flat_map(every).collect()
}

const TEXTS: &[&str] = &["package a\np := 1"];
