//! Whether a policy set means what OPA would take it to mean: everything the interpreter would find only at evaluation, or never.

use plimsoll_contract::policy::Diagnostic;

use super::parse::ParsedModule;

/// Checks modules as one set; all errors at once, sorted by place. Empty when the set is accepted.
pub fn check(modules: &[ParsedModule]) -> Vec<Diagnostic> {
    let _ = modules;
    Vec::new()
}
