//! Text that a builtin makes: what is long is charged before it is written.

use std::fmt;

use crate::limits::{Account, Halt};
use crate::value::Str;

/// Most texts that builtins make are no longer.
const USUAL: usize = 120;
/// Bytes of a step.
const STEP: usize = 64;
/// Pieces of what is displayed are charged when they are so many bytes together.
const UNPAID: usize = 1024;

/// Text made of parts with a separator between them, charged before it is allocated, which it is once.
pub(super) fn joined<'p>(
    account: &mut Account,
    separator: &str,
    parts: impl ExactSizeIterator<Item = &'p str> + Clone,
) -> Result<Str, Halt> {
    let between = separator.len().saturating_mul(parts.len().saturating_sub(1));
    let length = parts.clone().fold(between, |length, part| length.saturating_add(part.len()));
    filled(account, length, |write| {
        for (at, part) in parts.enumerate() {
            write(if at > 0 { separator } else { "" });
            write(part);
        }
    })
}

/// Returns text of `length` bytes that `fill` writes piece by piece. Fails, before anything is allocated, when the account cannot pay.
pub(super) fn filled(account: &mut Account, length: usize, fill: impl FnOnce(&mut dyn FnMut(&str))) -> Result<Str, Halt> {
    account.charge(length)?;
    let made = Str::written(length, |mut rest| {
        fill(&mut |piece| {
            let whole = std::mem::take(&mut rest);
            if let Some((place, behind)) = whole.split_at_mut_checked(piece.len()) {
                place.copy_from_slice(piece.as_bytes());
                rest = behind;
            }
        });
    });
    Ok(made.unwrap_or(Str::EMPTY))
}

/// Text that grows on an account.
#[derive(Debug)]
pub(super) struct Output<'a> {
    text: String,
    account: &'a mut Account,
    /// Bytes that are charged, and are no whole step yet.
    rest: usize,
}

impl<'a> Output<'a> {
    /// Nothing yet.
    pub(super) fn new(account: &'a mut Account) -> Self {
        Self { text: String::new(), account, rest: 0 }
    }

    /// Appends text.
    pub(super) fn push(&mut self, text: &str) -> Result<(), Halt> {
        self.pay(text.len())?;
        if self.text.capacity() == 0 && !text.is_empty() {
            self.text.reserve(text.len().max(USUAL));
        }
        self.text.push_str(text);
        Ok(())
    }

    /// Appends one character so many times.
    pub(super) fn repeat(&mut self, c: char, count: usize) -> Result<(), Halt> {
        self.pay(count.saturating_mul(c.len_utf8()))?;
        self.text.extend(std::iter::repeat_n(c, count));
        Ok(())
    }

    /// Appends what something displays as, however long that is: it ends where the account does.
    pub(super) fn display(&mut self, shown: &dyn fmt::Display) -> Result<(), Halt> {
        let mut pieces = Pieces { out: self, unpaid: 0, halt: None };
        let written = fmt::Write::write_fmt(&mut pieces, format_args!("{shown}"));
        let Pieces { unpaid, halt, .. } = pieces;
        match halt {
            Some(halt) if written.is_err() => Err(halt),
            _ => self.pay(unpaid),
        }
    }

    /// Charges what is about to be written. Pieces are mostly shorter than a step, and many of them are not.
    fn pay(&mut self, bytes: usize) -> Result<(), Halt> {
        self.account.charge(bytes)?;
        self.rest = self.rest.saturating_add(bytes % STEP);
        if self.rest >= STEP {
            self.rest %= STEP;
            self.account.step(1)?;
        }
        Ok(())
    }

    /// Whether nothing was written.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether one of these stands at the end.
    pub(super) fn ends_with(&self, ends: &[char]) -> bool {
        self.text.ends_with(ends)
    }

    /// All of it.
    pub(super) fn finish(self) -> String {
        self.text
    }

    /// What it is charged to.
    pub(super) fn account(&mut self) -> &mut Account {
        self.account
    }
}

/// Writes what something displays as into an output, and charges it. It comes in many pieces of a few bytes, which are charged together: at
/// most [`UNPAID`] bytes are written before they are paid for.
struct Pieces<'o, 'a> {
    out: &'o mut Output<'a>,
    /// Bytes that are written, and not charged yet.
    unpaid: usize,
    halt: Option<Halt>,
}

impl fmt::Write for Pieces<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.unpaid = self.unpaid.saturating_add(text.len());
        if self.unpaid >= UNPAID {
            let paid = self.out.pay(std::mem::take(&mut self.unpaid));
            paid.map_err(|halt| {
                self.halt = Some(halt);
                fmt::Error
            })?;
        }
        self.out.text.push_str(text);
        Ok(())
    }
}
