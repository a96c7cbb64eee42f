//! Collects errors with their places.

use std::collections::BTreeSet;

use plimsoll_contract::policy::Diagnostic;

use crate::rego::parse::ParsedModule;

/// The errors of a set of modules.
#[derive(Debug)]
pub(super) struct Report<'m> {
    modules: &'m [ParsedModule],
    errors: BTreeSet<Diagnostic>,
    /// Something was found that makes what follows pointless to check.
    fatal: bool,
}

impl<'m> Report<'m> {
    pub(super) fn new(modules: &'m [ParsedModule]) -> Self {
        Self { modules, errors: BTreeSet::new(), fatal: false }
    }

    /// An error at an offset of a module.
    pub(super) fn error(&mut self, module: usize, at: u32, code: &str, message: impl Into<String>) {
        self.fatal = true;
        self.mistake(module, at, code, message);
    }

    /// An error that lets the checks after it make sense: what is unused, twice imported or deprecated.
    pub(super) fn mistake(&mut self, module: usize, at: u32, code: &str, message: impl Into<String>) {
        if let Some(module) = self.modules.get(module) {
            self.errors.insert(module.diagnostic(code, message, at));
        }
    }

    /// An error with a line of explanation.
    pub(super) fn explained(&mut self, module: usize, at: u32, code: &str, (message, why): (String, String)) {
        self.fatal = true;
        if let Some(module) = self.modules.get(module) {
            let mut diagnostic = module.diagnostic(code, message, at);
            diagnostic.details.push(why);
            self.errors.insert(diagnostic);
        }
    }

    /// Whether the checks that follow make sense.
    pub(super) fn is_sound(&self) -> bool {
        !self.fatal
    }

    /// Where an offset is, as `file:row`.
    pub(super) fn place(&self, module: usize, at: u32) -> String {
        self.modules.get(module).map_or_else(String::new, |module| {
            let location = module.location(at);
            format!("{}:{}", location.file, location.row)
        })
    }

    /// The row of an offset.
    pub(super) fn row(&self, module: usize, at: u32) -> u32 {
        self.modules.get(module).map_or(0, |module| module.location(at).row)
    }

    /// All errors, by place.
    pub(super) fn finish(self) -> Vec<Diagnostic> {
        let mut errors: Vec<_> = self.errors.into_iter().collect();
        errors.sort_by(|a, b| (&a.location, &a.code, &a.message).cmp(&(&b.location, &b.code, &b.message)));
        errors
    }
}
