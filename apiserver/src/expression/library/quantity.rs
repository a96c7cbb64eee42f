//! Quantities such as `500m` and `1Gi`. Source: `apiserver` `pkg/cel/library/quantity.go`.

use cel::common::types::{CelBool, CelDouble, CelInt, CelString, Type};
use cel::{DeclarationError, Env, ExecutionError};

use super::failed;
use super::opaque::{Held, Opaque, kind};
use crate::quantity::{Int64Amount, MALFORMED, parse_text};

/// Billionths of one.
const NANOS: i128 = 1_000_000_000;

/// An amount, exact; and the form in which upstream keeps it, if that is the one for small amounts.
#[derive(Clone, Copy, Debug)]
struct Quantity {
    nanos: i128,
    small: Option<Int64Amount>,
}

impl Opaque for Quantity {
    const KIND: &'static Type = &kind("kubernetes.Quantity");
}

/// Equal are equal amounts, whatever their form.
impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

pub(super) fn register(env: &mut Env) -> Result<(), DeclarationError> {
    cel::add_overload!(env, fn quantity: (CelString) -> Result<Held<Quantity>>)?;
    cel::add_overload!(env, fn is_quantity: (CelString) -> CelBool)?;
    cel::add_overload!(env, fn sign: (Held<Quantity>) -> CelInt)?;
    cel::add_member_overload!(env, fn is_greater_than: (Held<Quantity>, Held<Quantity>) -> CelBool)?;
    cel::add_member_overload!(env, fn is_less_than: (Held<Quantity>, Held<Quantity>) -> CelBool)?;
    cel::add_member_overload!(env, fn compare_to: (Held<Quantity>, Held<Quantity>) -> CelInt)?;
    cel::add_member_overload!(env, fn as_approximate_float: (Held<Quantity>) -> CelDouble)?;
    cel::add_member_overload!(env, fn as_integer: (Held<Quantity>) -> Result<CelInt>)?;
    cel::add_member_overload!(env, fn is_integer: (Held<Quantity>) -> CelBool)?;
    cel::add_member_overload!(env, fn add: (Held<Quantity>, Held<Quantity>) -> Result<Held<Quantity>>)?;
    cel::add_member_overload!(env, fn add_int: (Held<Quantity>, CelInt) -> Result<Held<Quantity>>, name = "add")?;
    cel::add_member_overload!(env, fn sub: (Held<Quantity>, Held<Quantity>) -> Result<Held<Quantity>>)?;
    cel::add_member_overload!(env, fn sub_int: (Held<Quantity>, CelInt) -> Result<Held<Quantity>>, name = "sub")
}

impl Quantity {
    fn parse(text: &str) -> Option<Self> {
        Some(Self { nanos: parse_text(text)?.nanos, small: Int64Amount::parse(text) })
    }

    fn whole(value: i64) -> Self {
        Self { nanos: i128::from(value) * NANOS, small: Some(Int64Amount { value, scale: 0 }) }
    }

    fn plus(self, other: Self) -> Option<Self> {
        let small = self.small.zip(other.small).and_then(|(one, other)| one.checked_add(other));
        Some(Self { nanos: self.nanos.checked_add(other.nanos)?, small })
    }

    fn negated(self) -> Option<Self> {
        Some(Self { nanos: self.nanos.checked_neg()?, small: self.small.and_then(Int64Amount::checked_neg) })
    }

    fn as_int64(self) -> Option<i64> {
        self.small.and_then(Int64Amount::as_int64)
    }
}

fn quantity(text: &CelString<'_>) -> Result<Held<Quantity>, ExecutionError> {
    Quantity::parse(text.inner()).map(Held).ok_or_else(|| failed("quantity", MALFORMED))
}

fn is_quantity(text: &CelString<'_>) -> CelBool {
    Quantity::parse(text.inner()).is_some().into()
}

fn sign(quantity: &Held<Quantity>) -> CelInt {
    i64::from(quantity.0.nanos.signum() as i8).into()
}

fn is_greater_than(one: &Held<Quantity>, other: &Held<Quantity>) -> CelBool {
    (one.0.nanos > other.0.nanos).into()
}

fn is_less_than(one: &Held<Quantity>, other: &Held<Quantity>) -> CelBool {
    (one.0.nanos < other.0.nanos).into()
}

fn compare_to(one: &Held<Quantity>, other: &Held<Quantity>) -> CelInt {
    CelInt::from(one.0.nanos.cmp(&other.0.nanos) as i64)
}

fn as_approximate_float(quantity: &Held<Quantity>) -> CelDouble {
    let Quantity { nanos, small } = quantity.0;
    match small {
        Some(Int64Amount { value, scale }) => (value as f64 * 10f64.powi(scale)).into(),
        None => (nanos as f64 / NANOS as f64).into(),
    }
}

fn as_integer(quantity: &Held<Quantity>) -> Result<CelInt, ExecutionError> {
    quantity.0.as_int64().map(CelInt::from).ok_or_else(|| failed("asInteger", "cannot convert value to integer"))
}

fn is_integer(quantity: &Held<Quantity>) -> CelBool {
    quantity.0.as_int64().is_some().into()
}

fn add(one: &Held<Quantity>, other: &Held<Quantity>) -> Result<Held<Quantity>, ExecutionError> {
    sum("add", one.0, Some(other.0))
}

fn add_int(one: &Held<Quantity>, other: &CelInt) -> Result<Held<Quantity>, ExecutionError> {
    sum("add", one.0, Some(Quantity::whole(*other.inner())))
}

fn sub(one: &Held<Quantity>, other: &Held<Quantity>) -> Result<Held<Quantity>, ExecutionError> {
    sum("sub", one.0, other.0.negated())
}

fn sub_int(one: &Held<Quantity>, other: &CelInt) -> Result<Held<Quantity>, ExecutionError> {
    sum("sub", one.0, Quantity::whole(*other.inner()).negated())
}

fn sum(function: &str, one: Quantity, other: Option<Quantity>) -> Result<Held<Quantity>, ExecutionError> {
    let sum = other.and_then(|other| one.plus(other)).map(Held);
    sum.ok_or_else(|| failed(function, "the quantity is larger than can be kept here"))
}
