//! A compiled policy set.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_contract::policy::{Diagnostic, Location};

use super::definitions::Definitions;
use super::interpreter::Interpreter;
use super::prepared::Prepared;
use super::{EvalError, Value, fault, reads};

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

/// A compiled, accepted policy set: immutable, shareable.
pub struct Program {
    interpreter: Interpreter,
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
        let mut interpreter = Interpreter::new();
        let mut versions = BTreeMap::new();
        let mut errors = Vec::new();
        for module in modules {
            match parse(&mut interpreter, module, version) {
                Ok(version) => drop(versions.insert(module.key.clone(), version.to_owned())),
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let trees = interpreter.trees();
        let mut definitions = Definitions::default();
        for tree in &trees {
            definitions.add(tree, &|file, row, col| Location { file: file.to_owned(), row, col });
        }
        let reads = reads::of(&trees);
        interpreter.with_data(regorus::Value::new_object()).map_err(|e| vec![diagnostic("", "rego_compile_error", &e)])?;
        Ok(Self { interpreter, versions, definitions, reads })
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
        let interpreter = self.interpreter.with_data(data.0.clone()).map_err(|e| fault::evaluation("data", &e))?;
        Ok(Prepared::new(self.clone(), interpreter, data.0))
    }

    pub(super) fn definitions(&self) -> &Definitions {
        &self.definitions
    }
}

fn parse(interpreter: &mut Interpreter, module: &Module, version: RegoVersion) -> Result<&'static str, Diagnostic> {
    let mut add =
        |v1| interpreter.add(&module.key, &module.text, v1).map_err(|e| diagnostic(&module.key, "rego_parse_error", &e));
    match version {
        RegoVersion::V0 => add(false).map(|()| "v0"),
        RegoVersion::V1 => add(true).map(|()| "v1"),
        RegoVersion::Auto => match add(true) {
            Ok(()) => Ok("v1"),
            Err(mut error) => add(false).map(|()| "v0").map_err(|v0| {
                error.details.push(format!("as Rego v0: {v0}"));
                error
            }),
        },
    }
}

fn diagnostic(file: &str, code: &str, error: &anyhow::Error) -> Diagnostic {
    let fault::Message { location, text } = fault::message(error);
    let location = location.unwrap_or_else(|| Location { file: file.to_owned(), row: 1, col: 1 });
    Diagnostic { code: code.to_owned(), message: text, location, details: Vec::new() }
}
