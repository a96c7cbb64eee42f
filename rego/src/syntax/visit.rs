//! Walks over trees (`v1/ast/visit.go`, `GenericVisitor`; `v1/ast/transform.go`).
//!
//! A variable, a reference, a call and a comprehension are met as the term that holds them.

use super::steps;
use super::tree::{Every, Expr, ExprKind, Head, Kind, Logical, Not, Rule, SomeDecl, TemplatePart, Term, With};

mod change;
mod rewrite;

pub use change::{Mutable, transform, walk_mut};
pub use rewrite::Rewrite;

/// A node of a tree.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// A rule, its `else` included.
    Rule(&'a Rule),
    /// A head: its arguments, key and value; not its reference.
    Head(&'a Head),
    /// A body.
    Body(&'a [Expr]),
    /// An expression.
    Expr(&'a Expr),
    /// What `some` declares.
    Some(&'a SomeDecl),
    /// `every`.
    Every(&'a Every),
    /// `not {}`.
    Not(&'a Not),
    /// `and`.
    And(&'a Logical),
    /// `or`.
    Or(&'a Logical),
    /// `with`.
    With(&'a With),
    /// A term.
    Term(&'a Term),
}

/// Visits a node and all below it, in the order of the text, nodes before what they hold. What is below a node for which `visit` says
/// `true` is left out.
pub fn walk<'a, F: FnMut(Node<'a>) -> bool>(node: Node<'a>, visit: &mut F) {
    steps::one();
    if !visit(node) {
        below(node, |node| walk(node, visit));
    }
}

/// Calls with each node that lies directly below a node, in the order of the text.
pub fn below<'a>(node: Node<'a>, mut visit: impl FnMut(Node<'a>)) {
    match node {
        Node::Rule(rule) => {
            visit(Node::Head(&rule.head));
            visit(Node::Body(&rule.body));
            rule.otherwise.iter().for_each(|otherwise| visit(Node::Rule(otherwise)));
        }
        Node::Head(head) => terms(head.args.iter().flatten().chain(&head.key).chain(&head.value), visit),
        Node::Body(body) => body.iter().for_each(|expr| visit(Node::Expr(expr))),
        Node::Expr(expr) => below_expr(expr, visit),
        Node::Some(some) => terms(&some.symbols, visit),
        Node::Every(every) => {
            terms(every.key.iter().chain([&every.value, &every.domain]), &mut visit);
            visit(Node::Body(&every.body));
        }
        Node::Not(not) => visit(Node::Body(&not.body)),
        Node::And(logical) | Node::Or(logical) => {
            visit(Node::Body(&logical.left));
            visit(Node::Body(&logical.right));
        }
        Node::With(with) => terms([&with.target, &with.value], visit),
        Node::Term(term) => below_term(&term.kind, visit),
    }
}

/// Visits the terms below a node, as [`walk`] does.
pub fn walk_terms<'a>(node: Node<'a>, mut visit: impl FnMut(&'a Term) -> bool) {
    walk(node, &mut |node| if let Node::Term(term) = node { visit(term) } else { false });
}

/// Visits the expressions below a node, as [`walk`] does.
pub fn walk_exprs<'a>(node: Node<'a>, mut visit: impl FnMut(&'a Expr) -> bool) {
    walk(node, &mut |node| if let Node::Expr(expr) = node { visit(expr) } else { false });
}

/// Whether some term below a node is as wanted.
pub fn any_term(node: Node<'_>, mut wanted: impl FnMut(&Term) -> bool) -> bool {
    let mut found = false;
    walk(node, &mut |node| {
        if let Node::Term(term) = node {
            found = found || wanted(term);
        }
        found
    });
    found
}

fn terms<'a>(terms: impl IntoIterator<Item = &'a Term>, visit: impl FnMut(Node<'a>)) {
    terms.into_iter().map(Node::Term).for_each(visit);
}

fn below_expr<'a>(expr: &'a Expr, mut visit: impl FnMut(Node<'a>)) {
    match &expr.kind {
        ExprKind::Term(term) => visit(Node::Term(term)),
        ExprKind::Call(parts) => terms(parts, &mut visit),
        ExprKind::Some(some) => visit(Node::Some(some)),
        ExprKind::Every(every) => visit(Node::Every(every)),
        ExprKind::Not(not) => visit(Node::Not(not)),
        ExprKind::And(logical) => visit(Node::And(logical)),
        ExprKind::Or(logical) => visit(Node::Or(logical)),
    }
    expr.with.iter().map(Node::With).for_each(visit);
}

fn below_term<'a>(kind: &'a Kind, mut visit: impl FnMut(Node<'a>)) {
    match kind {
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) | Kind::Var(_) => {}
        Kind::Ref(parts) | Kind::Array(parts) | Kind::Set(parts) | Kind::Call(parts) => terms(parts, visit),
        Kind::Object(members) => members.iter().for_each(|(key, value)| terms([key, value], &mut visit)),
        Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => {
            visit(Node::Term(&inner.term));
            visit(Node::Body(&inner.body));
        }
        Kind::ObjectCompr(inner) => {
            terms([&inner.key, &inner.value], &mut visit);
            visit(Node::Body(&inner.body));
        }
        Kind::Template(template) => template.parts.iter().for_each(|part| match part {
            TemplatePart::Text(term) => visit(Node::Term(term)),
            TemplatePart::Expr(expr) => visit(Node::Expr(expr)),
        }),
    }
}
