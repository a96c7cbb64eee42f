//! What a policy reads: which parts of `input` and of base documents its answers depend on, and whether the clock, randomness and
//! the process do too.
//!
//! ```text
//!  ir ─► mark   (each group: constant, data-only, input-dependent; bottom up)
//!    └─► entry ─► flow (values followed through slots, operands, results) ─► Reads ─► project
//! ```
//!
//! Nothing is evaluated. A value is followed as the place that it comes from until something looks at it; only what is looked at is
//! read, and only as far as it is: that it is there and of which type, its keys, or all of it. What is not in the set of reads
//! cannot change an answer.

mod document;
mod entry;
mod flow;
mod mark;
mod mask;
mod members;
pub mod path;
mod project;
mod reads;
mod shape;

pub use document::{Document, Sort};
pub use mark::{Dependence, Mark, Marks};
pub use mask::Mask;
pub use members::{Members, Seen, Watched};
pub use path::{Part, Path, PathSet, Step};
pub use reads::{Reads, Root};

use crate::ir::{Block, GroupId, Policy, Slot};
use crate::syntax::span::Span;
use crate::value::Value;

/// What is known of a policy without an entry point.
#[derive(Debug)]
pub struct Dependencies {
    marks: Marks,
}

impl Dependencies {
    /// Looks at each rule once, or twice: linear in the policy.
    pub fn of(policy: &Policy) -> Self {
        Self { marks: Marks::of(policy) }
    }

    /// What a group's answers depend on beside the operands.
    pub fn mark(&self, group: GroupId) -> Mark {
        self.marks.group(group)
    }

    /// The marks of groups, and of what is inside rules.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    /// What the document at a path below `data` depends on. `policy` is the one that this was made of.
    pub fn entry(&self, policy: &Policy, path: &[Value]) -> Reads {
        self.entries(policy, &[path])
    }

    /// What the documents at several paths depend on together.
    pub fn entries(&self, policy: &Policy, paths: &[&[Value]]) -> Reads {
        entry::documents(policy, &self.marks, paths)
    }

    /// The documents through which the one at a path sees members of the base document at `collection`. Fails with the place where it looks
    /// at them in another way: at several together.
    pub fn members(&self, policy: &Policy, path: &[Value], collection: &[Value]) -> Result<Members, Span> {
        members::of(policy, &self.marks, path, collection)
    }

    /// What the solutions of a query depend on: a body, how many slots it has, and those whose values are answered.
    pub fn query(&self, policy: &Policy, body: &Block, slots: usize, variables: &[Slot]) -> Reads {
        entry::query(policy, &self.marks, (body, slots), variables)
    }
}
