//! Who pays for going through values that are large, or seem so because parts of them are shared.

use std::convert::Infallible;

use crate::limits::{Account, Halt};

/// Pays for work on values: an [`Account`], or [`Free`].
pub trait Meter {
    /// Why work ends early.
    type Stop: Into<Halt>;

    /// Takes steps: a value that is looked at, 64 bytes of text.
    fn step(&mut self, steps: u64) -> Result<(), Self::Stop>;

    /// Charges bytes that are about to be allocated.
    fn charge(&mut self, bytes: usize) -> Result<(), Self::Stop>;
}

/// Pays anything: for values whose size is known to be small.
#[derive(Clone, Copy, Debug, Default)]
pub struct Free;

impl Meter for Free {
    type Stop = Infallible;

    #[inline]
    fn step(&mut self, _: u64) -> Result<(), Infallible> {
        Ok(())
    }

    #[inline]
    fn charge(&mut self, _: usize) -> Result<(), Infallible> {
        Ok(())
    }
}

impl Meter for Account {
    type Stop = Halt;

    #[inline]
    fn step(&mut self, steps: u64) -> Result<(), Halt> {
        Self::step(self, steps)
    }

    #[inline]
    fn charge(&mut self, bytes: usize) -> Result<(), Halt> {
        Self::charge(self, bytes)
    }
}

impl From<Infallible> for Halt {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// So many bytes of text as steps.
pub(super) fn text_steps(bytes: usize) -> u64 {
    u64::try_from(bytes / 64).unwrap_or(u64::MAX)
}
