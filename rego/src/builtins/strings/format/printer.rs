//! The directives of a format, one behind the other (Go: `fmt/print.go`, `doPrintf`).

use super::{Argument, Spec};
use crate::builtins::error::BuiltinError;
use crate::builtins::output::Output;

/// No number of a directive is larger than about this.
const LARGEST: usize = 1_000_000;

/// A format and its arguments, while it is printed.
pub(super) struct Printer<'f> {
    format: &'f str,
    at: usize,
    arguments: &'f [Argument<'f>],
    /// Which argument comes next.
    next: usize,
    /// An argument was chosen by its number somewhere.
    reordered: bool,
    /// The number that chose this directive's argument is right.
    good: bool,
    /// A number was read right before.
    after_index: bool,
}

impl<'f> Printer<'f> {
    pub(super) fn new(format: &'f str, arguments: &'f [Argument<'f>]) -> Self {
        Self { format, at: 0, arguments, next: 0, reordered: false, good: true, after_index: false }
    }

    pub(super) fn print(mut self, out: &mut Output<'_>) -> Result<(), BuiltinError> {
        while let Some(rest) = self.format.get(self.at..).filter(|rest| !rest.is_empty()) {
            let plain = rest.find('%').unwrap_or(rest.len());
            out.push(rest.get(..plain).unwrap_or_default())?;
            self.at = self.at.saturating_add(plain);
            if self.eat(b'%') {
                self.directive(out)?;
            }
        }
        self.extra(out)
    }

    fn peek(&self) -> Option<u8> {
        self.format.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at = self.at.saturating_add(usize::from(found));
        found
    }

    fn directive(&mut self, out: &mut Output<'_>) -> Result<(), BuiltinError> {
        let mut spec = Spec::default();
        (self.good, self.after_index) = (true, false);
        while self.peek().is_some_and(|byte| spec.flag(byte)) {
            self.at = self.at.saturating_add(1);
        }
        self.index();
        self.width(&mut spec, out)?;
        // At the very end a point is the verb.
        if self.at.saturating_add(1) < self.format.len() && self.eat(b'.') {
            self.precision(&mut spec, out)?;
        }
        if !self.after_index {
            self.index();
        }
        let Some(verb) = self.format.get(self.at..).and_then(|rest| rest.chars().next()) else {
            return Ok(out.push("%!(NOVERB)")?);
        };
        self.at = self.at.saturating_add(verb.len_utf8());
        self.verb(verb, spec, out)
    }

    fn verb(&mut self, verb: char, spec: Spec, out: &mut Output<'_>) -> Result<(), BuiltinError> {
        let argument = match verb {
            '%' => return Ok(out.push("%")?),
            _ if !self.good => return Ok(out.push(&format!("%!{verb}(BADINDEX)"))?),
            _ => self.arguments.get(self.next),
        };
        let Some(argument) = argument else { return Ok(out.push(&format!("%!{verb}(MISSING)"))?) };
        self.next = self.next.saturating_add(1);
        argument.write(verb, &if verb == 'v' { spec.of_v() } else { spec }, out)
    }

    fn width(&mut self, spec: &mut Spec, out: &mut Output<'_>) -> Result<(), BuiltinError> {
        if !self.eat(b'*') {
            spec.width = self.number();
            self.good &= !(self.after_index && spec.width.is_some());
            return Ok(());
        }
        let width = self.number_of_argument();
        if width.is_none() {
            out.push("%!(BADWIDTH)")?;
        }
        if width.is_some_and(i64::is_negative) {
            (spec.minus, spec.zero) = (true, false);
        }
        spec.width = width.and_then(|width| usize::try_from(width.unsigned_abs()).ok());
        self.after_index = false;
        Ok(())
    }

    fn precision(&mut self, spec: &mut Spec, out: &mut Output<'_>) -> Result<(), BuiltinError> {
        self.good &= !self.after_index;
        self.index();
        if !self.eat(b'*') {
            spec.precision = Some(self.number().unwrap_or(0));
            return Ok(());
        }
        spec.precision = self.number_of_argument().and_then(|precision| usize::try_from(precision).ok());
        if spec.precision.is_none() {
            out.push("%!(BADPREC)")?;
        }
        self.after_index = false;
        Ok(())
    }

    /// The number that the next argument is, for `*`.
    fn number_of_argument(&mut self) -> Option<i64> {
        let argument = self.arguments.get(self.next)?;
        self.next = self.next.saturating_add(1);
        let argument = if let Argument::Named(inner, _) = argument { inner } else { argument };
        match argument {
            Argument::Integer(number) if number.unsigned_abs() <= LARGEST as u64 => Some(*number),
            _ => None,
        }
    }

    /// Digits; when they are far too many, all that is left is none.
    fn number(&mut self) -> Option<usize> {
        let mut number = None;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            if number.is_some_and(|number| number > LARGEST) {
                self.at = self.format.len();
                return None;
            }
            number = Some(number.unwrap_or(0_usize).saturating_mul(10).saturating_add(usize::from(digit.wrapping_sub(b'0'))));
            self.at = self.at.saturating_add(1);
        }
        number
    }

    /// `[3]`: which argument is the next.
    fn index(&mut self) {
        self.after_index = false;
        let rest = self.format.get(self.at..).unwrap_or_default();
        let Some(behind) = rest.strip_prefix('[') else { return };
        self.reordered = true;
        let Some((digits, _)) = behind.split_once(']').filter(|_| rest.len() >= 3) else {
            self.at = self.at.saturating_add(1);
            self.good = false;
            return;
        };
        self.at = self.at.saturating_add(digits.len()).saturating_add(2);
        let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<usize>().ok()).flatten();
        self.after_index = number.is_some_and(|number| number <= 10 * LARGEST + 9);
        match number.and_then(|number| number.checked_sub(1)).filter(|number| *number < self.arguments.len()) {
            Some(number) => self.next = number,
            None => self.good = false,
        }
    }

    /// Arguments that no directive took.
    fn extra(&self, out: &mut Output<'_>) -> Result<(), BuiltinError> {
        let extra = self.arguments.get(self.next..).unwrap_or_default();
        if self.reordered || extra.is_empty() {
            return Ok(());
        }
        out.push("%!(EXTRA ")?;
        for (at, argument) in extra.iter().enumerate() {
            out.push(if at > 0 { ", " } else { "" })?;
            if matches!(argument, Argument::Nil) {
                out.push("<nil>")?;
                continue;
            }
            out.push(argument.type_name())?;
            out.push("=")?;
            argument.write('v', &Spec::default(), out)?;
        }
        Ok(out.push(")")?)
    }
}
