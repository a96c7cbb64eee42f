//! The policies as they are written, and which rule a name means.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plimsoll_contract::policy::Location;
use plimsoll_rego::program::{Asked, Program};
use plimsoll_rego::syntax::parse::{self, Options};
use plimsoll_rego::syntax::source::Sources;
use plimsoll_rego::syntax::span::{SourceId, Span};
use plimsoll_rego::syntax::tree::{Expr, Kind, Module, Rule, Term, Version};

/// A policy set, read again.
pub(super) struct Policies {
    pub(super) program: Arc<Program>,
    files: Vec<File>,
    /// Which rules define what lies at a path below `data`: numbers of a file and of its rule.
    rules: BTreeMap<Vec<String>, Vec<(usize, usize)>>,
}

/// One module.
pub(super) struct File {
    /// Which one.
    pub(super) number: usize,
    /// How a query is read that is asked in its place.
    pub(super) asked: Asked,
    pub(super) module: Module,
    package: Vec<String>,
    /// What imports call something: paths, `data` or `input` first.
    aliases: BTreeMap<String, Vec<String>>,
    /// First names of the package's rules.
    names: BTreeSet<String>,
}

/// A definition, and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Definition<'p> {
    pub(super) file: &'p File,
    pub(super) rule: &'p Rule,
    /// The first of the rules that are tried one after another, where this one is behind an `else`.
    pub(super) first: &'p Rule,
}

impl Policies {
    /// Reads the texts of a program. A text that cannot be read again is left out.
    pub(super) fn of(program: &Arc<Program>) -> Self {
        let (sources, versions) = (program.sources(), program.versions());
        let numbers = (0..).map(SourceId).map_while(|id| Some((id, sources.get(id)?)));
        let modules = numbers.filter_map(|(id, source)| {
            let version = versions.get(source.name.as_str()).copied().unwrap_or_default();
            parse::parse_module(source, id, &Options::of(plain(version))).ok()
        });
        let files: Vec<_> = modules.enumerate().map(|(number, module)| File::of(number, module, program)).collect();
        let mut rules: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for file in &files {
            for (number, rule) in file.module.rules.iter().enumerate() {
                rules.entry(file.path_of(rule)).or_default().push((file.number, number));
            }
        }
        Self { program: Arc::clone(program), files, rules }
    }

    /// The definitions of the rule at a path below `data`, those behind `else` included, defaults left out.
    pub(super) fn rules(&self, path: &[String]) -> Vec<Definition<'_>> {
        let chains = self.written(path).filter(|definition| !definition.rule.default).flat_map(|definition| {
            let each = definition.rule.chain();
            each.map(move |rule| Definition { rule, ..definition })
        });
        chains.collect()
    }

    /// The default of the rule at a path, if it has one that is no function's.
    pub(super) fn default(&self, path: &[String]) -> Option<Definition<'_>> {
        self.written(path).find(|definition| definition.rule.default && definition.rule.head.args.is_none())
    }

    /// The rules at a path as they are written, each with all its `else`.
    fn written(&self, path: &[String]) -> impl Iterator<Item = Definition<'_>> {
        let numbers = self.rules.get(path).into_iter().flatten();
        numbers.filter_map(|(file, rule)| {
            let file = self.files.get(*file)?;
            let rule = file.module.rules.get(*rule)?;
            Some(Definition { file, rule, first: rule })
        })
    }

    /// The definitions that are tried before one.
    pub(super) fn before<'p>(&'p self, definition: Definition<'p>) -> Vec<Definition<'p>> {
        if definition.rule.default {
            self.rules(&definition.file.path_of(definition.rule))
        } else {
            definition.before().collect()
        }
    }

    /// The paths of the rules at and below a path.
    pub(super) fn below(&self, path: &[String]) -> Vec<Vec<String>> {
        self.rules.keys().filter(|rule| rule.starts_with(path)).cloned().collect()
    }

    /// The path of the rule that a reference leads to, and how many of its terms name it.
    pub(super) fn resolve(&self, terms: &[Term], file: &File) -> Option<(Vec<String>, usize)> {
        let (first, rest) = terms.split_first()?;
        let name = first.as_var()?;
        let (mut path, named) = match name.as_str() {
            "input" => return None,
            "data" => (Vec::new(), 1),
            name => match file.aliases.get(name) {
                Some(path) if path.first().is_some_and(|root| root == "data") => (path.get(1..)?.to_vec(), 1),
                Some(_) => return None,
                None if file.names.contains(name) => ([file.package.as_slice(), &[name.to_owned()]].concat(), 1),
                None => return None,
            },
        };
        let before = path.len();
        path.extend(rest.iter().map_while(|term| term.as_str()).map(ToString::to_string));
        while !self.rules.contains_key(&path) {
            (path.len() > before).then(|| path.pop())??;
        }
        let named = named + path.len().saturating_sub(before);
        Some((path, named))
    }

    /// The name of the rule that a place lies in.
    pub(super) fn around(&self, file: &File, span: Span) -> String {
        let rule = file.module.rules.iter().find(|rule| rule.span.start <= span.start && span.end <= rule.span.end);
        let named = self.files.get(file.number).zip(rule).map(|(file, rule)| Definition { file, rule, first: rule }.name());
        named.unwrap_or_default()
    }

    pub(super) fn sources(&self) -> &Arc<Sources> {
        self.program.sources()
    }

    pub(super) fn location(&self, span: Span) -> Location {
        self.sources().location(span)
    }

    /// A term as it is written. The heads of further bodies of one rule are said to stand where these do, as in OPA.
    pub(super) fn term(&self, term: &Term) -> String {
        match term.as_var() {
            Some(name) if !name.starts_with('$') => name.to_string(),
            _ => self.text(term.span).to_owned(),
        }
    }

    pub(super) fn text(&self, span: Span) -> &str {
        self.sources().text(span)
    }
}

/// The language without what imports make of it: they are in the text.
fn plain(version: Version) -> Version {
    match version {
        Version::V0 | Version::V0CompatV1 => Version::V0,
        Version::V1 | Version::V2 => Version::V1,
    }
}

impl File {
    fn of(number: usize, module: Module, program: &Arc<Program>) -> Self {
        let names = |terms: &[Term]| terms.iter().filter_map(name).collect::<Vec<_>>();
        let text = |span: Span| program.sources().text(span);
        let package = names(module.package.path.get(1..).unwrap_or_default());
        let statement = |span: Span, word: &str| text(span).trim().trim_start_matches(word).trim().to_owned();
        let mut aliases = BTreeMap::new();
        for import in &module.imports {
            let path = names(import.path.as_ref_parts().unwrap_or_default());
            let alias = import.alias.as_ref().map(|(name, _)| name.to_string()).or_else(|| path.last().cloned());
            alias.map(|alias| aliases.insert(alias, path));
        }
        let asked = Asked {
            package: Some(statement(module.package.span, "package")),
            imports: module.imports.iter().map(|import| statement(import.span, "import")).collect(),
            version: module.version,
            ..Asked::default()
        };
        Self { number, asked, names: program.names_in(&package), package, aliases, module }
    }

    /// Where a rule's document lies, below `data`, as far as that is names.
    fn path_of(&self, rule: &Rule) -> Vec<String> {
        let (first, rest) = rule.head.reference.split_first().map_or((None, &[][..]), |(first, rest)| (name(first), rest));
        let names = first.into_iter().chain(rest.iter().map_while(|term| term.as_str()).map(ToString::to_string));
        self.package.iter().cloned().chain(names).collect()
    }

    /// Whether a name is one of the package, of an import, or of a document: no variable, unless it is declared to be one.
    pub(super) fn is_global(&self, name: &str) -> bool {
        matches!(name, "data" | "input") || self.names.contains(name) || self.aliases.contains_key(name)
    }
}

fn name(term: &Term) -> Option<String> {
    match &term.kind {
        Kind::Var(name) | Kind::String(name) => Some(name.to_string()),
        Kind::Ref(parts) if parts.len() == 1 => name(parts.first()?),
        _ => None,
    }
}

impl<'p> Definition<'p> {
    /// Of a set: its member. Of an object: its key, if it is none that is written down.
    pub(super) fn key(&self) -> Option<&'p Term> {
        let head = &self.rule.head;
        let last = head.reference.last().filter(|_| head.reference.len() > 1);
        head.key.as_ref().or(last).filter(|key| key.as_str().is_none() || self.is_set())
    }

    /// Whether its document is made by more than one key: objects in objects, or of sets.
    pub(super) fn is_deep(&self) -> bool {
        let head = &self.rule.head;
        let keys = head.reference.iter().skip(1).filter(|term| term.as_str().is_none()).count();
        keys > 1
            || (keys == 1
                && self.is_set()
                && head.reference.last().and_then(Term::as_var) != head.key.as_ref().and_then(Term::as_var))
    }

    /// Returns the definitions of its `else` chain that are tried before it.
    fn before(self) -> impl Iterator<Item = Self> {
        let Self { file, rule, first } = self;
        first.chain().take_while(move |other| !std::ptr::eq(*other, rule)).map(move |rule| Self { file, rule, first })
    }

    /// Returns its body; empty if none is written.
    pub(super) fn body(&self) -> &'p [Expr] {
        if self.rule.generated_body || self.rule.default { &[] } else { &self.rule.body }
    }

    /// Returns the term of the document's, or its member's, value; `None` if none is written.
    pub(super) fn value(&self) -> Option<&'p Term> {
        self.rule.head.value.as_ref().filter(|_| !self.rule.head.generated_value)
    }

    fn is_set(&self) -> bool {
        self.rule.head.key.is_some() && self.rule.head.value.is_none()
    }

    /// The name of its document, such as `data.app.allow`.
    pub(super) fn name(&self) -> String {
        let path = self.file.path_of(self.rule);
        std::iter::once("data").chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join(".")
    }
}
