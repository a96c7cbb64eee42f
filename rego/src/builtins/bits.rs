//! Bits of whole numbers.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("bits.and", &[Type::Number, Type::Number], Some(Type::Number)),
    row("bits.lsh", &[Type::Number, Type::Number], Some(Type::Number)),
    row("bits.negate", &[Type::Number], Some(Type::Number)),
    row("bits.or", &[Type::Number, Type::Number], Some(Type::Number)),
    row("bits.rsh", &[Type::Number, Type::Number], Some(Type::Number)),
    row("bits.xor", &[Type::Number, Type::Number], Some(Type::Number)),
];
