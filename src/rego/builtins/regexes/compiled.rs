//! Compiled expressions: bounded as the interpreter's, and kept.

use std::sync::{Arc, LazyLock};

use regex::{Regex, RegexBuilder};
use regorus::LimitError;

use super::translate::translate;
use crate::rego::builtins::error::BuiltinError;
use crate::rego::builtins::recent::Recent;

/// Bytes of a compiled expression, as in the interpreter.
const LARGEST: usize = 100 << 10;

/// An expression in Go's syntax.
pub(super) struct Compiled {
    pub(super) regex: Regex,
    /// The names of its groups by number.
    pub(super) names: Vec<String>,
}

static RECENT: LazyLock<Recent<Compiled>> = LazyLock::new(Recent::default);

/// The expression that a pattern is.
pub(super) fn compiled(pattern: &str) -> Result<Arc<Compiled>, BuiltinError> {
    RECENT.of(pattern, || {
        let translation = translate(pattern)?;
        Ok(Compiled { regex: build(&translation.regex, LARGEST)?, names: translation.names })
    })
}

/// Builds what was translated. That is valid, so that an error is the crate's alone: it ends the evaluation.
pub(in crate::rego::builtins) fn build(regex: &str, limit: usize) -> Result<Regex, BuiltinError> {
    RegexBuilder::new(regex).size_limit(limit).build().map_err(|error| match error {
        regex::Error::CompiledTooBig(limit) => BuiltinError::Limit(LimitError::RegexSizeLimitExceeded { limit }.to_string()),
        other => BuiltinError::Limit(format!("the expression is not supported: {other}")),
    })
}
