//! Text that a builtin makes: every piece is charged before it is written.

use std::fmt;

use crate::limits::{Account, Halt};
use crate::value::ArcStr;

/// Most texts that builtins make are no longer.
const USUAL: usize = 120;
/// Bytes of a step.
const STEP: usize = 64;

/// Text made of parts, charged before it is allocated, which it is once.
pub(super) fn joined<'p>(account: &mut Account, parts: impl Iterator<Item = &'p str> + Clone) -> Result<ArcStr, Halt> {
    let length = parts.clone().fold(0_usize, |length, part| length.saturating_add(part.len()));
    account.charge(length)?;
    if length == 0 {
        return Ok(ArcStr::new());
    }
    let made = ArcStr::init_with(length, |mut rest| {
        for part in parts {
            let Some((place, behind)) = rest.split_at_mut_checked(part.len()) else { break };
            place.copy_from_slice(part.as_bytes());
            rest = behind;
        }
    });
    Ok(made.unwrap_or_default())
}

/// Text that grows on an account.
#[derive(Debug)]
pub(super) struct Output<'a> {
    text: String,
    account: &'a mut Account,
    /// Bytes that are charged, and are no whole step yet.
    rest: usize,
    halt: Option<Halt>,
}

impl<'a> Output<'a> {
    /// Nothing yet.
    pub(super) fn new(account: &'a mut Account) -> Self {
        Self { text: String::new(), account, rest: 0, halt: None }
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
        let written = fmt::Write::write_fmt(self, format_args!("{shown}"));
        match self.halt.take() {
            Some(halt) if written.is_err() => Err(halt),
            _ => Ok(()),
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

impl fmt::Write for Output<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text).map_err(|halt| {
            self.halt = Some(halt);
            fmt::Error
        })
    }
}
