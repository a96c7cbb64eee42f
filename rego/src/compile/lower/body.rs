//! Bodies and expressions.

use super::scope::Scope;
use super::term::{never, unbound};
use super::{Lower, data_path, filter, name};
use crate::error::{Code, Error};
use crate::ir::{Block, Call, Every, Iterate, Op, Pattern, Step, Target};
use crate::syntax::span::Span;
use crate::syntax::tree::{self, Body, Expr, ExprKind, Kind};
use crate::value::Value;

impl Lower<'_> {
    /// Expressions in the order in which they stand.
    pub(super) fn body(&mut self, body: &Body, scope: &mut Scope) -> Block {
        let mut steps = Vec::with_capacity(body.len());
        for expr in body {
            self.expr(expr, scope, &mut steps);
        }
        filter::add(&mut steps);
        steps.into()
    }

    /// A body of its own: what it binds, it gives back.
    fn inner(&mut self, body: &Body, scope: &mut Scope) -> Block {
        let mark = scope.mark();
        let block = self.body(body, scope);
        scope.reset(mark);
        block
    }

    fn expr(&mut self, expr: &Expr, scope: &mut Scope, steps: &mut Vec<Step>) {
        if expr.with.is_empty() {
            return self.negatable(expr, scope, steps);
        }
        let with = self.with(&expr.with, scope);
        let mut inner = Vec::new();
        self.negatable(expr, scope, &mut inner);
        let op = Op::With(Box::new(with.around(inner.into(), expr.span)));
        steps.push(Step { span: expr.span, op });
    }

    fn negatable(&mut self, expr: &Expr, scope: &mut Scope, steps: &mut Vec<Step>) {
        if !expr.negated {
            return self.positive(expr, scope, steps);
        }
        let mark = scope.mark();
        let mut inner = Vec::new();
        self.positive(expr, scope, &mut inner);
        scope.reset(mark);
        steps.push(Step { span: expr.span, op: Op::Not(inner.into()) });
    }

    fn positive(&mut self, expr: &Expr, scope: &mut Scope, steps: &mut Vec<Step>) {
        let op = match &expr.kind {
            ExprKind::Some(_) => return,
            ExprKind::Call(parts) => return self.call(parts, expr.span, scope, steps),
            ExprKind::Term(term) => match &term.kind {
                Kind::Call(parts) => return self.call(parts, expr.span, scope, steps),
                _ => self.test(term, scope),
            },
            ExprKind::Every(every) => self.every(every, scope),
            ExprKind::Not(not) => Op::Not(self.inner(&not.body, scope)),
            ExprKind::And(sides) => Op::And(self.inner(&sides.left, scope), self.inner(&sides.right, scope)),
            ExprKind::Or(sides) => Op::Or(self.inner(&sides.left, scope), self.inner(&sides.right, scope)),
        };
        steps.push(Step { span: expr.span, op });
    }

    fn test(&mut self, term: &tree::Term, scope: &mut Scope) -> Op {
        match &term.kind {
            Kind::Ref(parts) if unbound(term, scope) => self.iterate(parts, scope, |_, _| None),
            _ => Op::Test(self.term(term, scope)),
        }
    }

    /// A reference that binds variables; `output` is made when its own are bound.
    pub(super) fn iterate(
        &mut self,
        parts: &[tree::Term],
        scope: &mut Scope,
        output: impl FnOnce(&mut Self, &mut Scope) -> Option<Pattern>,
    ) -> Op {
        let (head, rest) = self.head(parts, scope);
        let elements = self.elements(rest, scope);
        let output = output(self, scope);
        Op::Iterate(Box::new(Iterate { head, elements, output, filter: None }))
    }

    fn every(&mut self, every: &tree::Every, scope: &mut Scope) -> Op {
        let domain = self.term(&every.domain, scope);
        let mark = scope.mark();
        let key = every.key.as_ref().map_or(Pattern::Any, |key| self.pattern(key, scope));
        let value = self.pattern(&every.value, scope);
        let body = self.body(&every.body, scope);
        scope.reset(mark);
        Op::Every(Box::new(Every { domain, key, value, body, place: every.domain.span }))
    }

    fn call(&mut self, parts: &[tree::Term], span: Span, scope: &mut Scope, steps: &mut Vec<Step>) {
        let Some((operator, operands)) = parts.split_first() else { return };
        if let ([a, b], Some("eq")) = (operands, name(operator).as_deref()) {
            return self.unify((a, b), span, scope, steps);
        }
        let Some((target, name, arity)) = self.target(operator) else {
            // One error is enough: none of its variables is unsafe besides.
            operands.iter().for_each(|operand| drop(never(operand, scope)));
            let message = format!("undefined function {}", name(operator).unwrap_or_default());
            return self.errors.push(Error::new(Code::Type, span, message));
        };
        let inputs = operands.get(..arity.min(operands.len())).unwrap_or_default();
        let inputs = self.terms(inputs, scope);
        let known_path = operands.get(arity).and_then(|output| self.known_path(output, scope)).map(Box::new);
        let output = operands.get(arity).map(|output| self.answer(output, &target, scope));
        if let (Target::Function(id), true) = (&target, output.as_ref().is_some_and(Pattern::asks)) {
            self.asked.push(*id);
        }
        let call = Call { target, name: name.into(), operands: inputs, output, known_path };
        steps.push(Step { span, op: Op::Call(Box::new(call)) });
    }

    /// What an operator names, how `with` calls it, and how many operands it takes.
    pub(super) fn target(&self, operator: &tree::Term) -> Option<(Target, String, usize)> {
        if let Some(path) = data_path(operator) {
            let (group, arity) = self.functions.get(&path)?;
            return Some((Target::Function(*group), function_name(&path), *arity));
        }
        let builtin = self.arity.builtin(operator)?;
        let arity = if builtin.variadic { usize::MAX } else { builtin.operands.len() };
        Some((Target::Builtin(builtin), builtin.name.to_owned(), arity))
    }
}

/// How functions of policies are called among those that `with` replaces.
pub(super) fn function_name(path: &[Value]) -> String {
    Value::array(path.iter().cloned()).to_string()
}
