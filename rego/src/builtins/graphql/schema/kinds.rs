//! Types where they are used, side by side.

use super::super::ast::{Type, kind};
use super::Schema;
use crate::limits::{Account, Halt};

/// Whether what has a type can stand where another one is expected (`Type.IsCompatible`).
pub(in super::super) fn are_compatible(given: &Type<'_>, expected: &Type<'_>) -> bool {
    let (mut given, mut expected) = (given, expected);
    loop {
        if given.named != expected.named || expected.non_null && !given.non_null {
            return false;
        }
        (given, expected) = match (given.element, expected.element) {
            (Some(given), Some(expected)) => (given, expected),
            (given, _) => return given.is_none(),
        };
    }
}

/// Whether a field's type is what an interface requires, or more (`isCovariant`).
pub(super) fn is_covariant(
    schema: &Schema<'_>,
    account: &mut Account,
    required: &Type<'_>,
    actual: &Type<'_>,
) -> Result<bool, Halt> {
    let (mut required, mut actual) = (required, actual);
    loop {
        account.step(1)?;
        if required.non_null && !actual.non_null {
            return Ok(false);
        }
        if !required.named.is_empty() {
            let mut possible = schema.possible(required.named);
            account.step(u64::try_from(possible.clone().count() / 16).unwrap_or(u64::MAX))?;
            return Ok(required.named == actual.named || possible.any(|of| of.name == actual.named));
        }
        (required, actual) = match (required.element, actual.element) {
            (Some(required), Some(actual)) => (required, actual),
            _ => return Ok(false),
        };
    }
}

/// Whether fields of these types cannot share a name in a response (`doTypesConflict`).
pub(in super::super) fn conflict(schema: &Schema<'_>, first: &Type<'_>, second: &Type<'_>) -> bool {
    let (mut first, mut second) = (first, second);
    loop {
        (first, second) = match (first.element, second.element) {
            (Some(first), Some(second)) => (first, second),
            (None, None) => break,
            _ => return true,
        };
    }
    if first.non_null != second.non_null {
        return true;
    }
    let leaf = |of: &Type<'_>| schema.find(of.named).filter(|found| [kind::SCALAR, kind::ENUM].contains(&found.kind));
    leaf(first).zip(leaf(second)).is_some_and(|(first, second)| first.name != second.name)
}
