//! A compiled policy set.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use plimsoll_contract::policy::{Diagnostic, Location};
use plimsoll_rego::builtins;
use plimsoll_rego::compile::{DataPath, Options};
use plimsoll_rego::program::{self, Text};
pub use plimsoll_rego::program::{Contradiction, Definition, Times};
use plimsoll_rego::syntax::tree::Version;

use super::accept::Strictness;
use super::limits::compiling::{self, Cores};
use super::prepared::{Prepared, step};
use super::{EvalError, Value, parse};

/// One Rego file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Module {
    /// Shown in locations: a path or `namespace/configmap/key`.
    pub key: String,
    /// The text.
    pub text: String,
}

/// The version of Rego that a module is read as.
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

/// A text that names no version of Rego.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no Rego version: use auto, v0 or v1")]
pub struct VersionError(String);

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
#[derive(Debug)]
pub struct Program {
    pub(super) program: Arc<program::Program>,
    packages: BTreeSet<Vec<String>>,
    reads: Vec<Vec<String>>,
    functions: Vec<(Vec<String>, Location)>,
    /// As it is compiled for its tests.
    pub(super) tested: OnceLock<Arc<program::Program>>,
}

impl std::str::FromStr for RegoVersion {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            "v0" => Ok(Self::V0),
            "v1" => Ok(Self::V1),
            _ => Err(VersionError(text.into())),
        }
    }
}

impl RegoVersion {
    /// The language, if there is no choice.
    pub(super) fn only(self) -> Option<Version> {
        match self {
            Self::Auto => None,
            Self::V0 => Some(Version::V0),
            Self::V1 => Some(Version::V1),
        }
    }
}

impl Module {
    /// The path of its package below `data`. Fails with all that is wrong in the text.
    pub fn package(&self, version: RegoVersion) -> Result<Vec<String>, Vec<Diagnostic>> {
        parse::package(self, version)
    }
}

impl Program {
    /// Parses, checks and compiles modules as one set; all errors at once.
    pub fn compile(modules: &[Module], version: RegoVersion) -> Result<Self, Vec<Diagnostic>> {
        Self::compile_each(modules, &|_| version, Cores::All)
    }

    /// [`Self::compile`] for modules that are not all of one Rego version: `version` is asked with each key. `cores` parse them.
    pub fn compile_each(
        modules: &[Module],
        version: &dyn Fn(&str) -> RegoVersion,
        cores: Cores,
    ) -> Result<Self, Vec<Diagnostic>> {
        compiled(modules, version, Strictness::Plain, (cores, None)).map(Self::of)
    }

    /// [`Self::compile_each`] beside base documents: rules where these have a value are refused (`conflicting rule for data path a/b found`).
    pub fn compile_beside(
        data: serde_json::Value,
        modules: &[Module],
        version: &dyn Fn(&str) -> RegoVersion,
    ) -> Result<Self, Vec<Diagnostic>> {
        let beside: DataPath = Arc::new(move |path| occupies(&data, path));
        compiled(modules, version, Strictness::Plain, (Cores::All, Some(beside))).map(Self::of)
    }

    fn of(program: program::Program) -> Self {
        let program = Arc::new(program);
        let (packages, reads) = (program.packages(), program.reads());
        let functions = program.definitions().iter().filter(|defined| defined.is_function);
        let functions = functions.map(|defined| (defined.path.clone(), program.sources().location(defined.span))).collect();
        Self { packages, reads, functions, program, tested: OnceLock::new() }
    }

    /// Returns all errors of modules as one set, sorted by place.
    pub fn check(modules: &[Module], version: RegoVersion, strictness: Strictness) -> Vec<Diagnostic> {
        Self::check_each(modules, &|_| version, strictness)
    }

    /// [`Self::check`] for modules that are not all of one Rego version: `version` is asked with each key.
    pub fn check_each(modules: &[Module], version: &dyn Fn(&str) -> RegoVersion, strictness: Strictness) -> Vec<Diagnostic> {
        compiled(modules, version, strictness, (Cores::All, None)).err().unwrap_or_default()
    }

    /// Returns the times of parsing and compiling.
    pub fn times(&self) -> Times {
        self.program.times()
    }

    /// Module key to `v0` or `v1`.
    pub fn versions(&self) -> BTreeMap<String, String> {
        let name = |version| if version == Version::V0 { "v0" } else { "v1" };
        self.program.versions().into_iter().map(|(key, version)| (key, name(version).to_owned())).collect()
    }

    /// Returns whether the set defines something at `path` (below `data`), and what.
    pub fn defines(&self, path: &[String]) -> Definition {
        self.program.defines(path)
    }

    /// The definitions of the rules directly below package `path`.
    pub fn rules_of(&self, path: &[String]) -> Vec<RuleLocation> {
        let rules = self.program.definitions().iter().filter(|rule| !rule.is_function);
        let below = rules.filter_map(|rule| {
            let (name, inside) = rule.path.strip_prefix(path)?.split_first()?;
            let location = self.program.sources().location(rule.span);
            Some(RuleLocation { name: name.clone(), key: inside.first().cloned(), location })
        });
        below.collect()
    }

    /// The packages of the modules, below `data`.
    pub fn packages(&self) -> impl Iterator<Item = &[String]> {
        self.packages.iter().map(Vec::as_slice)
    }

    /// Whether a package lies at a path below `data`, or below it: it is seen there, be nothing defined in it but functions.
    pub fn has_package_below(&self, path: &[String]) -> bool {
        self.packages().any(|package| package.starts_with(path))
    }

    /// The functions of the set, by their paths below `data`, and where they are defined.
    pub fn functions(&self) -> impl Iterator<Item = (&[String], &Location)> {
        self.functions.iter().map(|(path, location)| (path.as_slice(), location))
    }

    /// Returns what the modules may disagree about.
    pub fn contradictions(&self) -> Vec<Contradiction> {
        self.program.contradictions()
    }

    /// Whether rules that METADATA labels may be evaluated for the document at `path` (below `data`).
    pub fn is_labelled(&self, path: &[String]) -> bool {
        self.program.is_labelled(&path.iter().map(|segment| step(segment)).collect::<Vec<_>>())
    }

    /// First names of the rules and functions of a package: what a query that is asked in it may say without more.
    pub fn names_in(&self, package: &[String]) -> BTreeSet<String> {
        self.program.names_in(package)
    }

    /// The `data` paths that the modules may read: minimal, none inside another; `[[]]` means all of `data`.
    pub fn reads(&self) -> &[Vec<String>] {
        &self.reads
    }

    /// Returns those of [`Self::reads`] that the document at `path` may depend on; not minimal.
    pub fn reads_of(&self, path: &[String]) -> Vec<Vec<String>> {
        self.program.reads_of(path)
    }

    /// Binds data, an object that holds at least [`Self::reads`].
    pub fn prepare(self: &Arc<Self>, data: Value) -> Result<Prepared, EvalError> {
        if data.0.as_object().is_none() {
            return Err(EvalError::Failed { document: "data".to_owned(), message: "data must be an object".to_owned() });
        }
        Ok(Prepared::new(self.clone(), data.0))
    }

    /// Binds the program to newer data than `older`. Answers that are kept there stay, as far as what they were made of is the same.
    pub fn prepare_after(self: &Arc<Self>, older: &Prepared, data: Value) -> Result<Prepared, EvalError> {
        match Arc::ptr_eq(self, older.program()) && data.0.as_object().is_some() {
            true => Ok(older.succeeding(data.0)),
            false => self.prepare(data),
        }
    }
}

fn compiled(
    modules: &[Module],
    version: &dyn Fn(&str) -> RegoVersion,
    strictness: Strictness,
    (cores, data_path): (Cores, Option<DataPath>),
) -> Result<program::Program, Vec<Diagnostic>> {
    let mut keys = BTreeSet::new();
    let twice: Vec<_> = modules.iter().filter(|module| !keys.insert(&module.key)).map(two).collect();
    if !twice.is_empty() {
        return Err(twice);
    }
    let text = |module: &Module| {
        let version = version(&module.key).only();
        Text { name: module.key.clone(), text: module.text.clone(), version }
    };
    let texts: Vec<_> = modules.iter().map(text).collect();
    // What would make a decision depend on the network.
    let refused = |name: &str| builtins::refusal(name).map(str::to_owned);
    let options = Options {
        strict: strictness == Strictness::Strict,
        prints: true,
        refused: Some(Arc::new(refused)),
        data_path,
        ..Options::default()
    };
    compiling::timed(&texts, options, cores)
}

/// Whether a document has a value at a path, or one above it that leaves no room for more (opa `v1/storage/storage.go`, `NonEmpty`).
fn occupies(document: &serde_json::Value, path: &[impl AsRef<str>]) -> bool {
    match (path.split_first(), document.as_object()) {
        (Some((name, rest)), Some(members)) => members.get(name.as_ref()).is_some_and(|inner| occupies(inner, rest)),
        _ => true,
    }
}

fn two(module: &Module) -> Diagnostic {
    Diagnostic {
        code: "rego_compile_error".to_owned(),
        message: "two modules have this key: rename one".to_owned(),
        location: Location { file: module.key.clone(), row: 1, col: 1 },
        ..Diagnostic::default()
    }
}
