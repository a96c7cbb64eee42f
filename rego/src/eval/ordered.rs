//! OPA's order, where it can be seen: what follows a reference to a rule, or a call of a function, is evaluated as soon as there is a
//! value, before other definitions of the rule are looked at for conflicts. Without anybody who sees it, the rule is finished
//! first, which is faster.

use super::body::Next;
use super::call::expected;
use super::reference::Ahead;
use super::rule::Given;
use super::val::Val;
use super::{EvalError, Evaluation, Flow, Found, Stop};
use crate::ir::{Call, GroupId, GroupKind, Head, Op, Pattern, Reference, Target, Term};
use crate::value::Value;

/// Whether what an evaluation ended with is what OPA says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// OPA says the same.
    Settled,
    /// OPA may meet another error first, or none; or give another one of several equal solutions on.
    OutOfOrder,
    /// A bound was reached.
    AtBound,
}

/// An expression that has to wait for a rule or a function.
pub(super) enum Waiting<'a> {
    Rule(GroupId, &'a Reference, Option<&'a Pattern>),
    /// What is compared with another term.
    Equal(GroupId, &'a Reference, &'a Term),
    Function(GroupId, &'a Call),
}

impl<'a> Evaluation<'a> {
    /// Returns whether what the evaluation ended with is what OPA says; `error` is the error that it ended in, if it did.
    pub(crate) fn ending(&self, error: Option<&EvalError>) -> Ending {
        match error {
            Some(error) if error.halt.is_some() => Ending::AtBound,
            _ if self.is_in_order() => Ending::Settled,
            None if !self.met_several => Ending::Settled,
            _ => Ending::OutOfOrder,
        }
    }

    /// What an expression has to wait for.
    pub(super) fn waiting(&self, op: &'a Op) -> Option<Waiting<'a>> {
        if !self.is_in_order() {
            return None;
        }
        match op {
            Op::Test(Term::Reference(reference)) => self.waiting_for(reference, None),
            Op::Match(Pattern::Equal(Term::Reference(first)), term) if let Some(id) = self.waited(first) => {
                Some(Waiting::Equal(id, first, term))
            }
            Op::Match(pattern, Term::Reference(reference)) => self.waiting_for(reference, Some(pattern)),
            Op::Call(call) => match call.target {
                Target::Function(id) if self.scope.mock(&call.name).is_none() => Some(Waiting::Function(id, call)),
                _ => None,
            },
            _ => None,
        }
    }

    fn waiting_for(&self, reference: &'a Reference, pattern: Option<&'a Pattern>) -> Option<Waiting<'a>> {
        self.waited(reference).map(|id| Waiting::Rule(id, reference, pattern))
    }

    /// The group that a reference goes to, if that has one value.
    fn waited(&self, reference: &Reference) -> Option<GroupId> {
        match reference.head {
            Head::Group(id) if !self.scope.is_replaced() && self.is_complete(id) => Some(id),
            _ => None,
        }
    }

    /// Whether a group has one value.
    pub(super) fn is_complete(&self, id: GroupId) -> bool {
        self.policy.group(id).is_some_and(|group| group.kind == GroupKind::Complete)
    }

    /// Goes on with the value of a rule, or the answer of a function.
    pub(super) fn wait(&mut self, waiting: Waiting<'a>, base: usize, next: Next<'_, 'a>) -> Found {
        match waiting {
            Waiting::Rule(id, reference, output) => {
                let ahead = Ahead { elements: &[], output, filter: None, step: Value::get, base };
                self.each_below((id, reference), base, &mut |eval, value| {
                    if eval.arrives(value, &ahead)? { next(eval) } else { Ok(Flow::Next) }
                })
            }
            Waiting::Equal(id, reference, other) => self.each_below((id, reference), base, &mut |eval, value| {
                let value = eval.kept(value);
                match other {
                    Term::Reference(second) if let Some(id) = eval.waited(second) => {
                        eval.each_below((id, second), base, &mut |eval, other| {
                            let equal = value.equal_within(other.value(), &mut eval.context.account)?;
                            if equal { next(eval) } else { Ok(Flow::Next) }
                        })
                    }
                    other => {
                        if eval.equals(other, value, base)? {
                            next(eval)
                        } else {
                            Ok(Flow::Next)
                        }
                    }
                }
            }),
            Waiting::Function(id, call) => {
                let Some(operands) = self.operands(call, base)? else { return Ok(Flow::Next) };
                let ahead = Ahead { elements: &[], output: call.output.as_ref(), filter: None, step: Value::get, base };
                self.function_each(id, &operands, expected(call, base), &mut |eval, value| {
                    if eval.arrives(value, &ahead)? { next(eval) } else { Ok(Flow::Next) }
                })
            }
        }
    }

    /// Gives what lies below the value of a rule on as soon as it is there.
    fn each_below(&mut self, (id, reference): (GroupId, &'a Reference), base: usize, given: Given<'_, 'a>) -> Found {
        let Some(keys) = self.keys_of(reference, base)? else { return Ok(Flow::Next) };
        self.complete_each(id, &mut |eval, value| {
            let mut found = Some(value);
            for key in &keys {
                let Some(above) = found else { break };
                found = above.get_within(key.value(), &mut eval.context.account)?;
            }
            match found {
                Some(value) => given(eval, value),
                None => Ok(Flow::Next),
            }
        })
    }

    fn keys_of(&mut self, reference: &'a Reference, base: usize) -> Result<Option<Vec<Val<'a>>>, Stop> {
        let mut keys = Vec::with_capacity(reference.keys.len());
        for key in &reference.keys {
            match self.term(key, base)? {
                Some(key) => keys.push(key),
                None => return Ok(None),
            }
        }
        Ok(Some(keys))
    }
}
