//! Integers beyond 64 bits (Go: `math/big`, `Int.Format`).

use num_bigint::{BigInt, Sign};

use super::spec::Spec;
use crate::builtins::output::Output;
use crate::limits::Halt;

/// Whether the verb is one for big integers; it is written then.
pub(super) fn write(integer: &BigInt, verb: char, spec: &Spec, out: &mut Output<'_>) -> Result<bool, Halt> {
    let magnitude = integer.magnitude();
    out.account().charge(usize::try_from(magnitude.bits()).unwrap_or(usize::MAX))?;
    let (digits, prefix) = match verb {
        'd' | 's' | 'v' => (magnitude.to_str_radix(10), ""),
        'b' => (magnitude.to_str_radix(2), "0b"),
        'o' | 'O' => (magnitude.to_str_radix(8), if verb == 'O' { "0o" } else { "0" }),
        'x' => (magnitude.to_str_radix(16), "0x"),
        'X' => (magnitude.to_str_radix(16).to_uppercase(), "0X"),
        _ => return Ok(false),
    };
    let prefix = if spec.sharp || spec.sharp_v || verb == 'O' { prefix } else { "" };
    let sign = Spec { plus: spec.plus || spec.plus_v, ..*spec }.sign(integer.sign() == Sign::Minus);
    let length = sign.len().saturating_add(prefix.len()).saturating_add(digits.len());
    let zeros = match (spec.precision, spec.width) {
        (Some(precision), _) => precision.saturating_sub(digits.len()),
        (None, Some(width)) if spec.zero && !spec.minus => width.saturating_sub(length),
        _ => 0,
    };
    spec.blank().padded(length.saturating_add(zeros), out, |out| {
        out.push(sign)?;
        out.push(prefix)?;
        out.repeat('0', zeros)?;
        out.push(&digits)
    })?;
    Ok(true)
}
