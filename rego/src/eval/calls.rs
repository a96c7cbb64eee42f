//! Answers of functions that are kept from one evaluation to the next: of those that read nothing but their operands, called with a
//! member of a base document and scalars. `ready(cluster)` is evaluated once, until that cluster changes.
//!
//! Operands are told apart by where they are in memory, and scalars by how they are written: `f(1.0)` may answer otherwise than `f(1)`.

use std::sync::OnceLock;

use foldhash::{HashMap, HashSet};
use parking_lot::RwLock;

use super::Evaluation;
use super::parts::at;
use super::plain::Plain;
use super::val::Val;
use crate::depend::{Dependence, Marks};
use crate::ir::{GroupId, GroupKind, Policy};
use crate::value::Value;

/// So many bytes of answers are kept for a program.
const MOST: usize = 16 << 20;
/// What is said about an answer, and what a value takes, or 64 bytes of text do.
const ANSWER: usize = 128;
const NODE: usize = 64;
/// Of more members than that, none is known to be one.
const MEMBERS: usize = 1 << 16;

/// All answers that are kept for a program, whichever version of the base documents their operands are of.
#[derive(Debug, Default)]
pub(crate) struct Calls(RwLock<Kept>);

#[derive(Debug, Default)]
struct Kept {
    by_member: HashMap<usize, Known>,
    bytes: usize,
}

/// What is known of a member, which lives as long as this: nothing else comes to be where it is.
#[derive(Debug)]
struct Known {
    member: Value,
    answers: Vec<Answer>,
}

/// What a function answers; `None` is undefined.
#[derive(Debug)]
pub(super) struct Answer {
    group: GroupId,
    operands: Box<[Value]>,
    found: Option<Value>,
}

/// The functions of a policy whose answers can be kept, and where base documents are whose members they may be called with.
#[derive(Debug)]
pub(crate) struct Callable {
    groups: Box<[bool]>,
    documents: Vec<Box<[Value]>>,
}

/// Where the members of one version of base documents are in memory, found when somebody asks.
#[derive(Debug, Default)]
pub(crate) struct Members(OnceLock<HashSet<usize>>);

/// Answers that an evaluation uses, and those that it has found.
pub(super) struct Calling<'a> {
    callable: &'a Callable,
    members: &'a Members,
    calls: &'a Calls,
    made: Vec<Answer>,
}

impl Callable {
    /// Those of a policy.
    pub(crate) fn of(policy: &Policy, marks: &Marks) -> Self {
        let is_kept = |(number, group): (u32, &crate::ir::Group)| {
            let mark = marks.group(GroupId(number));
            let is_constant = mark.dependence() == Dependence::Constant && mark.is_repeatable();
            matches!(group.kind, GroupKind::Function(1..)) && is_constant && !group.is_cheap
        };
        Self { groups: (0..).zip(&policy.groups).map(is_kept).collect(), documents: marks.documents().cloned().collect() }
    }
}

impl Members {
    fn contain(&self, member: &Value, callable: &Callable, data: &Value) -> bool {
        let members = self.0.get_or_init(|| {
            let documents = callable.documents.iter().filter_map(|path| at(data, path)?.as_object());
            let within: Vec<_> = documents.filter(|document| document.len() <= MEMBERS).collect();
            within.iter().flat_map(|document| document.values()).filter_map(Value::address).take(MEMBERS).collect()
        });
        member.address().is_some_and(|address| members.contains(&address))
    }
}

impl Calls {
    /// What a function answers, if that is kept: perhaps that it is undefined.
    fn get(&self, id: GroupId, operands: &[Val<'_>]) -> Option<Option<Value>> {
        let kept = self.0.read();
        let known = kept.by_member.get(&member(operands)?.address()?)?;
        known.answers.iter().find(|answer| answer.is_of(id, operands.iter().map(Val::value))).map(|answer| answer.found.clone())
    }

    /// Keeps answers, as far as there is room.
    fn keep(&self, made: Vec<Answer>) {
        let mut kept = self.0.write();
        made.into_iter().for_each(|answer| kept.keep(answer));
    }

    /// Base documents have changed at these paths: what was there, and what that was part of, is no operand any more.
    pub(crate) fn forget(&self, paths: &[Vec<Value>], old: &Value) {
        let mut kept = self.0.write();
        for path in paths {
            let mut below = Some(old);
            for key in path {
                below = below.and_then(|value| value.get(key));
                let Some(address) = below.and_then(Value::address) else { break };
                if let Some(gone) = kept.by_member.remove(&address) {
                    kept.bytes = kept.bytes.saturating_sub(gone.answers.iter().map(Answer::bytes).sum());
                }
            }
        }
    }

    /// How many there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.read().by_member.values().map(|known| known.answers.len()).sum()
    }
}

impl Kept {
    fn keep(&mut self, answer: Answer) {
        let bytes = self.bytes.saturating_add(answer.bytes());
        let Some(member) = answer.member().filter(|_| bytes <= MOST) else { return };
        let Some(address) = member.address() else { return };
        let known = self.by_member.entry(address).or_insert_with(|| Known { member: member.clone(), answers: Vec::new() });
        // Another evaluation may have been faster.
        if known.member.is_same(member) && !known.answers.iter().any(|other| other.is_of(answer.group, answer.operands.iter())) {
            known.answers.push(answer);
            self.bytes = bytes;
        }
    }
}

impl Answer {
    fn is_of<'v>(&self, id: GroupId, operands: impl ExactSizeIterator<Item = &'v Value>) -> bool {
        let is_as_long = self.operands.len() == operands.len();
        self.group == id && is_as_long && self.operands.iter().zip(operands).all(|(a, b)| a.is_written_as(b))
    }

    fn member(&self) -> Option<&Value> {
        self.operands.iter().find(|operand| operand.as_collection().is_some())
    }

    fn bytes(&self) -> usize {
        let nodes = self.found.as_ref().map_or(0, |found| usize::try_from(found.nodes()).unwrap_or(usize::MAX));
        nodes.saturating_add(self.operands.len()).saturating_mul(NODE).saturating_add(ANSWER)
    }
}

/// The only collection among operands.
fn member<'v>(operands: &'v [Val<'_>]) -> Option<&'v Value> {
    let mut collections = operands.iter().map(Val::value).filter(|operand| operand.as_collection().is_some());
    collections.next().filter(|_| collections.next().is_none())
}

impl<'a> Evaluation<'a> {
    /// With answers that are kept.
    pub(crate) fn with_calls(mut self, callable: &'a Callable, members: &'a Members, calls: &'a Calls) -> Self {
        self.calling = Some(Calling { callable, members, calls, made: Vec::new() });
        self
    }

    /// Keeps the answers that it has found for other evaluations.
    pub(crate) fn keep_calls(&mut self) {
        if let Some(Calling { calls, made, .. }) = self.calling.take()
            && !made.is_empty()
        {
            calls.keep(made);
        }
    }

    /// Whether the answer of a function may be kept: what `with` puts in the place of functions is called by none of them.
    pub(super) fn is_callable(&self, id: GroupId) -> bool {
        let is_it = |calling: &Calling<'_>| calling.callable.groups.get(id.index()).copied().unwrap_or_default();
        let is_labelled = || self.labels.is_some() && self.policy.labelled.get(id.index()).copied().unwrap_or_default();
        self.calling.as_ref().is_some_and(is_it) && !self.scope.has_mocks() && !is_labelled()
    }

    /// The answer of a function, if it is kept: perhaps that it is undefined.
    pub(super) fn kept_answer(&self, id: GroupId, operands: &[Val<'a>]) -> Option<Option<Value>> {
        self.calling.as_ref()?.calls.get(id, operands)
    }

    /// Runs what answers a call; says whether nothing on the way depends on what was evaluated before.
    pub(super) fn watched<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> (T, bool) {
        let is_outer = self.plain.is_none();
        if is_outer {
            self.plain = Some(Plain::default());
        }
        let done = run(self);
        let is_plain = self.plain.as_ref().is_some_and(Plain::is_usual_so_far);
        if is_outer {
            self.plain = None;
        }
        (done, is_plain)
    }

    /// A function has this answer, found to its end: it is kept if one operand is a member of a base document, and the others are scalars.
    pub(super) fn answers(&mut self, id: GroupId, operands: &[Val<'a>], found: Option<&Value>) {
        let Some((calling, data)) = self.calling.as_mut().zip(self.scope.data) else { return };
        let is_member = member(operands).is_some_and(|member| calling.members.contain(member, calling.callable, data));
        if is_member {
            let operands = operands.iter().map(|operand| operand.value().clone()).collect();
            calling.made.push(Answer { group: id, operands, found: found.cloned() });
        }
    }
}

#[cfg(test)]
mod tests;
