//! Where the interpreter differs from OPA, the text it gets is changed so that it answers as OPA does.

use regorus::Engine;

use super::parse::ParsedModule;

/// The text for the interpreter.
#[derive(Clone, Debug)]
pub struct Rewritten {
    /// Rego, in the version of the module.
    pub text: String,
}

impl Rewritten {
    /// The place in the module as given, of a place in the rewritten text.
    pub fn original(&self, row: u32, col: u32) -> (u32, u32) {
        (row, col)
    }
}

/// Rewrites one module of a set that [`super::accept::check`] accepted.
pub fn rewrite(module: &ParsedModule, _all: &[ParsedModule]) -> Rewritten {
    Rewritten { text: module.text.to_string() }
}

/// Installs what rewritten modules need; call it once on every new engine, before `add_policy`.
pub fn install(_engine: &mut Engine) {}

/// Whether a function of OPA's can be called in rewritten modules.
pub(in crate::rego) fn provides(name: &str) -> bool {
    regorus::unstable::BUILTINS.contains_key(name)
}
