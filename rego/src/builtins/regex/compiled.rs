//! Compiled patterns, kept for the evaluation and, the latest of them, for the process.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use regex::{Regex, RegexBuilder};

use super::translate::translate;
use crate::builtins::recent::{Kept, Recent};
use crate::builtins::{BuiltinError, Context};
use crate::limits::{Account, Halt};

/// Bytes of a compiled pattern.
const LARGEST: usize = 32 << 20;
/// Steps of compiling, for each byte of a pattern.
const COMPILING: usize = 256;
/// Nanoseconds of compiling, for each byte of a pattern, at least.
const BYTE: u64 = 1_000;
/// Parts of a pattern that are looked at in a nanosecond, at most.
const LOOKS: u64 = 4;
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
    /// How many characters and looks it is when all repetitions are written out.
    size: u64,
}

impl Compiled {
    /// Makes sure that there is time to go through a text: the crate cannot be ended midway, and in the worst case looks at every
    /// part of a pattern for each byte. Patterns that are usual take a fraction of that. Fails when there is not.
    pub(in crate::builtins) fn has_time_for(&self, account: &Account, text: &str) -> Result<(), Halt> {
        time_for(account, self.size, text)
    }
}

/// The same for an expression of so many parts.
pub(in crate::builtins) fn time_for(account: &Account, size: u64, text: &str) -> Result<(), Halt> {
    let looks = u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_mul(size);
    account.has_time_for(Duration::from_nanos(looks / LOOKS))
}

static RECENT: LazyLock<Recent<Compiled>> = LazyLock::new(Recent::default);

/// The expression that a pattern is.
pub(in crate::builtins) fn compiled(context: &mut Context, pattern: &str) -> Result<Arc<Compiled>, BuiltinError> {
    if let Some(kept) = context.kept.get::<Kept<Compiled>>().find(pattern) {
        return Ok(kept);
    }
    pay(context, pattern)?;
    let compiled = RECENT.of(pattern, || {
        let translation = translate(pattern)?;
        Ok::<_, BuiltinError>(Compiled { regex: build(&translation.regex)?, names: translation.names, size: translation.size })
    })?;
    context.kept.get::<Kept<Compiled>>().keep(pattern, &compiled);
    Ok(compiled)
}

/// Charges for compiling, which nothing can end midway.
pub(in crate::builtins) fn pay(context: &mut Context, pattern: &str) -> Result<(), BuiltinError> {
    context.account.charge(pattern.len().saturating_mul(COMPILING))?;
    let bytes = u64::try_from(pattern.len()).unwrap_or(u64::MAX);
    Ok(context.account.has_time_for(Duration::from_nanos(bytes.saturating_mul(BYTE)))?)
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
