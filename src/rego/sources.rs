//! The modules of a set as they run, and the way back to the modules as written.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::policy::{Diagnostic, Location};
use regorus::unstable::{Module as Tree, Ref};

use super::coverage::Lines;
use super::interpreter::Interpreter;
use super::limits::compiling;
use super::parse::{ParsedModule, Version};
use super::plain::{self, Packages, Spliced};
use super::rewrite::{self, Rewritten};
use super::syntax;

mod gathered;
mod shared;

use gathered::Gathered;

/// Rewritten modules in the order of the set.
#[derive(Debug, Default)]
pub(super) struct Sources {
    modules: Vec<Source>,
    by_key: BTreeMap<String, usize>,
    /// Behind all others in an interpreter.
    gathered: Vec<Gathered>,
}

/// A module, as written and as it runs.
#[derive(Debug)]
pub(super) struct Source {
    key: String,
    package: Vec<String>,
    version: Version,
    parsed: ParsedModule,
    rewritten: Rewritten,
    names: Spliced,
    declarations: Spliced,
    heads: Spliced,
    orders: Spliced,
    terms: Spliced,
    reads: Spliced,
    /// What runs.
    sizes: Spliced,
}

impl Sources {
    /// Rewrites an accepted set.
    pub(super) fn of(parsed: &[ParsedModule], packages: &Packages) -> Result<Self, anyhow::Error> {
        let one = |module: &ParsedModule| compiling::module(&module.key, || source(module, packages));
        let mut modules: Vec<_> = parsed.iter().map(one).collect::<Result<_, _>>()?;
        let gathered = gathered::gather(parsed, &mut modules)?;
        let by_key = modules.iter().enumerate().map(|(place, module)| (module.key.clone(), place)).collect();
        Ok(Self { modules, by_key, gathered })
    }

    pub(super) fn len(&self) -> usize {
        self.modules.len()
    }

    /// An interpreter with some of the modules: all of a package, or none.
    pub(super) fn interpreter(&self, places: &[usize]) -> Result<Interpreter, anyhow::Error> {
        let sources: Vec<_> = places.iter().filter_map(|place| self.modules.get(*place)).collect();
        let packages: BTreeSet<_> = sources.iter().map(|source| &source.package).collect();
        let gathered = self.gathered.iter().filter(|gathered| packages.contains(&gathered.group.package));
        let texts = sources.iter().map(|source| source.sizes.text.as_str());
        let mut interpreter = Interpreter::new(texts.chain(gathered.clone().map(|gathered| gathered.text.as_str())));
        for source in sources {
            compiling::check()?;
            interpreter.add(&source.key, &source.sizes.text, source.version == Version::V1)?;
        }
        for gathered in gathered {
            interpreter.add(&gathered.key, &gathered.text, gathered.group.version == Version::V1)?;
        }
        Ok(interpreter)
    }

    /// The place in a module as written, of a place in the module as it runs.
    pub(super) fn original(&self, place: &Location) -> Location {
        let module = |(at, row): (usize, u32)| self.modules.get(at).map(|source| (source, row));
        let found = match self.gathered.iter().find(|gathered| gathered.key == place.file) {
            Some(gathered) => gathered.original(place.row).and_then(module),
            None => self.by_key.get(&place.file).and_then(|at| module((*at, place.row))),
        };
        let Some((source, row)) = found else { return place.clone() };
        let (row, col) = source.original(row, place.col);
        Location { file: source.key.clone(), row, col }
    }

    /// Lines of modules as written, of lines of modules as they run.
    pub(super) fn original_lines(&self, mut lines: Lines) -> Lines {
        for gathered in &self.gathered {
            for row in lines.0.remove(&gathered.key).unwrap_or_default() {
                let Some((module, row)) = gathered.original(row) else { continue };
                if let Some(source) = self.modules.get(module) {
                    lines.0.entry(source.key.clone()).or_default().insert(row);
                }
            }
        }
        lines
    }
}

impl Source {
    /// What runs.
    pub(super) fn text(&self) -> &str {
        &self.sizes.text
    }

    /// The place in the module as written, of a place in what runs.
    pub(super) fn original(&self, row: u32, col: u32) -> (u32, u32) {
        let (row, col) = self.sizes.original(row, col);
        let (row, col) = self.reads.original(row, col);
        let (row, col) = self.terms.original(row, col);
        let (row, col) = self.orders.original(row, col);
        let (row, col) = self.heads.original(row, col);
        let (row, col) = self.declarations.original(row, col);
        let (row, col) = self.names.original(row, col);
        let (row, col) = self.rewritten.original(row, col);
        self.parsed.original(row, col)
    }
}

/// Refuses sets whose modules cannot run together.
pub(super) fn refusals(parsed: &[ParsedModule]) -> Result<(), Vec<Diagnostic>> {
    let refusals = shared::Functions::of(parsed).refusals();
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

/// Rewrites one module; it may be no part of the set.
pub(super) fn source(module: &ParsedModule, packages: &Packages) -> Result<Source, anyhow::Error> {
    let mut reader = Reader { module, read: None };
    let rewritten = rewrite::rewrite(module, packages, |text| reader.tree(text))?;
    let names = plain::names(&rewritten.text, &*reader.tree(&rewritten.text)?, packages);
    let declarations = plain::declarations(&names.text, &*reader.tree(&names.text)?);
    let mut heads = plain::heads(&declarations.text, &*reader.tree(&declarations.text)?, packages);
    let extents = plain::extents(&heads.text, &*reader.tree(&heads.text)?, &module.ast, packages);
    heads.text.push_str(&extents);
    let orders = rewrite::orders(&heads.text, &*reader.tree(&heads.text)?, packages);
    let terms = rewrite::terms(&orders.text, &*reader.tree(&orders.text)?, packages);
    let reads = rewrite::reads(&terms.text, &*reader.tree(&terms.text)?, packages);
    let sizes = rewrite::sizes(&reads.text, &*reader.tree(&reads.text)?, packages);
    Ok(Source {
        key: module.key.to_string(),
        package: syntax::package(&module.ast),
        version: module.version,
        parsed: module.clone(),
        rewritten,
        names,
        declarations,
        heads,
        orders,
        terms,
        reads,
        sizes,
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
        compiling::check()?;
        let mut reader = Interpreter::new(std::iter::empty());
        reader.add(&self.module.key, text, self.module.version == Version::V1)?;
        let tree = reader.trees().into_iter().next().ok_or_else(|| anyhow::anyhow!("module {} is empty", self.module.key))?;
        self.read = Some((text.to_owned(), tree.clone()));
        Ok(tree)
    }
}

#[cfg(test)]
mod tests;
