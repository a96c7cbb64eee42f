//! Compiled patterns, kept for the evaluation and, the latest of them, for the process.

use std::sync::{Arc, LazyLock};

use regex::{Regex, RegexBuilder};

use super::translate::translate;
use crate::builtins::recent::{Kept, Recent};
use crate::builtins::{BuiltinError, Context};
use crate::limits::Halt;

/// Bytes of a compiled pattern.
const LARGEST: usize = 32 << 20;
/// Steps of compiling, for each byte of a pattern.
const COMPILING: usize = 256;
/// Groups inside one another, ours around each part of a pattern included.
const NESTED: u32 = 10_000;
/// Stack for the deepest pattern: the compiler of the crate recurses over groups.
const STACK: usize = 64 << 20;
/// Patterns that are shorter cannot nest deeply.
const SHALLOW: usize = 100;

/// A pattern in Go's syntax.
pub(in crate::builtins) struct Compiled {
    pub(in crate::builtins) regex: Regex,
    /// The names of its groups by number.
    pub(super) names: Vec<String>,
}

static RECENT: LazyLock<Recent<Compiled>> = LazyLock::new(Recent::default);

/// The expression that a pattern is.
pub(in crate::builtins) fn compiled(context: &mut Context, pattern: &str) -> Result<Arc<Compiled>, BuiltinError> {
    if let Some(kept) = context.kept.get::<Kept<Compiled>>().find(pattern) {
        return Ok(kept);
    }
    context.account.charge(pattern.len().saturating_mul(COMPILING))?;
    let compiled = RECENT.of(pattern, || {
        let translation = translate(pattern)?;
        Ok::<_, BuiltinError>(Compiled { regex: build(&translation.regex)?, names: translation.names })
    })?;
    context.kept.get::<Kept<Compiled>>().keep(pattern, &compiled);
    Ok(compiled)
}

/// Builds what was translated. That is valid, so that an error is the crate's alone: it ends the evaluation.
pub(in crate::builtins) fn build(regex: &str) -> Result<Regex, BuiltinError> {
    let build = || RegexBuilder::new(regex).size_limit(LARGEST).nest_limit(NESTED).build();
    let built = if regex.len() < SHALLOW { build() } else { stacker::grow(STACK, build) };
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(limit) => Halt::Memory(u64::try_from(limit).unwrap_or(u64::MAX)).into(),
        other => BuiltinError::failed(other.to_string()),
    })
}
