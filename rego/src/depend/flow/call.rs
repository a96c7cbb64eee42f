//! Calls.

use super::scope::Mock;
use super::{Flow, Frame};
use crate::depend::shape::ShapeId;
use crate::ir::{Call, Target};

impl<'p> Flow<'p> {
    /// The shape of an answer. Operands are looked at where the function looks at them.
    pub(super) fn call(&mut self, call: &'p Call, frame: &mut Frame) -> ShapeId {
        let Some(operands) = self.terms(&call.operands, frame) else { return ShapeId::NEVER };
        match self.current().mocks.get(&*call.name).copied() {
            None => self.target(&call.target, operands),
            Some(Mock::Value(value)) => value,
            Some(Mock::Document(at)) => match self.scopes.answered(at).filter(|_| call.output.is_some()) {
                Some(document) => self.term(document, &mut Frame::new(0)),
                None => self.shapes.constant(&true.into()),
            },
            Some(Mock::Target(target)) => {
                let outer = self.scope;
                self.scope = self.scopes.without_mocks(outer);
                let target = self.scopes.called(target).unwrap_or(&call.target);
                let answer = self.target(target, operands);
                self.scope = outer;
                answer
            }
        }
    }

    fn target(&mut self, target: &'p Target, operands: Vec<ShapeId>) -> ShapeId {
        match target {
            Target::Function(id) => self.group(*id, operands),
            Target::Builtin(builtin) => self.builtin(builtin, &operands),
        }
    }
}
