//! Calls (opa `v1/topdown/eval.go`, `evalCall`, `evalBuiltin`).

use smallvec::SmallVec;

use super::bindings::{Bound, written};
use super::with::Mock;
use super::{Leave, Next, Query, Run, Traced};
use crate::builtins::Builtin;
use crate::compile::{generated, lower};
use crate::eval::{EvalCode, EvalError, Stop, failure, printed};
use crate::syntax::span::Span;
use crate::syntax::tree::{ExprKind, Kind, Term};
use crate::trace::event::{Node, Op};
use crate::value::Value;

impl<'a> Traced<'a> {
    /// A call: the operator, then the operands, and perhaps what the answer must be.
    pub(super) fn call(&mut self, query: Query<'a>, parts: &'a [Term], next: Next<'_, 'a>) -> Run {
        let Some((operator, operands)) = parts.split_first() else { return Ok(()) };
        let name = lower::name(operator).unwrap_or_default();
        match self.mocked(&name) {
            None => self.target(query, operator, operands, next),
            Some(Mock::Answer(answer)) => {
                let arity = self.arity(operator).unwrap_or(operands.len());
                self.answer(query, operands.get(arity), answer, next)
            }
            // A replacement may call what it replaces.
            Some(Mock::Function(target)) => {
                self.mocks.push(Vec::new());
                let run = self.target(query, target, operands, &mut |eval| {
                    eval.mocks.pop();
                    let run = next(eval);
                    eval.mocks.push(Vec::new());
                    run
                });
                self.mocks.pop();
                run
            }
        }
    }

    fn arity(&self, operator: &Term) -> Option<usize> {
        match lower::data_path(operator) {
            Some(path) => self.policy.functions.get(&path).map(|(_, arity)| *arity),
            None => self.known.builtin(operator).map(|builtin| builtin.operands.len()),
        }
    }

    fn target(&mut self, query: Query<'a>, operator: &'a Term, operands: &'a [Term], next: Next<'_, 'a>) -> Run {
        if let Some(path) = lower::data_path(operator) {
            let Some((id, _)) = self.policy.functions.get(&path) else { return Ok(()) };
            return self.function(query, *id, operands, next);
        }
        let span = query.expr().map(|expr| expr.span).unwrap_or_default();
        match self.known.builtin(operator) {
            Some(builtin) => self.builtin(query, (builtin, span), operands, next),
            None => Err(Stop::from(unsupported(&lower::name(operator).unwrap_or_default(), span)).into()),
        }
    }

    fn builtin(
        &mut self,
        query: Query<'a>,
        (builtin, span): (&'static Builtin, Span),
        operands: &'a [Term],
        next: Next<'_, 'a>,
    ) -> Run {
        let arity = if builtin.variadic { operands.len() } else { builtin.operands.len() };
        let given = operands.get(..arity.min(operands.len())).unwrap_or_default();
        let values = given.iter().map(|operand| self.plug_tree(operand, query.frame)).collect::<Option<Vec<_>>>();
        let Some(values) = values else { return Ok(()) };
        let out = operands.get(arity);
        if builtin.name == "walk" {
            let Some(value) = values.first() else { return Ok(()) };
            return self.walk(query, (value, out), next);
        }
        match self.answered(query, (builtin, span), &values)? {
            Some(answer) if builtin.result.is_some() => self.answer(query, out, Bound::value(answer), next),
            Some(_) => next(self),
            None => Ok(()),
        }
    }

    fn answered(
        &mut self,
        query: Query<'a>,
        (builtin, span): (&'static Builtin, Span),
        values: &[Value],
    ) -> Result<Option<Value>, Leave> {
        if let Some(function) = builtin.function {
            let operands: SmallVec<[&Value; 4]> = values.iter().collect();
            return match function(&mut self.context, &operands) {
                Ok(answer) => Ok(answer),
                Err(error) => {
                    let error = failure(builtin, error, span)?;
                    self.fail(query, error);
                    Ok(None)
                }
            };
        }
        self.own(query, (builtin, span), values)
    }

    /// The first error counts.
    fn fail(&mut self, query: Query<'a>, error: EvalError) {
        if self.failed.is_none() {
            let stack = if self.strict_builtin_errors { self.stack(query) } else { Vec::new() };
            self.failed = Some(EvalError { stack, ..error });
        }
    }

    /// What an evaluator answers itself.
    fn own(
        &mut self,
        query: Query<'a>,
        (builtin, span): (&'static Builtin, Span),
        values: &[Value],
    ) -> Result<Option<Value>, Leave> {
        match (builtin.name, values) {
            ("internal.print", [parts]) => {
                if let Some(hook) = self.print.clone() {
                    let mut hear = hook.lock();
                    printed(parts).into_iter().for_each(|line| (*hear)(span, line));
                }
            }
            ("internal.test_case", [keys]) => self.event_test_case(query, keys),
            ("trace", [Value::String(text)]) => self.event_at(query, (Op::Note, Node::None), text, Some(span)),
            ("trace", _) => return Ok(None),
            ("print", _) => {}
            _ => return Err(Stop::from(unsupported(builtin.name, span)).into()),
        }
        Ok(Some(true.into()))
    }

    /// OPA gives the event no place, and no query that asked (`v1/topdown/test.go`).
    fn event_test_case(&mut self, query: Query<'a>, keys: &Value) {
        let term = |kind| Term::new(Span::default(), kind);
        let name = ["internal", "test_case"].map(|part| term(Kind::String(part.into())));
        let kind = ExprKind::Call(vec![term(Kind::Ref(name.into())), written(keys)]);
        let expr = generated(Span::default(), kind);
        self.event_at(Query { parent: 0, ..query }, (Op::TestCase, Node::Expr(&expr, 0)), "", None);
    }
}

fn unsupported(name: &str, span: Span) -> EvalError {
    EvalError::new(EvalCode::Internal, format!("unsupported built-in: {name}"), span)
}
