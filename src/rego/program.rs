//! A compiled policy set.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use plimsoll_contract::policy::{Diagnostic, Location};
use regorus::unstable::{Module as Tree, Ref};

use super::accept::Strictness;
use super::definitions::Definitions;
use super::interpreter::Interpreter;
use super::plain::Packages;
use super::prepared::Prepared;
use super::reach::{Modules, Reach};
use super::sources::Sources;
use super::stack::Stack;
use super::{EvalError, Limits, Value, builtins, compile, fault, parse, syntax};

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

/// What is evaluated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    /// For messages.
    pub(super) document: &'a str,
    /// Rego.
    pub(super) reference: &'a str,
}

/// A compiled, accepted policy set: immutable, shareable.
pub struct Program {
    pub(super) sources: Sources,
    pub(super) whole: Interpreter,
    pub(super) stack: Stack,
    pub(super) packages: Packages,
    /// What documents that were asked for reach, parsed; at most one for each package and each path above it.
    pub(super) parts: Mutex<BTreeMap<Modules, Interpreter>>,
    pub(super) reach: Reach,
    pub(super) versions: BTreeMap<String, String>,
    pub(super) definitions: Definitions,
    pub(super) reads: Vec<Vec<String>>,
    /// The same of each module alone.
    pub(super) module_reads: Vec<Vec<Vec<String>>>,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("versions", &self.versions).field("reads", &self.reads).finish_non_exhaustive()
    }
}

impl Module {
    /// The path of its package below `data`.
    pub fn package(&self, version: RegoVersion) -> Result<Vec<String>, Diagnostic> {
        parse::parse(self, version).map(|parsed| syntax::package(&parsed.ast))
    }
}

impl Program {
    /// Parses, checks and compiles modules as one set; all errors at once.
    pub fn compile(modules: &[Module], version: RegoVersion) -> Result<Self, Vec<Diagnostic>> {
        compile::program(modules, &|_| version)
    }

    /// [`Self::compile`] for modules that are not all of one Rego version: `version` is asked with each key.
    pub fn compile_each(modules: &[Module], version: &dyn Fn(&str) -> RegoVersion) -> Result<Self, Vec<Diagnostic>> {
        compile::program(modules, version)
    }

    /// What is wrong with modules as one set, without compiling them: all errors at once, sorted by place.
    pub fn check(modules: &[Module], version: RegoVersion, strictness: Strictness) -> Vec<Diagnostic> {
        compile::check(modules, &|_| version, strictness)
    }

    /// [`Self::check`] for modules that are not all of one Rego version: `version` is asked with each key.
    pub fn check_each(modules: &[Module], version: &dyn Fn(&str) -> RegoVersion, strictness: Strictness) -> Vec<Diagnostic> {
        compile::check(modules, version, strictness)
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

    /// The packages of the modules, below `data`.
    pub fn packages(&self) -> impl Iterator<Item = &[String]> {
        self.packages.paths()
    }

    /// The functions of the set, by their paths below `data`, and where they are defined.
    pub fn functions(&self) -> impl Iterator<Item = (&[String], &Location)> {
        self.definitions.functions()
    }

    /// The path of a rule that base data `document` at `path` would hide; OPA refuses such data and such policies
    /// (`conflicting rule for data path a/b found`).
    pub fn conflict(&self, path: &[String], document: &serde_json::Value) -> Option<&[String]> {
        self.definitions.hidden_by(path, document)
    }

    /// The `data` paths that the modules may read: minimal, none inside another; `[[]]` means all of `data`.
    pub fn reads(&self) -> &[Vec<String>] {
        &self.reads
    }

    /// Those of [`Self::reads`] that the document at `path` may depend on; not minimal.
    pub fn reads_of(&self, path: &[String]) -> Vec<Vec<String>> {
        let modules = self.reach.of_document(path);
        modules.into_iter().filter_map(|module| self.module_reads.get(module)).flatten().cloned().collect()
    }

    /// Binds data, an object that holds at least [`Self::reads`]. Cheap: what evaluates is made when first asked for.
    pub fn prepare(self: &Arc<Self>, data: Value) -> Result<Prepared, EvalError> {
        if data.0.as_object().is_err() {
            return Err(EvalError::Failed { document: "data".to_owned(), message: "data must be an object".to_owned() });
        }
        Ok(Prepared::new(self.clone(), data.0))
    }

    /// The syntax trees as they run, in the order of the modules.
    pub(super) fn trees(&self) -> Vec<Ref<Tree>> {
        self.whole.trees()
    }

    /// An interpreter with some of the modules, without data.
    pub(super) fn part(&self, modules: &Modules) -> Result<Interpreter, anyhow::Error> {
        if modules.len() == self.sources.len() {
            return Ok(self.whole.clone());
        }
        if let Some(part) = self.parts.lock().get(modules) {
            return Ok(part.clone());
        }
        let part = self.sources.interpreter(modules)?;
        self.parts.lock().insert(modules.clone(), part.clone());
        Ok(part)
    }

    /// The value of a reference, `None` when it is undefined.
    pub(super) fn evaluate(
        &self,
        ready: &Interpreter,
        asked: Asked<'_>,
        input: Option<regorus::Value>,
        limits: &Limits,
    ) -> Result<Option<regorus::Value>, EvalError> {
        self.printing(ready, asked.reference, input, limits).0.map_err(|error| self.fault(asked.document, &error))
    }

    /// The same, with what was printed, and the interpreter's own errors.
    pub(super) fn printing(
        &self,
        ready: &Interpreter,
        reference: &str,
        input: Option<regorus::Value>,
        limits: &Limits,
    ) -> (Result<Option<regorus::Value>, anyhow::Error>, Vec<String>) {
        let evaluate = || ready.evaluate(reference.to_owned(), input, limits.time);
        let evaluate = || builtins::timed(limits.time, evaluate);
        let evaluate = || builtins::strictly(limits.strict_builtin_errors, evaluate);
        builtins::heard(limits.notes.as_ref(), evaluate)
    }

    /// What an error of the interpreter means, in places as written.
    pub(super) fn fault(&self, document: &str, error: &anyhow::Error) -> EvalError {
        fault::evaluation(document, error, &|place| self.sources.original(place))
    }
}
