//! The modules of a set as they run, and the way back to the modules as written.

use std::collections::BTreeMap;

use plimsoll_contract::policy::Location;

use super::interpreter::Interpreter;
use super::parse::{ParsedModule, Version};
use super::rewrite::{self, Rewritten};

/// Rewritten modules in the order of the set.
#[derive(Debug, Default)]
pub(super) struct Sources {
    modules: Vec<Source>,
    by_key: BTreeMap<String, usize>,
}

#[derive(Debug)]
struct Source {
    key: String,
    version: Version,
    rewritten: Rewritten,
}

impl Sources {
    /// Rewrites an accepted set.
    pub(super) fn of(parsed: &[ParsedModule]) -> Self {
        let source = |module: &ParsedModule| Source {
            key: module.key.to_string(),
            version: module.version,
            rewritten: rewrite::rewrite(module, parsed),
        };
        let modules: Vec<_> = parsed.iter().map(source).collect();
        let by_key = modules.iter().enumerate().map(|(place, module)| (module.key.clone(), place)).collect();
        Self { modules, by_key }
    }

    pub(super) fn len(&self) -> usize {
        self.modules.len()
    }

    /// An interpreter with some of the modules.
    pub(super) fn interpreter(&self, places: &[usize]) -> Result<Interpreter, anyhow::Error> {
        let mut interpreter = Interpreter::new();
        for source in places.iter().filter_map(|place| self.modules.get(*place)) {
            interpreter.add(&source.key, &source.rewritten.text, source.version == Version::V1)?;
        }
        Ok(interpreter)
    }

    /// The place in a module as written, of a place in the module as it runs.
    pub(super) fn original(&self, place: &Location) -> Location {
        let source = self.by_key.get(&place.file).and_then(|at| self.modules.get(*at));
        let (row, col) = source.map_or((place.row, place.col), |source| source.rewritten.original(place.row, place.col));
        Location { file: place.file.clone(), row, col }
    }
}
