//! Flags, width and precision of a directive (Go: `fmt/format.go`).

use crate::builtins::output::Output;
use crate::limits::Halt;

/// `%-+# 0`, width, precision.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spec {
    pub(super) sharp: bool,
    /// `%#v`.
    pub(super) sharp_v: bool,
    pub(super) zero: bool,
    pub(super) plus: bool,
    /// `%+v`.
    pub(super) plus_v: bool,
    pub(super) minus: bool,
    pub(super) space: bool,
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
}

impl Spec {
    /// Sets a flag; whether the character is one.
    pub(super) fn flag(&mut self, flag: u8) -> bool {
        match flag {
            b'#' => self.sharp = true,
            b'0' => self.zero = true,
            b'+' => self.plus = true,
            b'-' => self.minus = true,
            b' ' => self.space = true,
            _ => return false,
        }
        true
    }

    /// For `%v`, `#` and `+` mean something of their own.
    #[must_use]
    pub(super) fn of_v(self) -> Self {
        Self { sharp_v: self.sharp, sharp: false, plus_v: self.plus, plus: false, ..self }
    }

    /// The same without leading zeros.
    #[must_use]
    pub(super) fn blank(self) -> Self {
        Self { zero: false, ..self }
    }

    /// What stands before a number.
    pub(super) fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, _, _) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            _ => "",
        }
    }

    /// Writes text, padded to the width.
    pub(super) fn pad(&self, text: &str, out: &mut Output<'_>) -> Result<(), Halt> {
        match self.width {
            None => out.push(text),
            Some(_) => self.padded(text.chars().count(), out, |out| out.push(text)),
        }
    }

    /// Writes something of so many characters, padded to the width.
    pub(super) fn padded(
        &self,
        characters: usize,
        out: &mut Output<'_>,
        write: impl FnOnce(&mut Output<'_>) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let missing = self.width.unwrap_or(0).saturating_sub(characters);
        let (before, after) = if self.minus { (0, missing) } else { (missing, 0) };
        out.repeat(self.padding(), before)?;
        write(out)?;
        out.repeat(self.padding(), after)
    }

    /// What is padded with.
    pub(super) fn padding(&self) -> char {
        if self.zero && !self.minus { '0' } else { ' ' }
    }
}
