//! Bodies.

use super::{Flow, Frame, grown};
use crate::depend::path::Part;
use crate::depend::shape::ShapeId;
use crate::ir::{Block, Call, Every, Iterate, Op, Step, Term};
use crate::value::Value;

impl<'p> Flow<'p> {
    /// Whether there may be a solution. What comes behind an expression that has none is never evaluated.
    pub(super) fn block(&mut self, block: &'p Block, frame: &mut Frame) -> bool {
        grown(|| block.iter().all(|step| self.step(step, frame)))
    }

    fn step(&mut self, step: &'p Step, frame: &mut Frame) -> bool {
        self.spend(1);
        self.span = step.span;
        match &step.op {
            Op::Test(term) => self.test(term, frame),
            Op::Match(pattern, term) => {
                let value = self.term(term, frame);
                self.matches(pattern, value, frame)
            }
            Op::Iterate(iterate) => self.iterate(iterate, frame),
            Op::Call(call) => self.called(call, frame),
            Op::Not(block) => {
                self.block(block, frame);
                true
            }
            Op::Every(every) => self.every(every, frame),
            Op::With(with) => self.with(with, frame),
            Op::And(left, right) => self.block(left, frame) && self.block(right, frame),
            Op::Or(left, right) => {
                let left = self.block(left, frame);
                self.block(right, frame) || left
            }
            Op::Fail => false,
        }
    }

    fn test(&mut self, term: &'p Term, frame: &mut Frame) -> bool {
        let value = self.term(term, frame);
        self.may_hold(value)
    }

    /// Whether it may be anything but false.
    fn may_hold(&mut self, value: ShapeId) -> bool {
        self.kind(value);
        let shape = self.shapes.get(value);
        let is_false = shape.as_constants().is_some_and(|values| values.iter().all(|value| *value == Value::False));
        !shape.is_never() && !is_false
    }

    fn called(&mut self, call: &'p Call, frame: &mut Frame) -> bool {
        let answer = self.call(call, frame);
        match &call.output {
            Some(pattern) => self.matches(pattern, answer, frame),
            None => self.may_hold(answer),
        }
    }

    fn iterate(&mut self, iterate: &'p Iterate, frame: &mut Frame) -> bool {
        let Some(value) = self.elements(&iterate.head, &iterate.elements, frame) else { return false };
        match &iterate.output {
            Some(pattern) => self.matches(pattern, value, frame),
            None => self.may_hold(value),
        }
    }

    fn every(&mut self, every: &'p Every, frame: &mut Frame) -> bool {
        let domain = self.term(&every.domain, frame);
        self.look(domain, Part::Keys);
        if self.shapes.get(domain).is_never() {
            return false;
        }
        let key = self.shapes.keys(domain);
        let value = self.below(domain, None);
        if self.matches(&every.key, key, frame) && self.matches(&every.value, value, frame) {
            self.block(&every.body, frame);
        }
        true
    }
}
