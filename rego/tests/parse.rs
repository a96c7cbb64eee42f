//! The tree, its places, what it prints and its errors equal OPA's.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

#[path = "parse/cases.rs"]
mod cases;
#[path = "parse/compare.rs"]
mod compare;
#[path = "parse/opa.rs"]
mod opa;
#[path = "parse/texts.rs"]
mod texts;

use compare::differences;

/// Every module of OPA's conformance cases, in both versions of the language.
#[test]
fn conformance_cases() {
    let Some(folder) = opa::folder() else { return };
    let modules = cases::modules(&folder);
    assert!(modules.len() > 2_000, "only {} modules", modules.len());
    differences(&modules).none();
}

/// What OPA's own parser tests are about, and what the cases do not have.
#[test]
fn texts() {
    if opa::folder().is_none() {
        return;
    }
    differences(&texts::modules()).none();
}

/// All policies below the folders that `PLIMSOLL_REGO_CORPUS` names, by hand.
#[test]
fn corpus() {
    let Some(folders) = std::env::var_os("PLIMSOLL_REGO_CORPUS") else { return };
    let modules: Vec<_> = std::env::split_paths(&folders).flat_map(|folder| cases::files(&folder)).collect();
    assert!(!modules.is_empty());
    differences(&modules).none();
}
