//! Collects errors with their places.

use std::collections::BTreeSet;

use plimsoll_contract::policy::{Diagnostic, Location};

use super::rule::{Rule, Unit};
use crate::rego::parse::ParsedModule;

/// The most errors of one set: what comes after is said to be there. OPA stops after ten.
const MOST: usize = 1000;

/// The errors of a set of modules.
#[derive(Debug)]
pub(super) struct Report<'m> {
    modules: &'m [ParsedModule],
    errors: BTreeSet<Diagnostic>,
    /// Where something was found that makes what follows pointless to check.
    fatal: BTreeSet<Location>,
    /// There are more than [`MOST`].
    full: bool,
}

impl<'m> Report<'m> {
    pub(super) fn new(modules: &'m [ParsedModule]) -> Self {
        Self { modules, errors: BTreeSet::new(), fatal: BTreeSet::new(), full: false }
    }

    /// An error at an offset of a module.
    pub(super) fn error(&mut self, module: usize, at: u32, code: &str, message: impl Into<String>) {
        if !self.is_full() {
            self.fatal.extend(self.modules.get(module).map(|module| module.location(at)));
            self.mistake(module, at, code, message);
        }
    }

    /// An error that lets the checks after it make sense: what is unused, twice imported or deprecated.
    pub(super) fn mistake(&mut self, module: usize, at: u32, code: &str, message: impl Into<String>) {
        if let Some(module) = self.modules.get(module).filter(|_| !self.is_full()) {
            self.errors.insert(module.diagnostic(code, message, at));
        }
    }

    /// Whether no more errors are taken.
    fn is_full(&mut self) -> bool {
        self.full |= self.errors.len() >= MOST;
        self.full
    }

    /// An error with a line of explanation.
    pub(super) fn explained(&mut self, module: usize, at: u32, code: &str, (message, why): (String, String)) {
        if let Some(module) = self.modules.get(module).filter(|_| !self.is_full()) {
            self.fatal.insert(module.location(at));
            let mut diagnostic = module.diagnostic(code, message, at);
            diagnostic.details.push(why);
            self.errors.insert(diagnostic);
        }
    }

    /// Takes in what later checks found, but for rules in which something is wrong already: what an unknown function binds,
    /// nobody can say.
    pub(super) fn join(&mut self, later: Self, units: &[Unit]) {
        let start = |rule: &Rule| self.modules.get(rule.module).map(|module| module.location(rule.at));
        let starts: BTreeSet<_> = units.iter().flat_map(|unit| &unit.rules).filter_map(start).collect();
        let rule = |place: &Location| starts.range(..=place.clone()).next_back().cloned();
        let wrong: BTreeSet<_> = self.fatal.iter().map(rule).collect();
        self.errors.extend(later.errors.into_iter().filter(|error| !wrong.contains(&rule(&error.location))));
        self.fatal.extend(later.fatal);
        self.full |= later.full;
    }

    /// Whether the checks that follow make sense.
    pub(super) fn is_sound(&self) -> bool {
        self.fatal.is_empty()
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
        if let Some(last) = errors.last().filter(|_| self.full) {
            let (code, message) = ("rego_compile_error".to_owned(), "error limit reached".to_owned());
            errors.push(Diagnostic { code, message, details: Vec::new(), location: last.location.clone() });
        }
        errors
    }
}
