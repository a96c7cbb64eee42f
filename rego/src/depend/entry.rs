//! Entry points: documents, and queries.

use super::flow::{Flow, Frame};
use super::mark::Marks;
use super::reads::Reads;
use crate::ir::{Block, Policy, Slot};
use crate::value::Value;

/// All of the document at a path below `data` is answered.
pub(super) fn document(policy: &Policy, marks: &Marks, path: &[Value]) -> Reads {
    let mut flow = Flow::new(policy, marks);
    flow.answer_document(path);
    flow.finish()
}

/// The values of these slots are answered, for each solution.
pub(super) fn query(policy: &Policy, marks: &Marks, (body, slots): (&Block, usize), variables: &[Slot]) -> Reads {
    let mut flow = Flow::new(policy, marks);
    flow.answer_query(body, Frame::new(slots), variables);
    flow.finish()
}
