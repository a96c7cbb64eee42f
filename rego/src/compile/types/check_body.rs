//! Checks bodies and their expressions (`v1/ast/check.go`, `CheckBody`, `checkExpr`).

use super::super::names::EQUALITY;
use super::super::terms::{calls, is_comprehension, operands};
use super::checker::Checker;
use super::compatible::unifies;
use super::details::{Wanted, arguments, sides};
use super::lattice::{Function, Type, is_nil};
use super::select::{keys, values};
use crate::error::{Code, Error};
use crate::syntax::print;
use crate::syntax::span::Span;
use crate::syntax::tree::{Expr, ExprKind, Kind, Term};
use crate::syntax::visit::{Node, walk};

/// The two builtins of `in`.
const MEMBER: &str = "internal.member_2";
const MEMBER_WITH_KEY: &str = "internal.member_3";

/// An error, and whether something unknown causes it: then something more useful may have been found before.
pub(super) struct Found {
    pub(super) error: Error,
    unknown: bool,
}

impl<'t> Checker<'_, 't> {
    /// The errors of a body.
    pub(super) fn check_body(&mut self, body: &'t [Expr]) -> Vec<Error> {
        let mut errors = Vec::new();
        for expr in body {
            self.count();
            let layers = self.push_with(expr);
            let before = errors.len();
            let mut in_closures = Vec::new();
            self.check_closures(Node::Expr(expr), &mut in_closures);
            errors.append(&mut in_closures);
            errors.extend(self.check_refs(expr));
            let found = self.check_expr(expr).err();
            errors.extend(found.filter(|found| errors.len() == before || !found.unknown).map(|found| found.error));
            (0..layers).for_each(|_| self.scopes.pop());
        }
        errors
    }

    /// Of the closures in which something is wrong, the errors of the last one.
    fn check_closures(&mut self, node: Node<'t>, errors: &mut Vec<Error>) {
        walk(node, &mut |node| {
            let Node::Term(term) = node else { return false };
            if !is_comprehension(term) {
                return false;
            }
            self.check_closure(term, errors);
            true
        });
    }

    fn check_closure(&mut self, term: &'t Term, errors: &mut Vec<Error>) {
        let (body, heads) = match &term.kind {
            Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => (&inner.body, [Some(&inner.term), None]),
            Kind::ObjectCompr(inner) => (&inner.body, [Some(&inner.key), Some(&inner.value)]),
            _ => return,
        };
        if let Err(found) = self.closure(body, heads) {
            *errors = found;
            return;
        }
        // OPA looks at what is inside once more, without the variables of the closure.
        self.again_inside(body, |checker| {
            heads.into_iter().flatten().for_each(|head| checker.check_closures(Node::Term(head), errors));
            checker.check_closures(Node::Body(body), errors);
        });
    }

    fn check_expr(&mut self, expr: &'t Expr) -> Result<(), Found> {
        self.check_with(expr)?;
        let ExprKind::Call(parts) = &expr.kind else { return Ok(()) };
        if calls(expr, &EQUALITY) {
            return self.check_equality(expr);
        }
        let Some(Term { kind: Kind::Ref(operator), .. }) = parts.first() else { return Ok(()) };
        match print::reference(operator).as_str() {
            MEMBER => self.check_member(expr, false)?,
            MEMBER_WITH_KEY => self.check_member(expr, true)?,
            _ => {}
        }
        self.check_call(expr, operator)
    }

    fn check_equality(&mut self, expr: &'t Expr) -> Result<(), Found> {
        let [left, right] = operands(expr) else { return Ok(()) };
        let (of_left, of_right) = (self.type_of(left), self.type_of(right));
        if self.unify_both(left, of_left.as_ref(), right, of_right.as_ref()) {
            return Ok(());
        }
        Err(mismatch(expr.span, of_left.as_ref(), of_right.as_ref()))
    }

    /// What is looked for must fit the collection (`checkExprMember`).
    fn check_member(&mut self, expr: &'t Expr, with_key: bool) -> Result<(), Found> {
        let (key, value, collection) = match (operands(expr), with_key) {
            ([key, value, collection, ..], true) => (Some(key), value, collection),
            ([value, collection, ..], false) => (None, value, collection),
            _ => return Ok(()),
        };
        let of = self.type_of(collection);
        let Some(inside) = of.as_ref().and_then(values) else { return Ok(()) };
        if let Some(key) = key {
            self.check_member_operand(expr, key, of.as_ref().and_then(keys))?;
        }
        self.check_member_operand(expr, value, Some(inside))
    }

    fn check_member_operand(&mut self, expr: &'t Expr, term: &'t Term, of: Option<Type>) -> Result<(), Found> {
        if is_nil(of.as_ref()) {
            return Ok(());
        }
        let have = self.type_of(term);
        let fits = is_nil(have.as_ref()) || unifies(have.as_ref(), of.as_ref());
        if fits && self.unify_term(term, of.as_ref(), false) {
            return Ok(());
        }
        Err(mismatch(expr.span, have.as_ref(), of.as_ref()))
    }

    /// The operands of a call must fit (`checkExprBuiltin`).
    fn check_call(&mut self, expr: &'t Expr, operator: &'t [Term]) -> Result<(), Found> {
        let name = print::reference(operator);
        let function = match self.type_of_ref(operator) {
            Some(of) if of.is_anything() => return Ok(()),
            Some(Type::Function(function)) => function,
            _ => {
                let error = Error::new(Code::Type, expr.span, format!("undefined function {name}"));
                return Err(Found { error, unknown: false });
            }
        };
        let args = operands(expr);
        let most = function.operands.len().saturating_add(usize::from(function.result.is_some()));
        let wrong = |message: &str, have: Vec<Option<Type>>| {
            Err(arg_error(expr.span, &format!("{name}: {message}"), have, &Wanted::of(&function, true)))
        };
        if args.len() > most && function.variadic.is_none() {
            return wrong("too many arguments", self.types_of(args));
        }
        if args.len() < function.operands.len() {
            return wrong("too few arguments", self.types_of(args));
        }
        let before = self.types_of(args);
        for (at, (arg, have)) in args.iter().zip(&before).enumerate() {
            let of = operand(&function, at);
            if have.is_some() && !is_nil(have.as_ref()) && !unifies(have.as_ref(), of) {
                return wrong("invalid argument(s)", before);
            }
            if !self.unify_term(arg, of, false) {
                return wrong("invalid argument(s)", self.types_of(args));
            }
        }
        Ok(())
    }

    pub(super) fn types_of(&mut self, terms: &'t [Term]) -> Vec<Option<Type>> {
        terms.iter().map(|term| self.type_of(term)).collect()
    }

    /// A function may only be replaced by one that takes as much (`checkExprWith`).
    fn check_with(&mut self, expr: &'t Expr) -> Result<(), Found> {
        for with in &expr.with {
            let (target, value) = (self.type_of(&with.target), self.type_of(&with.value));
            if let (Some(Type::Function(old)), Some(Type::Function(new))) = (&target, &value)
                && !unifies(target.as_ref(), value.as_ref())
            {
                let message = format!("{}: arity mismatch", print::term(&with.target));
                return Err(arg_error(with.span, &message, new.operands.clone(), &Wanted::of(old, false)));
            }
        }
        Ok(())
    }
}

/// What an operand must be; the answer comes behind the operands.
fn operand(function: &Function, at: usize) -> Option<&Type> {
    let answer = (at == function.operands.len()).then_some(function.result.as_ref()).flatten();
    function.operands.get(at).and_then(Option::as_ref).or(answer).or(function.variadic.as_ref())
}

fn mismatch(span: Span, left: Option<&Type>, right: Option<&Type>) -> Found {
    let error = Error::new(Code::Type, span, "match error").with_details(sides(left, right));
    Found { error, unknown: is_nil(left) || is_nil(right) }
}

/// Operands that do not fit.
pub(super) fn arg_error(span: Span, message: &str, have: Vec<Option<Type>>, want: &Wanted) -> Found {
    let error = Error::new(Code::Type, span, message).with_details(arguments(&have, want));
    Found { error, unknown: have.iter().any(|of| is_nil(of.as_ref())) }
}
