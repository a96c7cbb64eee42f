//! `rand.intn` (OPA: `v1/topdown/numbers.go`): the same number for the same operands throughout an evaluation.

use std::cell::Cell;

use regorus::Value;
use sha2::{Digest, Sha256};

use super::error::BuiltinError;
use super::{Builtin, operand};

pub(super) const BUILTINS: &[Builtin] = &[Builtin { name: "rand.intn", operands: 2, call: intn }];

thread_local! {
    // An extension does not learn which evaluation calls it; an evaluation stays on one thread.
    static SEED: Cell<uuid::Uuid> = Cell::new(uuid::Uuid::new_v4());
}

/// Other numbers from now on.
pub(super) fn renew() {
    SEED.set(uuid::Uuid::new_v4());
}

fn intn(values: &[Value]) -> Result<Value, BuiltinError> {
    let (text, below) = (operand::string(values, 1)?, operand::integer(values, 2)?.unsigned_abs());
    let mut hash = Sha256::new();
    hash.update(SEED.get().as_bytes());
    hash.update(below.to_be_bytes());
    hash.update(text);
    let drawn = hash.finalize().iter().take(16).fold(0_u128, |drawn, byte| drawn << 8 | u128::from(*byte));
    // Of 128 bits, what 64 of them favour is nothing.
    let number = drawn.checked_rem(u128::from(below)).unwrap_or_default();
    Ok(Value::from(u64::try_from(number).unwrap_or_default()))
}
