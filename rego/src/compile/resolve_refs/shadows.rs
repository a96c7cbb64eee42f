//! Which names a body declares (`v1/ast/compile.go`, `declaredVars`).

use foldhash::HashSet;

use crate::compile::names::ASSIGN;
use crate::compile::terms::{calls, is_comprehension, operands};
use crate::syntax::tree::{Expr, ExprKind, Kind, SomeDecl, Term, Var};
use crate::syntax::visit::{Node, walk, walk_terms};

/// Names that `:=` and `some` declare, those in `every`, `not {}`, `and` and `or` included; not those in comprehensions.
pub(in crate::compile) fn declared_in_body(body: &[Expr]) -> HashSet<Var> {
    let mut names = HashSet::default();
    body.iter().for_each(|expr| declared_in_expr(&mut names, expr));
    names
}

/// The same of one expression.
fn declared_in_expr(names: &mut HashSet<Var>, expr: &Expr) {
    walk(Node::Expr(expr), &mut |node| match node {
        Node::Expr(expr) => {
            declared(names, expr);
            false
        }
        Node::Term(term) => is_comprehension(term),
        _ => false,
    });
}

fn declared(names: &mut HashSet<Var>, expr: &Expr) {
    if let ExprKind::Some(some) = &expr.kind {
        return declared_by_some(names, some);
    }
    if calls(expr, &ASSIGN)
        && let [left, _] = operands(expr)
    {
        add_vars(names, left);
    }
}

fn declared_by_some(names: &mut HashSet<Var>, some: &SomeDecl) {
    for symbol in &some.symbols {
        match &symbol.kind {
            Kind::Var(name) => _ = names.insert(name.clone()),
            Kind::Call(parts) => match parts.as_slice() {
                [_, key, value, _] => [key, value].into_iter().for_each(|term| add_vars(names, term)),
                [_, value, _] => add_vars(names, value),
                _ => {}
            },
            _ => {}
        }
    }
}

/// Adds all variables of a term.
pub(super) fn add_vars(names: &mut HashSet<Var>, term: &Term) {
    walk_terms(Node::Term(term), |term| {
        if let Kind::Var(name) = &term.kind {
            names.insert(name.clone());
        }
        false
    });
}
