//! What cases are run by.

use std::collections::BTreeMap;

use plimsoll_rego::value::Value;

/// The version of Rego that modules are read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Version {
    V0,
    V1,
}

/// The input of a query.
#[derive(Clone, Debug)]
pub(super) enum Input {
    Value(Value),
    /// A term of Rego.
    Term(String),
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'c> {
    pub(super) version: Version,
    pub(super) modules: &'c [String],
    pub(super) data: &'c Value,
    pub(super) input: Option<&'c Input>,
    /// A body, in Rego v1.
    pub(super) query: &'c str,
    /// Errors of builtins are errors.
    pub(super) strict: bool,
}

/// The values of a query's variables in one solution.
pub(super) type Bindings = BTreeMap<String, Value>;

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// Modules or query are not accepted.
    Refused(String),
    /// Evaluation fails: where, such as `test-0.rego:4` (modules are numbered), OPA's code, OPA's message.
    Failed { at: Option<String>, code: String, message: String },
}

/// What answers.
pub(super) trait Engine: Sync {
    /// All solutions, in any order.
    fn query(&self, question: &Question<'_>) -> Result<Vec<Bindings>, Failure>;
}

impl Version {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::V0 => "v0",
            Self::V1 => "v1",
        }
    }
}

/// This crate.
pub(super) struct Rego;

impl Engine for Rego {
    fn query(&self, _: &Question<'_>) -> Result<Vec<Bindings>, Failure> {
        Err(Failure::Refused("nothing is evaluated yet".to_owned()))
    }
}
