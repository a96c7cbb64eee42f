//! `sprintf` (OPA: `v1/topdown/strings.go`), which formats as Go's `fmt` does: a verb that does not fit its operand, a missing
//! and a superfluous operand are written into the text. The call has an answer all the same, and so has the rule around it.

use std::iter::Peekable;
use std::str::Chars;

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, operand, steps};

mod text;
mod verbs;

use verbs::{Argument, Spec};

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "internal.template_string", operands: 1, call: template },
    Builtin { name: "sprintf", operands: 2, call: sprintf },
];

/// Bytes that one call may make.
const BYTES: usize = 16 << 20;
/// Columns that a directive may pad to.
const WIDTH: usize = 65_536;

fn sprintf(values: &[Value]) -> Result<Value, BuiltinError> {
    let format = operand::string(values, 1)?;
    let mut left = BYTES;
    let arguments = operand::array(values, 2)?.map(|value| argument(value, &mut left)).collect::<Result<Vec<_>, _>>()?;
    let mut printer = Printer { rest: format.chars().peekable(), arguments: &arguments, next: 0, out: String::new() };
    printer.print()?;
    Ok(printer.out.into())
}

/// What template strings become: their parts, one behind the other.
fn template(values: &[Value]) -> Result<Value, BuiltinError> {
    let mut written = String::new();
    for part in operand::array(values, 1)? {
        match part {
            Value::String(text) => written.push_str(text),
            other => written.push_str(&text::of(other, BYTES)?),
        }
        if written.len() > BYTES {
            return Err(too_much());
        }
    }
    Ok(written.into())
}

/// Numbers and strings stay what they are; all else is its text. All together have so many bytes, also those that nothing shows.
fn argument(value: &Value, left: &mut usize) -> Result<Argument, BuiltinError> {
    let written = written(value, *left)?;
    let bytes = match &written {
        Argument::Text(text) | Argument::Big(text) => text.len(),
        Argument::Integer(_) | Argument::Float(_) => 0,
    };
    *left = left.checked_sub(bytes.saturating_add(1)).ok_or_else(too_much)?;
    steps::steps(bytes)?;
    Ok(written)
}

fn written(value: &Value, left: usize) -> Result<Argument, BuiltinError> {
    Ok(match value {
        Value::String(text) if text.len() > left => return Err(too_much()),
        Value::String(text) => Argument::Text(text.to_string()),
        Value::Number(number) => match (number.as_i64(), number.is_integer(), number.as_f64()) {
            (Some(integer), _, _) => Argument::Integer(integer),
            (None, false, Some(float)) => Argument::Float(float),
            // The text of the value would go through a float.
            _ => Argument::Big(number.format_decimal()),
        },
        other => Argument::Text(text::of(other, left)?),
    })
}

/// A float with as few digits as tell it from its neighbours: Go's `%g`.
pub(super) fn shortest(float: f64) -> String {
    let sign = if float < 0.0 { "-" } else { "" };
    format!("{sign}{}", verbs::general(float.abs(), None))
}

fn too_much() -> BuiltinError {
    BuiltinError::Limit(format!("would make more than {} MiB", BYTES >> 20))
}

struct Printer<'f> {
    rest: Peekable<Chars<'f>>,
    arguments: &'f [Argument],
    /// Which argument comes next.
    next: usize,
    out: String,
}

impl Printer<'_> {
    fn print(&mut self) -> Result<(), BuiltinError> {
        while let Some(c) = self.rest.next() {
            match c {
                '%' => self.directive()?,
                other => self.out.push(other),
            }
            if self.out.len() > BYTES {
                return Err(too_much());
            }
        }
        self.extra();
        Ok(())
    }

    fn directive(&mut self) -> Result<(), BuiltinError> {
        let mut spec = Spec::default();
        while let Some(flag) = self.rest.next_if(|c| "#0+- ".contains(*c)) {
            spec.flag(flag);
        }
        if self.rest.next_if_eq(&'*').is_some() {
            self.width_of_argument(&mut spec)?;
        } else {
            spec.width = self.number()?;
        }
        if self.rest.next_if_eq(&'.').is_some() {
            spec.precision = Some(match self.rest.next_if_eq(&'*') {
                Some(_) => return Err(BuiltinError::Limit("does not take a precision from an operand: write it".into())),
                None => self.number()?.unwrap_or(0),
            });
        }
        match self.rest.next() {
            None => self.out.push_str("%!(NOVERB)"),
            Some('%') => self.out.push('%'),
            Some('[') => return Err(BuiltinError::Limit("does not number its operands: write them in their order".into())),
            Some(verb) => self.verb(verb, spec)?,
        }
        Ok(())
    }

    fn verb(&mut self, verb: char, spec: Spec) -> Result<(), BuiltinError> {
        let Some(argument) = self.arguments.get(self.next) else {
            self.out.push_str(&format!("%!{verb}(MISSING)"));
            return Ok(());
        };
        self.next = self.next.saturating_add(1);
        let written = argument.write(verb, &spec).map_err(BuiltinError::Limit)?;
        self.out.push_str(&written);
        Ok(())
    }

    /// `%*d`: the width is the next argument.
    fn width_of_argument(&mut self, spec: &mut Spec) -> Result<(), BuiltinError> {
        match self.arguments.get(self.next) {
            Some(Argument::Integer(width)) if width.unsigned_abs() <= 1_000_000 => {
                if *width < 0 {
                    spec.flag('-');
                }
                spec.width = Some(bounded(usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX))?);
            }
            _ => self.out.push_str("%!(BADWIDTH)"),
        }
        self.next = self.next.saturating_add(1).min(self.arguments.len());
        Ok(())
    }

    fn number(&mut self) -> Result<Option<usize>, BuiltinError> {
        let mut number = None;
        while let Some(digit) = self.rest.peek().and_then(|c| c.to_digit(10)) {
            let value = number.unwrap_or(0_usize).saturating_mul(10).saturating_add(usize::try_from(digit).unwrap_or(0));
            number = Some(bounded(value)?);
            self.rest.next();
        }
        Ok(number)
    }

    /// Arguments that no directive took.
    fn extra(&mut self) {
        let extra = self.arguments.get(self.next..).unwrap_or_default();
        if extra.is_empty() {
            return;
        }
        let named: Vec<_> = extra.iter().map(Argument::named).collect();
        self.out.push_str(&format!("%!(EXTRA {})", named.join(", ")));
    }
}

fn bounded(width: usize) -> Result<usize, BuiltinError> {
    if width > WIDTH {
        return Err(BuiltinError::Limit(format!("would pad to more than {WIDTH} columns")));
    }
    Ok(width)
}
