//! Bodies: one expression after the other.

use super::quick::Quick;
use super::val::Val;
use super::{Evaluation, Flow, Found, Stop};
use crate::builtins::Builtin;
use crate::ir::{Call, Every, Op, Pattern, Step, Target};

/// What happens at a solution.
pub(super) type Next<'n, 'a> = &'n mut dyn FnMut(&mut Evaluation<'a>) -> Found;

/// What becomes of a body at an expression with at most one solution.
enum Once {
    Holds,
    Fails,
}

impl<'a> Evaluation<'a> {
    /// Calls `next` for each solution of the steps.
    pub(super) fn run(&mut self, steps: &'a [Step], base: usize, next: Next<'_, 'a>) -> Found {
        for (index, step) in steps.iter().enumerate() {
            self.context.account.step(1)?;
            self.cover(step.span);
            let rest = steps.get(index.saturating_add(1)..).unwrap_or_default();
            let once = match &step.op {
                Op::Iterate(iterate) => {
                    return self.deeper(|eval| eval.iterate(iterate, base, &mut |eval| eval.run(rest, base, next)));
                }
                Op::With(with) => {
                    return self.deeper(|eval| eval.with(with, base, &mut |eval| eval.run(rest, base, next)));
                }
                Op::Call(call) if self.is_relation(call) => {
                    return self.deeper(|eval| eval.relation(call, base, &mut |eval| eval.run(rest, base, next)));
                }
                op => match self.waiting(op) {
                    Some(waiting) => {
                        return self.deeper(|eval| eval.wait(waiting, base, &mut |eval| eval.run(rest, base, next)));
                    }
                    None => self.once(op, step, base)?,
                },
            };
            if matches!(once, Once::Fails) {
                return Ok(Flow::Next);
            }
        }
        next(self)
    }

    fn once(&mut self, op: &'a Op, step: &'a Step, base: usize) -> Result<Once, Stop> {
        let holds = match op {
            Op::Test(term) => self.defined(term, base)?,
            Op::Match(pattern, term) => match self.quick(term, base)? {
                Quick::Is(value) => self.fits(pattern, value, base)?,
                known => match self.completed(known, term, base)? {
                    Some(value) => self.matches(pattern, value, base)?,
                    None => false,
                },
            },
            Op::Call(call) => self.called(call, step, base)?,
            Op::Not(block) => !self.holds(block, base)?,
            Op::And(left, right) => self.holds(left, base)? && self.holds(right, base)?,
            Op::Or(left, right) => self.holds(left, base)? || self.holds(right, base)?,
            Op::Every(every) => self.every(every, base)?,
            Op::Iterate(_) | Op::With(_) | Op::Fail => false,
        };
        Ok(if holds { Once::Holds } else { Once::Fails })
    }

    fn called(&mut self, call: &'a Call, step: &Step, base: usize) -> Result<bool, Stop> {
        let answer = match (&call.target, &call.output) {
            (Target::Builtin(builtin @ Builtin { comparison: Some(comparison), .. }), None) if !self.scope.has_mocks() => {
                return Ok(self.compared((builtin, *comparison), call, step.span, base)?.unwrap_or(false));
            }
            // What is answered is moved once, to where the variable is.
            (Target::Builtin(builtin), Some(Pattern::Bind(slot)))
                if builtin.comparison.is_none() && builtin.selection.is_none() && !self.scope.has_mocks() =>
            {
                let Some(answer) = self.builtin(builtin, &call.operands, step.span, base)? else { return Ok(false) };
                self.bind(base, *slot, Val::Own(answer));
                return Ok(true);
            }
            _ => self.call(call, step.span, base)?,
        };
        let Some(answer) = answer else { return Ok(false) };
        match &call.output {
            Some(pattern) => self.matches(pattern, answer, base),
            None => Ok(!answer.is_false()),
        }
    }

    /// Whether there is a solution.
    pub(super) fn holds(&mut self, steps: &'a [Step], base: usize) -> Result<bool, Stop> {
        let flow = self.deeper(|eval| eval.run(steps, base, &mut |_| Ok(Flow::Enough)))?;
        Ok(flow == Flow::Enough)
    }

    /// What is no collection has no members, and then nothing holds (opa `v1/topdown/eval.go`, `evalEvery`).
    fn every(&mut self, every: &'a Every, base: usize) -> Result<bool, Stop> {
        let Some(domain) = self.term(&every.domain, base)? else { return Ok(false) };
        if domain.value().as_collection().is_none() {
            return Ok(false);
        }
        self.cover(every.place);
        for index in 0..domain.len() {
            self.context.account.step(1)?;
            let Some((key, value)) = domain.entry(index) else { break };
            let fits = self.matches(&every.key, key, base)? && self.matches(&every.value, value, base)?;
            if fits && !self.holds(&every.body, base)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
