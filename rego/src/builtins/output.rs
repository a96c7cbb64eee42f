//! Text that a builtin makes: every piece is charged before it is written.

use std::fmt;

use crate::limits::{Account, Halt};

/// Text that grows on an account.
#[derive(Debug)]
pub(super) struct Output<'a> {
    text: String,
    account: &'a mut Account,
    halt: Option<Halt>,
}

impl<'a> Output<'a> {
    /// Nothing yet.
    pub(super) fn new(account: &'a mut Account) -> Self {
        Self { text: String::new(), account, halt: None }
    }

    /// Appends text.
    pub(super) fn push(&mut self, text: &str) -> Result<(), Halt> {
        self.account.charge(text.len())?;
        self.text.push_str(text);
        Ok(())
    }

    /// Appends one character so many times.
    pub(super) fn repeat(&mut self, c: char, count: usize) -> Result<(), Halt> {
        self.account.charge(count.saturating_mul(c.len_utf8()))?;
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
