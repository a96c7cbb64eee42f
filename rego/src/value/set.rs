//! Sets: sorted as OPA sorts, no two equal.

use std::cmp::Ordering;
use std::ops::Deref;

use super::index::Index;
use super::many::Many;
use super::meter::{Free, Meter};
use super::{Value, sort};

/// Members in OPA's order.
pub struct Set {
    pub(super) members: Many,
    index: Index,
}

impl Set {
    /// A set of these; of equal ones the first stays.
    pub fn new(members: Vec<Value>) -> Self {
        let Ok(set) = Self::new_within(members, &mut Free);
        set
    }

    /// The same, with comparisons paid by an account.
    pub fn new_within<M: Meter>(mut members: Vec<Value>, meter: &mut M) -> Result<Self, M::Stop> {
        if !sort::is_strictly_sorted(&members, meter)? {
            let lead = sort::sort(&mut members, meter)?;
            sort::dedup(&mut members, &lead, meter)?;
        }
        Ok(Self::of_sorted(members))
    }

    /// Of members that are in order, no two equal.
    fn of_sorted(members: Vec<Value>) -> Self {
        Self { members: Many::of(members), index: Index::default() }
    }

    /// All of them, in order.
    pub fn members(&self) -> &[Value] {
        self.members.items()
    }

    /// The member that is equal.
    pub fn get(&self, member: &Value) -> Option<&Value> {
        self.members().get(self.index.position(self.members(), member)?)
    }

    /// The same, paid by an account where the member is large.
    pub fn get_within<M: Meter>(&self, member: &Value, meter: &mut M) -> Result<Option<&Value>, M::Stop> {
        Ok(self.index.position_within(self.members(), member, meter)?.and_then(|at| self.members().get(at)))
    }

    /// Whether it has an equal member.
    pub fn contains(&self, member: &Value) -> bool {
        self.get(member).is_some()
    }

    /// The members of both; of equal ones those of `self`.
    pub fn union<M: Meter>(&self, other: &Self, meter: &mut M) -> Result<Self, M::Stop> {
        let mut members = Vec::with_capacity(self.len().saturating_add(other.len()));
        let (mut mine, mut theirs) = (self.members().iter().peekable(), other.members().iter().peekable());
        while let (Some(a), Some(b)) = (mine.peek(), theirs.peek()) {
            match a.compare_within(b, meter)? {
                Ordering::Less => members.extend(mine.next().cloned()),
                Ordering::Greater => members.extend(theirs.next().cloned()),
                Ordering::Equal => {
                    members.extend(mine.next().cloned());
                    theirs.next();
                }
            }
        }
        members.extend(mine.chain(theirs).cloned());
        Ok(Self::of_sorted(members))
    }

    /// The members of one that the other has too: those of the smaller set, of `self` if both have as many
    /// (`v1/ast/term.go`, `set.Intersect`).
    pub fn intersection<M: Meter>(&self, other: &Self, meter: &mut M) -> Result<Self, M::Stop> {
        let (few, many) = if other.len() < self.len() { (other, self) } else { (self, other) };
        few.filtered(many, true, meter)
    }

    /// The members that the other has not.
    pub fn difference<M: Meter>(&self, other: &Self, meter: &mut M) -> Result<Self, M::Stop> {
        self.filtered(other, false, meter)
    }

    fn filtered<M: Meter>(&self, other: &Self, wanted: bool, meter: &mut M) -> Result<Self, M::Stop> {
        let mut members = Vec::with_capacity(if wanted { self.len() } else { 0 });
        for member in self.members() {
            meter.step(1)?;
            if other.get_within(member, meter)?.is_some() == wanted {
                members.push(member.clone());
            }
        }
        Ok(Self::of_sorted(members))
    }
}

impl Deref for Set {
    type Target = Many;

    fn deref(&self) -> &Many {
        &self.members
    }
}
