//! Calls of functions and builtins.

use super::cache::Operands;
use super::quick::Quick;
use super::rule::Expected;
use super::val::Val;
use super::with::Mock;
use super::{Evaluation, Stop};
use crate::builtins::Builtin;
use crate::builtins::table::Comparison;
use crate::ir::{Call, Target};
use crate::syntax::span::Span;
use crate::value::Value;

/// Returns the answer that a call gives (`f(x, 2)`); `None` where any answer would do.
pub(super) fn expected(call: &Call, base: usize) -> Option<Expected<'_>> {
    let pattern = call.output.as_ref().filter(|output| output.asks())?;
    Some(Expected { pattern, base })
}

impl<'a> Evaluation<'a> {
    /// Whether a call may have several answers, of what is called or of what is called instead.
    #[inline]
    pub(super) fn is_relation(&self, call: &Call) -> bool {
        match self.scope.mock(&call.name) {
            None => call.target.is_relation(),
            Some(Mock::Target(target)) => target.is_relation(),
            Some(Mock::Value(_) | Mock::Document(_)) => false,
        }
    }

    /// The answer of a call; `None` when it has none.
    #[inline]
    pub(super) fn call(&mut self, call: &'a Call, span: Span, base: usize) -> Result<Option<Val<'a>>, Stop> {
        match self.scope.mock(&call.name) {
            None => self.target(&call.target, call, span, base),
            Some(Mock::Value(value)) => Ok(Some(Val::Ref(value))),
            Some(Mock::Document(_)) if call.output.is_none() => Ok(Some(Val::Own(true.into()))),
            Some(Mock::Document(document)) => self.term(document, base),
            Some(Mock::Target(target)) => {
                let mocks = self.scope.without_mocks();
                let answer = self.target(target, call, span, base);
                self.scope.restore_mocks(mocks);
                answer
            }
        }
    }

    fn target(&mut self, target: &'a Target, call: &'a Call, span: Span, base: usize) -> Result<Option<Val<'a>>, Stop> {
        match target {
            Target::Function(id) => {
                let Some(operands) = self.operands(call, base)? else { return Ok(None) };
                self.function(*id, &operands, expected(call, base))
            }
            Target::Builtin(builtin @ Builtin { comparison: Some(comparison), .. }) => {
                let holds = self.compared((builtin, *comparison), call, span, base)?;
                Ok(holds.map(|holds| Val::Own(Value::from(holds))))
            }
            Target::Builtin(builtin @ Builtin { selection: Some(selection), .. }) => {
                self.selected((builtin, *selection), &call.operands, span, base)
            }
            Target::Builtin(builtin) => Ok(self.builtin(builtin, &call.operands, span, base)?.map(Val::Own)),
        }
    }

    /// Whether a comparison holds.
    pub(super) fn compared(
        &mut self,
        (builtin, comparison): (&Builtin, Comparison),
        call: &'a Call,
        span: Span,
        base: usize,
    ) -> Result<Option<bool>, Stop> {
        let [a, b] = call.operands.as_ref() else { return Ok(None) };
        let owned;
        let a = match self.quick(a, base)? {
            Quick::Is(a) => a,
            known => {
                let Some(made) = self.completed(known, a, base)? else { return Ok(None) };
                owned = made;
                owned.value()
            }
        };
        let answer = match self.quick(b, base)? {
            Quick::Is(b) => comparison(&mut self.context, a, b),
            known => {
                let Some(b) = self.completed(known, b, base)? else { return Ok(None) };
                comparison(&mut self.context, a, b.value())
            }
        };
        match answer {
            Ok(holds) => Ok(Some(holds)),
            Err(error) => Ok(self.answered(builtin, Err(error), span)?.map(|_| false)),
        }
    }

    /// The values of all operands, if all are defined.
    pub(super) fn operands(&mut self, call: &'a Call, base: usize) -> Result<Option<Operands<'a>>, Stop> {
        let mut operands = Operands::new();
        for operand in &call.operands {
            let known = self.quick(operand, base)?;
            match self.completed(known, operand, base)? {
                Some(value) => operands.push(value),
                None => return Ok(None),
            }
        }
        Ok(Some(operands))
    }
}
