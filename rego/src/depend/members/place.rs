//! Where references lead.

use super::uses::{At, Interest, Start, Use};
use super::{Search, Seen};
use crate::ir::{GroupId, NodeId, Term};
use crate::value::Value;

/// Where a reference leads.
pub(super) struct Place {
    pub(super) root: Root,
    /// How many of its elements lead there.
    pub(super) passed: usize,
}

/// The kind of thing that a reference leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// Nothing that depends on the collection.
    Independent,
    /// The collection, or what is in it.
    Collection,
    /// The document of a rule, or a function.
    Group(GroupId),
    /// Packages, or what lies above the collection: the documents of all rules at and below a node, and perhaps the collection.
    Several { below: Option<NodeId>, collection: bool },
}

impl Place {
    /// Returns what is looked at of the document there.
    pub(super) fn seen(&self, elements: &[At<'_>], looked: Interest) -> Seen {
        match (elements.get(self.passed..).unwrap_or_default(), looked) {
            ([_], Interest::Truth) => Seen::Keys,
            _ => Seen::Whole,
        }
    }
}

impl<'p> Search<'p> {
    /// Returns where a reference leads.
    pub(super) fn place(&self, one: &Use<'p>) -> Place {
        let keys = one.elements.iter().map(constant);
        match one.head {
            Start::Group(id) => Place { root: Root::Group(id), passed: 0 },
            Start::Base => self.base(keys),
            Start::Data => self.walk(keys),
        }
    }

    /// From `data` on: where a key is a rule's, to that rule.
    pub(super) fn walk<'v>(&self, keys: impl Iterator<Item = Option<&'v Value>> + Clone) -> Place {
        let mut at = NodeId::ROOT;
        let mut known = Vec::new();
        for key in keys.clone() {
            let Some(key) = key else { break };
            let Some(child) = self.policy.node(at).and_then(|node| node.children.get(key)) else { return self.base(keys) };
            known.push(key);
            if let Some(group) = self.policy.node(*child).and_then(|node| node.group) {
                return Place { root: Root::Group(group), passed: known.len() };
            }
            at = *child;
        }
        // Above the collection, at it, or at what lies in it where there are packages, too.
        let collection = known.iter().zip(self.collection).all(|(a, b)| *a == b);
        Place { root: Root::Several { below: Some(at), collection }, passed: known.len() }
    }

    /// The same where no rules are.
    fn base<'v>(&self, mut keys: impl Iterator<Item = Option<&'v Value>>) -> Place {
        for name in self.collection {
            match keys.next() {
                Some(Some(key)) if key == name => {}
                Some(Some(_)) => return Place { root: Root::Independent, passed: 0 },
                Some(None) | None => {
                    let root = Root::Several { below: None, collection: true };
                    return Place { root, passed: 0 };
                }
            }
        }
        Place { root: Root::Collection, passed: self.collection.len() }
    }
}

fn constant<'p>(at: &At<'p>) -> Option<&'p Value> {
    match at {
        At::Key(Term::Constant(key)) => Some(key),
        _ => None,
    }
}
