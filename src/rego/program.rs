//! A compiled policy set.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plimsoll_contract::policy::{Diagnostic, Location};

use regorus::unstable::{Module as Tree, Ref};

use super::definitions::Definitions;
use super::interpreter::Interpreter;
use super::parse::{ParsedModule, Version};
use super::prepared::Prepared;
use super::rewrite::Rewritten;
use super::{EvalError, Value, accept, fault, parse, reads, rewrite};

/// One Rego file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Module {
    /// Shown in locations: a path or `namespace/configmap/key`.
    pub key: String,
    /// The text.
    pub text: String,
}

/// Which Rego a module is read as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RegoVersion {
    /// As v1; if that fails as v0; if both fail the v1 error is shown with the v0 error as a note.
    #[default]
    Auto,
    /// v0 only.
    V0,
    /// v1 only.
    V1,
}

impl std::str::FromStr for RegoVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            "v0" => Ok(Self::V0),
            "v1" => Ok(Self::V1),
            _ => Err(format!("`{text}` is no Rego version: use auto, v0 or v1")),
        }
    }
}

/// What a policy set has at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// No rule at, above or below the path.
    Nothing,
    /// At least one rule below the path.
    Package,
    /// The path is a rule, or lies inside the value of one.
    Rule,
}

/// One definition of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleLocation {
    /// The rule's name below the package asked for, such as `annotations`.
    pub name: String,
    /// The constant key of a partial object rule, if it is constant.
    pub key: Option<String>,
    /// Where it stands.
    pub location: Location,
}

/// Module key to the text that runs.
type Sources = BTreeMap<String, Rewritten>;

/// A compiled, accepted policy set: immutable, shareable.
pub struct Program {
    interpreter: Interpreter,
    sources: Sources,
    versions: BTreeMap<String, String>,
    definitions: Definitions,
    reads: Vec<Vec<String>>,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("versions", &self.versions).field("reads", &self.reads).finish_non_exhaustive()
    }
}

impl Program {
    /// Parses, checks and compiles modules as one set; all errors at once.
    pub fn compile(modules: &[Module], version: RegoVersion) -> Result<Self, Vec<Diagnostic>> {
        no_key_twice(modules)?;
        let parsed = all(modules.iter().map(|module| parse::parse(module, version)))?;
        let errors = accept::check(&parsed);
        if !errors.is_empty() {
            return Err(errors);
        }
        let sources: BTreeMap<_, _> =
            parsed.iter().map(|module| (module.key.to_string(), rewrite::rewrite(module, &parsed))).collect();
        let interpreter = interpreter(&parsed, &sources)?;
        let versions = parsed.iter().map(|module| (module.key.to_string(), module.version.as_str().to_owned())).collect();
        let definitions = Definitions::of(&parsed);
        let reads = reads::of(&parsed, &definitions);
        Ok(Self { interpreter, sources, versions, definitions, reads })
    }

    /// Module key to `v0` or `v1`.
    pub fn versions(&self) -> BTreeMap<String, String> {
        self.versions.clone()
    }

    /// What the set defines at `path` (below `data`).
    pub fn defines(&self, path: &[String]) -> Definition {
        self.definitions.at(path)
    }

    /// The definitions of the rules directly below package `path`.
    pub fn rules_of(&self, path: &[String]) -> Vec<RuleLocation> {
        self.definitions.below(path)
    }

    /// The `data` paths that the modules may read: minimal, none inside another; `[[]]` means all of `data`.
    pub fn reads(&self) -> &[Vec<String>] {
        &self.reads
    }

    /// Binds data; `data` holds at least [`Self::reads`].
    pub fn prepare(self: &Arc<Self>, data: Value) -> Result<Prepared, EvalError> {
        let interpreter = self.interpreter.with_data(data.0.clone()).map_err(|e| self.fault("data", &e))?;
        Ok(Prepared::new(self.clone(), interpreter, data.0))
    }

    /// The place in the module as written, of a place in the module as it runs.
    pub(super) fn original(&self, place: &Location) -> Location {
        original(&self.sources, place)
    }

    /// The syntax trees as they run, in the order of the modules.
    pub(super) fn trees(&self) -> Vec<Ref<Tree>> {
        self.interpreter.trees()
    }

    /// What an error of the interpreter means, in places as written.
    pub(super) fn fault(&self, document: &str, error: &anyhow::Error) -> EvalError {
        fault::evaluation(document, error, &|place| self.original(place))
    }

    pub(super) fn definitions(&self) -> &Definitions {
        &self.definitions
    }
}

/// A key is how errors find their module.
fn no_key_twice(modules: &[Module]) -> Result<(), Vec<Diagnostic>> {
    let mut keys = BTreeSet::new();
    all(modules.iter().map(|module| {
        let location = Location { file: module.key.clone(), row: 1, col: 1 };
        let message = "two modules have this key: rename one".to_owned();
        let code = "rego_compile_error".to_owned();
        if keys.insert(&module.key) { Ok(()) } else { Err(Diagnostic { code, message, location, details: Vec::new() }) }
    }))
    .map(drop)
}

/// The results of all, or all errors.
fn all<T>(results: impl Iterator<Item = Result<T, Diagnostic>>) -> Result<Vec<T>, Vec<Diagnostic>> {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => found.push(value),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}

/// Gives the interpreter the rewritten modules. What it refuses now, acceptance has missed: an error nevertheless.
fn interpreter(parsed: &[ParsedModule], sources: &Sources) -> Result<Interpreter, Vec<Diagnostic>> {
    let mut interpreter = Interpreter::new();
    let texts = parsed.iter().filter_map(|module| Some((module, sources.get(&*module.key)?)));
    all(texts.map(|(module, rewritten)| {
        let added = interpreter.add(&module.key, &rewritten.text, module.version == Version::V1);
        added.map_err(|e| refused(&e, sources))
    }))?;
    interpreter.with_data(regorus::Value::new_object()).map_err(|e| vec![refused(&e, sources)])?;
    Ok(interpreter)
}

fn refused(error: &anyhow::Error, sources: &Sources) -> Diagnostic {
    let fault::Message { location, text } = fault::message(error);
    let location = location.map(|place| original(sources, &place)).unwrap_or_default();
    Diagnostic { code: "rego_compile_error".to_owned(), message: text, location, details: Vec::new() }
}

/// The place in a module as written, of a place in the module as it runs.
fn original(sources: &Sources, place: &Location) -> Location {
    let (row, col) = sources.get(&place.file).map_or((place.row, place.col), |module| module.original(place.row, place.col));
    Location { file: place.file.clone(), row, col }
}
