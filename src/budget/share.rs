//! A share of the budget, and what is taken from it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::BudgetError;

/// A charge that has grown beyond this counts as a large one.
const SMALL: u64 = 128 << 10;

/// So many bytes.
#[derive(Clone, Debug)]
pub struct Share {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    capacity: u64,
    /// Of it, by large charges.
    for_large: u64,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: u64,
    large: u64,
}

/// Bytes that are taken, until this is dropped.
#[derive(Debug)]
pub struct Charge {
    share: Share,
    bytes: u64,
    promised: Option<Arc<AtomicU64>>,
}

impl Share {
    /// Of so many bytes.
    pub fn new(capacity: u64) -> Self {
        Self::of(capacity, capacity)
    }

    /// Of so many bytes, and large charges take three quarters together: whoever holds many of them keeps no small one out.
    pub fn with_room_for_small(capacity: u64) -> Self {
        Self::of(capacity, capacity - capacity / 4)
    }

    fn of(capacity: u64, for_large: u64) -> Self {
        Self { inner: Arc::new(Inner { capacity, for_large, taken: Mutex::default() }) }
    }

    /// All of it.
    pub fn capacity(&self) -> u64 {
        self.inner.capacity
    }

    /// Nothing yet.
    pub fn open(&self) -> Charge {
        Charge { share: self.clone(), bytes: 0, promised: None }
    }

    /// So many bytes at once.
    pub fn charge(&self, bytes: u64) -> Result<Charge, BudgetError> {
        let mut charge = self.open();
        charge.grow(bytes)?;
        Ok(charge)
    }

    fn grow(&self, from: u64, to: u64) -> Result<(), BudgetError> {
        let (capacity, for_large) = (self.inner.capacity, self.inner.for_large);
        let limit = if to > SMALL { for_large } else { capacity };
        if to > limit {
            return Err(BudgetError::TooLarge { cost: to, limit });
        }
        let mut taken = self.inner.taken.lock();
        let (all, large) = (taken.all.saturating_sub(from).saturating_add(to), taken.large.saturating_sub(large(from)));
        let large = large.saturating_add(if to > SMALL { to } else { 0 });
        if all > capacity || large > for_large {
            return Err(BudgetError::Full);
        }
        *taken = Taken { all, large };
        Ok(())
    }

    fn give_back(&self, bytes: u64) {
        let mut taken = self.inner.taken.lock();
        taken.all = taken.all.saturating_sub(bytes);
        taken.large = taken.large.saturating_sub(large(bytes));
    }
}

/// Returns the part of a charge that counts as large, in bytes.
fn large(bytes: u64) -> u64 {
    if bytes > SMALL { bytes } else { 0 }
}

impl Charge {
    /// Takes more; of what is refused nothing is taken.
    pub fn grow(&mut self, more: u64) -> Result<(), BudgetError> {
        let to = self.bytes.saturating_add(more);
        self.share.grow(self.bytes, to)?;
        self.bytes = to;
        Ok(())
    }

    /// Returns the bytes that are taken.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Counted there too, until it is dropped: it is not in memory yet.
    pub(super) fn promise(mut self, promised: &Arc<AtomicU64>) -> Self {
        promised.fetch_add(self.bytes, Ordering::Relaxed);
        self.promised = Some(Arc::clone(promised));
        self
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.share.give_back(self.bytes);
        if let Some(promised) = &self.promised {
            promised.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charge_grows_and_is_given_back() {
        let share = Share::with_room_for_small(1 << 20);
        let mut charge = share.open();
        charge.grow(700 << 10).unwrap();
        assert_eq!(charge.grow(100 << 10).unwrap_err(), BudgetError::TooLarge { cost: 800 << 10, limit: 768 << 10 });
        assert_eq!(charge.bytes(), 700 << 10);
        assert_eq!(share.charge(200 << 10).unwrap_err(), BudgetError::Full);
        drop(charge);
        assert!(share.charge(700 << 10).is_ok());
    }

    #[test]
    fn large_charges_leave_room_for_small_ones() {
        let share = Share::with_room_for_small(1 << 20);
        let large: Vec<_> = std::iter::from_fn(|| share.charge(129 << 10).ok()).collect();
        assert_eq!(large.len(), 5);
        let small: Vec<_> = std::iter::from_fn(|| share.charge(10 << 10).ok()).collect();
        assert_eq!(small.len(), 37);
        let mut growing = share.open();
        drop(small);
        growing.grow(128 << 10).unwrap();
        assert_eq!(growing.grow(1 << 10).unwrap_err(), BudgetError::Full, "a small one that becomes large");
    }
}
