//! Documents that are found once for all evaluations, and whether anything on the way depends on what was evaluated before.
//!
//! Functions, and rules at known keys, are computed once for what is equal: `f(1)` answers what `f(1.0)` did, if that was asked first.
//! Where no operand has a number that could be written otherwise, equal operands are the same, and it does not matter.

use std::ptr;

use foldhash::HashSet;

use super::Evaluation;
use super::parts::Recording;
use super::place::Prepared;
use super::val::Val;
use crate::depend::unusual;
use crate::ir::{GroupId, GroupKind};
use crate::value::Value;

/// Larger values that are made on the way are not looked at: they may have any numbers.
const LARGEST: u32 = 1 << 12;

/// What was seen of operands so far.
#[derive(Debug, Default)]
pub(super) struct Plain {
    /// Some operand may be written in another way.
    unusual: bool,
    /// Collections that were looked at, by where they are: those that live until the evaluation ends.
    seen: HashSet<usize>,
}

impl<'a> Evaluation<'a> {
    /// The whole document of a group, for others to begin with; `Unknown` where evaluating it ends in an error. And whether it is found
    /// whatever was evaluated before.
    pub(crate) fn prepare(&mut self, id: GroupId) -> (Prepared, bool) {
        self.plain = Some(Plain::default());
        let kind = self.policy.group(id).map(|group| group.kind);
        let value = match kind {
            Some(GroupKind::Complete) => self.complete(id),
            Some(GroupKind::Set | GroupKind::Object) => self.partial(id, &[]),
            Some(GroupKind::Function(_)) | None => return (Prepared::Unknown, false),
        };
        let prepared = match value {
            Ok(Some(value)) => Prepared::Is(value.clone()),
            Ok(None) => Prepared::Undefined,
            Err(_) => Prepared::Unknown,
        };
        let is_plain = self.plain.take().is_some_and(|plain| !plain.unusual);
        if let Some(Recording { parts, made, .. }) = self.recording.take()
            && is_plain
            && !matches!(prepared, Prepared::Unknown)
        {
            parts.keep(made);
        }
        (prepared, is_plain)
    }

    /// Looks at what a function is called with, or a rule asked for, if somebody wants to know.
    #[inline]
    pub(super) fn look_at(&mut self, operands: &[Val<'a>]) {
        if let Some(plain) = self.plain.as_mut().filter(|plain| !plain.unusual) {
            plain.unusual = !operands.iter().all(|operand| plain.is_usual(operand));
        }
    }
}

impl Plain {
    fn is_usual(&mut self, operand: &Val<'_>) -> bool {
        match operand {
            Val::Ref(value) if value.as_collection().is_some() => {
                !self.seen.insert(ptr::from_ref::<Value>(value).addr()) || unusual(value).next().is_none()
            }
            Val::Ref(value) => unusual(value).next().is_none(),
            Val::Own(value) => value.nodes() <= LARGEST && unusual(value).next().is_none(),
        }
    }
}
