//! Sets: sorted as OPA sorts, no two equal.

use super::Value;

/// Members in OPA's order.
#[derive(Debug)]
pub struct Set {
    members: Box<[Value]>,
    depth: u32,
}

impl Set {
    /// A set of these; of equal ones the first stays.
    pub fn new(mut members: Vec<Value>) -> Self {
        members.sort();
        members.dedup();
        let depth = members.iter().map(Value::depth).max().unwrap_or(0).saturating_add(1);
        Self { members: members.into(), depth }
    }

    /// All of them, in order.
    pub fn members(&self) -> &[Value] {
        &self.members
    }

    /// The member that is equal.
    pub fn get(&self, member: &Value) -> Option<&Value> {
        let at = self.members.binary_search(member).ok()?;
        self.members.get(at)
    }

    /// Whether it has an equal member.
    pub fn contains(&self, member: &Value) -> bool {
        self.get(member).is_some()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// See [`Value::depth`].
    pub fn depth(&self) -> u32 {
        self.depth
    }
}
