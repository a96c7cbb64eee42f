//! Arithmetic and ranges.

mod arithmetic;
mod random;
mod range;

pub(super) use arithmetic::{failed, pay, pay_digits};

use super::signature::Type;
use super::table::{Builtin, Dependence, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("abs", &[Type::Number], Some(Type::Number)).by(arithmetic::abs),
    row("ceil", &[Type::Number], Some(Type::Number)).by(arithmetic::ceil),
    row("div", &[Type::Number, Type::Number], Some(Type::Number)).by(arithmetic::div).infix("/"),
    row("floor", &[Type::Number], Some(Type::Number)).by(arithmetic::floor),
    row(
        "minus",
        &[Type::Or(&[Type::Number, Type::Set(&Type::Any)]), Type::Or(&[Type::Number, Type::Set(&Type::Any)])],
        Some(Type::Or(&[Type::Number, Type::Set(&Type::Any)])),
    )
    .by(arithmetic::minus)
    .infix("-"),
    row("mul", &[Type::Number, Type::Number], Some(Type::Number)).by(arithmetic::mul).infix("*"),
    row("numbers.range", &[Type::Number, Type::Number], Some(Type::Array(&Type::Number))).by(range::range),
    row("numbers.range_step", &[Type::Number, Type::Number, Type::Number], Some(Type::Array(&Type::Number)))
        .by(range::range_step),
    row("plus", &[Type::Number, Type::Number], Some(Type::Number)).by(arithmetic::plus).infix("+"),
    row("rand.intn", &[Type::String, Type::Number], Some(Type::Number))
        .by(random::intn)
        .depends(Dependence::Random)
        .nondeterministic(),
    row("rem", &[Type::Number, Type::Number], Some(Type::Number)).by(arithmetic::rem).infix("%"),
    row("round", &[Type::Number], Some(Type::Number)).by(arithmetic::round),
];
