//! `sprintf` and `format_int` (`v1/topdown/strings.go`). `sprintf` formats as Go's `fmt` does: a verb that does not fit its operand, a
//! missing and a superfluous operand are written into the text.

mod big;
mod float;
mod integer;
mod printer;

mod spec;
mod text;

use std::borrow::Cow;

use num_bigint::{BigInt, Sign};
use smallvec::SmallVec;

use crate::builtins::error::{Answer, BuiltinError};
use crate::builtins::numbers::pay;
use crate::builtins::output::Output;
use crate::builtins::{Context, operand};
use crate::value::Value;

use printer::Printer;
use spec::Spec;

/// The operand that a directive formats. Text is borrowed, not copied.
#[derive(Clone, Debug)]
pub(super) enum Argument<'v> {
    Integer(i64),
    /// An integer beyond 64 bits.
    Big(BigInt),
    Float(f64),
    Text(Cow<'v, str>),
    /// Only in templates: one of these with a type of another name.
    Named(Box<Self>, &'static str),
    /// Only in templates.
    Bool(bool),
    /// Only in templates: no value.
    Nil,
}

/// A format with its arguments.
pub(super) fn print(format: &str, arguments: &[Argument<'_>], out: &mut Output<'_>) -> Result<(), BuiltinError> {
    Printer::new(format, arguments).print(out)
}

pub(super) fn sprintf(context: &mut Context, operands: &[&Value]) -> Answer {
    let (format, values) = (operand::string(operands, 0)?, operand::array(operands, 1)?);
    context.account.charge(values.len().saturating_mul(size_of::<Argument<'_>>()))?;
    let mut arguments = SmallVec::<[Argument<'_>; 4]>::with_capacity(values.len());
    for value in values {
        arguments.push(Argument::of(context, value)?);
    }
    let mut out = Output::new(&mut context.account);
    print(format, &arguments, &mut out)?;
    Ok(Some(out.finish().into()))
}

impl<'v> Argument<'v> {
    /// Numbers and strings stay what they are; all else is its text.
    fn of(context: &mut Context, value: &'v Value) -> Result<Self, BuiltinError> {
        match value {
            Value::Int(integer) => Ok(Self::Integer(*integer)),
            Value::Number(number) => {
                pay(context, [value])?;
                Ok(Self::number(number.text()))
            }
            Value::String(text) => Ok(Self::Text(Cow::Borrowed(text))),
            other => {
                let mut out = Output::new(&mut context.account);
                out.display(other)?;
                Ok(Self::Text(Cow::Owned(out.finish())))
            }
        }
    }

    /// A number by how it is written: with a point or an exponent it is a float.
    fn number(text: &'v str) -> Self {
        let verbatim = || Self::Text(Cow::Borrowed(text));
        if text.contains(['.', 'e', 'E']) {
            return match text.parse::<f64>() {
                Ok(float) if float.is_finite() => Self::Float(float),
                _ => verbatim(),
            };
        }
        text.parse().map_or_else(|_| text.parse().map_or_else(|_| verbatim(), Self::Big), Self::Integer)
    }

    /// The name of its type in Go.
    fn type_name(&self) -> &'static str {
        match self {
            Self::Integer(_) => "int64",
            Self::Big(_) => "*big.Int",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
            Self::Named(_, name) => name,
            Self::Bool(_) => "bool",
            Self::Nil => "<nil>",
        }
    }

    fn write(&self, verb: char, spec: &Spec, out: &mut Output<'_>) -> Result<(), BuiltinError> {
        if verb == 'T' {
            return text::truncated(self.type_name(), spec, out);
        }
        if self.fits(verb, spec, out)? { Ok(()) } else { self.wrong(verb, spec, out) }
    }

    /// Writes it if the verb is one of its type.
    fn fits(&self, verb: char, spec: &Spec, out: &mut Output<'_>) -> Result<bool, BuiltinError> {
        Ok(match self {
            Self::Integer(integer) => integer::write(*integer, verb, spec, out)?,
            Self::Big(integer) => big::write(integer, verb, spec, out)?,
            Self::Float(float) => float::write(*float, verb, spec, out)?,
            Self::Text(text) => text::write(text, verb, spec, out)?,
            Self::Named(value, _) => value.fits(verb, spec, out)?,
            Self::Bool(_) | Self::Nil if !matches!(verb, 'v' | 't') => false,
            Self::Bool(truth) => text::write(if *truth { "true" } else { "false" }, 'v', spec, out)?,
            Self::Nil if verb == 't' => false,
            Self::Nil => text::write("<nil>", 'v', spec, out)?,
        })
    }

    /// `%!d(string=hi)`: the verb is none of the argument's.
    fn wrong(&self, verb: char, spec: &Spec, out: &mut Output<'_>) -> Result<(), BuiltinError> {
        out.push(&format!("%!{verb}("))?;
        if matches!(self, Self::Nil) {
            return Ok(out.push("<nil>)")?);
        }
        // `%w` is for errors, and shows what a pointer points to.
        let name = if verb == 'w' { self.type_name() } else { self.type_name().trim_start_matches('*') };
        out.push(name)?;
        out.push("=")?;
        match self {
            Self::Big(integer) if verb == 'w' => {
                let (negative, words) = (integer.sign() == Sign::Minus, integer.magnitude().to_u64_digits());
                let words: Vec<String> = words.iter().map(u64::to_string).collect();
                out.push(&format!("&{{{negative} [{}]}}", words.join(" ")))?;
            }
            Self::Big(integer) => out.push(&integer.to_string())?,
            other => other.write('v', spec, out)?,
        }
        Ok(out.push(")")?)
    }
}

/// An integer in base 2, 8, 10 or 16; what is behind the point is left out.
pub(super) fn format_int(context: &mut Context, operands: &[&Value]) -> Answer {
    let (number, base) = (operand::at(operands, 0)?, operand::at(operands, 1)?);
    for (index, operand) in [number, base].into_iter().enumerate() {
        if !operand.is_number() {
            return Err(operand::wrong(index, operand, &["number"]));
        }
    }
    // As it is written: OPA takes no `2.0`.
    let radix = match base {
        Value::Int(base @ (2 | 8 | 10 | 16)) => u32::try_from(*base).unwrap_or(10),
        _ => return Err(operand::invalid(1, "must be one of {2, 8, 10, 16}")),
    };
    pay(context, [number])?;
    let whole = integer::whole(number)?;
    context.account.charge(usize::try_from(whole.bits()).unwrap_or(usize::MAX))?;
    Ok(Some(whole.to_str_radix(radix).into()))
}
