//! Members of an object that is being made, by key: comparisons and hashes are paid by an account, for equal keys may be larger than
//! anybody could compare.

use std::cmp::Ordering;

use hashbrown::HashTable;

use crate::limits::{Account, Halt};
use crate::value::{ObjectBuilder, Value};

/// Members in the order in which they came.
pub(super) struct Keyed<T> {
    members: Vec<(Value, T)>,
    /// Where each is, by the hash of its key; there is none while keys come in their order, as they nearly always do.
    index: Option<HashTable<usize>>,
}

impl<T> Default for Keyed<T> {
    fn default() -> Self {
        Self { members: Vec::new(), index: None }
    }
}

impl<T> Keyed<T> {
    /// Returns the member of a key; a new one, if there was none.
    pub(super) fn entry(&mut self, key: &Value, new: impl FnOnce() -> T, account: &mut Account) -> Result<Option<&mut T>, Halt> {
        let at = match self.find(key, account)? {
            Some(at) => at,
            None => self.add(key, new(), account)?,
        };
        Ok(self.members.get_mut(at).map(|(_, member)| member))
    }

    fn find(&mut self, key: &Value, account: &mut Account) -> Result<Option<usize>, Halt> {
        if self.index.is_none() {
            let Some((last, _)) = self.members.last() else { return Ok(None) };
            match last.compare_within(key, account)? {
                Ordering::Less => return Ok(None),
                Ordering::Equal => return Ok(self.members.len().checked_sub(1)),
                Ordering::Greater => self.order(account)?,
            }
        }
        let hash = key.hash_within(account)?;
        let (Some(index), members) = (&self.index, &self.members) else { return Ok(None) };
        let mut stop = None;
        let is = |at: &usize| match members.get(*at).map(|(present, _)| present.equal_within(key, account)) {
            Some(Ok(equal)) => equal,
            Some(Err(halt)) => {
                stop = Some(halt);
                true
            }
            None => false,
        };
        let found = index.find(hash, is).copied();
        stop.map_or(Ok(found), Err)
    }

    /// Makes the index.
    fn order(&mut self, account: &mut Account) -> Result<(), Halt> {
        let mut index = HashTable::with_capacity(self.members.len());
        for (at, (key, _)) in self.members.iter().enumerate() {
            index.insert_unique(key.hash_within(account)?, at, |_| 0);
        }
        self.index = Some(index);
        Ok(())
    }

    fn add(&mut self, key: &Value, member: T, account: &mut Account) -> Result<usize, Halt> {
        let (at, members) = (self.members.len(), &self.members);
        if let Some(index) = &mut self.index {
            let hash = |at: &usize| members.get(*at).map_or(0, |(key, _)| key.hash64());
            index.insert_unique(key.hash_within(account)?, at, hash);
        }
        self.members.push((key.clone(), member));
        Ok(at)
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(Value, T)> {
        self.members.iter()
    }

    /// The object of what becomes of each.
    pub(super) fn finish(
        self,
        account: &mut Account,
        mut value: impl FnMut(T, &mut Account) -> Result<Value, Halt>,
    ) -> Result<Value, Halt> {
        let is_sorted = self.index.is_none();
        let mut members = Vec::with_capacity(self.members.len());
        for (key, member) in self.members {
            members.push((key, value(member, account)?));
        }
        let builder = ObjectBuilder::of(members);
        if is_sorted { Ok(builder.finish()) } else { builder.finish_within(account) }
    }
}
