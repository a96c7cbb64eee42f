//! Sending a whole policy set and what the compiler says of it.
//!
//! `PUT /plimsoll/v1/policies/{source}` takes [`PutPolicies`]: all or nothing. 200 [`PoliciesAccepted`], or 400
//! [`PoliciesRejected`] with an error per key while the last good set stays in force. `POST …/{source}/check` takes and
//! answers the same, and changes nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A whole policy set of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PutPolicies {
    /// Key, such as `namespace/configmap/file.rego`, to module text.
    pub modules: BTreeMap<String, String>,
    /// Data that comes with them: key to JSON text, or to YAML text if the key ends in `.yaml` or `.yml`. The key's parts are
    /// the path below `data`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, String>,
    /// The session from `Declared`, when the source was declared with `policies: true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The set is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoliciesAccepted {
    /// The engine process.
    pub epoch: String,
    /// The revision that evaluates with it.
    pub revision: u64,
    /// Digest of all policy sets together.
    pub digest: String,
    /// What is worth knowing though it is no error, such as a module read as Rego v0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What may go wrong with some objects: rules that another module may contradict ([`CONFLICT`]). Each module of this set that has a part
    /// in it has one, which names the places in the others, `file:row:col` each, in `details` too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Diagnostic>,
}

/// The code of a warning that rules in several modules may contradict each other, and of the evaluation in which they do.
pub const CONFLICT: &str = "eval_conflict_error";

/// The set is refused; the last good one stays in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoliciesRejected {
    /// Always `invalid_parameter`, as in OPA.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// At least one.
    pub errors: Vec<Diagnostic>,
}

/// One error of the compiler, in OPA's shape.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Diagnostic {
    /// OPA's code: `rego_parse_error`, `rego_compile_error`, `rego_unsafe_var_error`, `rego_type_error`,
    /// `rego_recursion_error`.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub location: Location,
    /// The source line and notes, such as the v0 parser's opinion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// How many bytes of the source line are before what an error of the syntax is about, where OPA says it (`v1/ast/parser_ext.go`,
    /// `ParserErrorDetail`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idx: Option<usize>,
}

/// A place in a module.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    /// The module's key.
    pub file: String,
    /// Line, from 1.
    pub row: u32,
    /// Column in characters, from 1.
    pub col: u32,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.row, self.col)
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}: {}", self.location, self.code, self.message)?;
        self.details.iter().try_for_each(|detail| write!(f, "\n\t{detail}"))
    }
}
