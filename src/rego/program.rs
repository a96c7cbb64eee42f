//! A compiled policy set and its prepared form.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_contract::policy::{Diagnostic, Location};

use super::{EvalError, Limits, Value};

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
#[derive(Debug)]
pub struct Program {}

impl Program {
    /// Parses, checks and compiles modules as one set; all errors at once.
    pub fn compile(_modules: &[Module], _version: RegoVersion) -> Result<Self, Vec<Diagnostic>> {
        Ok(Self {})
    }

    /// Module key to `v0` or `v1`.
    pub fn versions(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// What the set defines at `path` (below `data`).
    pub fn defines(&self, _path: &[String]) -> Definition {
        Definition::Nothing
    }

    /// The definitions of the rules directly below package `path`.
    pub fn rules_of(&self, _path: &[String]) -> Vec<RuleLocation> {
        Vec::new()
    }

    /// The `data` paths that the modules may read: minimal, none inside another; `[[]]` means all of `data`.
    pub fn reads(&self) -> &[Vec<String>] {
        &[]
    }

    /// Binds data; `data` holds at least [`Self::reads`].
    pub fn prepare(self: &Arc<Self>, _data: Value) -> Result<Prepared, EvalError> {
        Ok(Prepared {})
    }
}

/// A program with its data, ready to evaluate from many threads.
#[derive(Debug)]
pub struct Prepared {}

impl Prepared {
    /// The document at `data.<path>`; `None` when undefined. Panics inside are caught.
    pub fn document(
        &self,
        path: &[String],
        _input: Option<&Value>,
        _limits: &Limits,
    ) -> Result<Option<serde_json::Value>, EvalError> {
        Err(EvalError::Failed { document: path.join("."), message: "not built".into() })
    }
}
