//! The modules of a set as they run, and the way back to the modules as written.

use std::collections::BTreeMap;

use plimsoll_contract::policy::Location;
use regorus::unstable::{Module as Tree, Ref};

use super::interpreter::Interpreter;
use super::parse::{ParsedModule, Version};
use super::plain::{self, Packages, Spliced};
use super::rewrite::{self, Rewritten};

/// Rewritten modules in the order of the set.
#[derive(Debug, Default)]
pub(super) struct Sources {
    modules: Vec<Source>,
    by_key: BTreeMap<String, usize>,
}

/// A module, as written and as it runs.
#[derive(Debug)]
pub(super) struct Source {
    key: String,
    version: Version,
    parsed: ParsedModule,
    rewritten: Rewritten,
    names: Spliced,
    heads: Spliced,
    orders: Spliced,
    terms: Spliced,
    /// What runs.
    reads: Spliced,
}

impl Sources {
    /// Rewrites an accepted set.
    pub(super) fn of(parsed: &[ParsedModule], packages: &Packages) -> Result<Self, anyhow::Error> {
        let modules: Vec<_> = parsed.iter().map(|module| source(module, packages)).collect::<Result<_, _>>()?;
        let by_key = modules.iter().enumerate().map(|(place, module)| (module.key.clone(), place)).collect();
        Ok(Self { modules, by_key })
    }

    pub(super) fn len(&self) -> usize {
        self.modules.len()
    }

    /// An interpreter with some of the modules.
    pub(super) fn interpreter(&self, places: &[usize]) -> Result<Interpreter, anyhow::Error> {
        let sources = places.iter().filter_map(|place| self.modules.get(*place));
        let mut interpreter = Interpreter::new(sources.clone().map(|source| source.reads.text.as_str()));
        for source in sources {
            interpreter.add(&source.key, &source.reads.text, source.version == Version::V1)?;
        }
        Ok(interpreter)
    }

    /// The place in a module as written, of a place in the module as it runs.
    pub(super) fn original(&self, place: &Location) -> Location {
        let source = self.by_key.get(&place.file).and_then(|at| self.modules.get(*at));
        let (row, col) = source.map_or((place.row, place.col), |source| source.original(place.row, place.col));
        Location { file: place.file.clone(), row, col }
    }
}

impl Source {
    /// What runs.
    pub(super) fn text(&self) -> &str {
        &self.reads.text
    }

    /// The place in the module as written, of a place in what runs.
    pub(super) fn original(&self, row: u32, col: u32) -> (u32, u32) {
        let (row, col) = self.reads.original(row, col);
        let (row, col) = self.terms.original(row, col);
        let (row, col) = self.orders.original(row, col);
        let (row, col) = self.heads.original(row, col);
        let (row, col) = self.names.original(row, col);
        let (row, col) = self.rewritten.original(row, col);
        self.parsed.original(row, col)
    }
}

/// Rewrites one module; it may be no part of the set.
pub(super) fn source(module: &ParsedModule, packages: &Packages) -> Result<Source, anyhow::Error> {
    let mut reader = Reader { module, read: None };
    let rewritten = rewrite::rewrite(module, packages, |text| reader.tree(text))?;
    let names = plain::names(&rewritten.text, &*reader.tree(&rewritten.text)?, packages);
    let mut heads = plain::heads(&names.text, &*reader.tree(&names.text)?, packages);
    let extents = plain::extents(&heads.text, &*reader.tree(&heads.text)?);
    heads.text.push_str(&extents);
    let orders = rewrite::orders(&heads.text, &*reader.tree(&heads.text)?, packages);
    let terms = rewrite::terms(&orders.text, &*reader.tree(&orders.text)?, packages);
    let reads = rewrite::reads(&terms.text, &*reader.tree(&terms.text)?, packages);
    Ok(Source {
        key: module.key.to_string(),
        version: module.version,
        parsed: module.clone(),
        rewritten,
        names,
        heads,
        orders,
        terms,
        reads,
    })
}

/// Syntax trees of texts that take the place of a module's. Most steps change nothing in most modules.
struct Reader<'m> {
    module: &'m ParsedModule,
    /// What was read last.
    read: Option<(String, Ref<Tree>)>,
}

impl Reader<'_> {
    fn tree(&mut self, text: &str) -> Result<Ref<Tree>, anyhow::Error> {
        if let Some((read, tree)) = &self.read
            && read == text
        {
            return Ok(tree.clone());
        }
        let mut reader = Interpreter::new(std::iter::empty());
        reader.add(&self.module.key, text, self.module.version == Version::V1)?;
        let tree = reader.trees().into_iter().next().ok_or_else(|| anyhow::anyhow!("module {} is empty", self.module.key))?;
        self.read = Some((text.to_owned(), tree.clone()));
        Ok(tree)
    }
}
