//! Walks over trees (`v1/ast/visit.go`, `GenericVisitor`; `v1/ast/transform.go`).
//!
//! A variable, a reference, a call and a comprehension are met as the term that holds them.

use super::steps;
use super::tree::{Every, Expr, ExprKind, Head, Kind, Logical, Not, Rule, SomeDecl, TemplatePart, Term, With};

mod change;

pub use change::{Mutable, transform, walk_mut};

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
    if visit(node) {
        return;
    }
    match node {
        Node::Rule(rule) => {
            walk(Node::Head(&rule.head), visit);
            walk(Node::Body(&rule.body), visit);
            if let Some(otherwise) = &rule.otherwise {
                walk(Node::Rule(otherwise), visit);
            }
        }
        Node::Head(head) => {
            terms(head.args.iter().flatten(), visit);
            terms(head.key.iter().chain(&head.value), visit);
        }
        Node::Body(body) => body.iter().for_each(|expr| walk(Node::Expr(expr), visit)),
        Node::Expr(expr) => walk_expr(expr, visit),
        Node::Some(some) => terms(&some.symbols, visit),
        Node::Every(every) => {
            terms(every.key.iter().chain([&every.value, &every.domain]), visit);
            walk(Node::Body(&every.body), visit);
        }
        Node::Not(not) => walk(Node::Body(&not.body), visit),
        Node::And(logical) | Node::Or(logical) => {
            walk(Node::Body(&logical.left), visit);
            walk(Node::Body(&logical.right), visit);
        }
        Node::With(with) => terms([&with.target, &with.value], visit),
        Node::Term(term) => walk_kind(&term.kind, visit),
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

fn terms<'a, F: FnMut(Node<'a>) -> bool>(terms: impl IntoIterator<Item = &'a Term>, visit: &mut F) {
    for term in terms {
        walk(Node::Term(term), visit);
    }
}

fn walk_expr<'a, F: FnMut(Node<'a>) -> bool>(expr: &'a Expr, visit: &mut F) {
    match &expr.kind {
        ExprKind::Term(term) => walk(Node::Term(term), visit),
        ExprKind::Call(parts) => terms(parts, visit),
        ExprKind::Some(some) => walk(Node::Some(some), visit),
        ExprKind::Every(every) => walk(Node::Every(every), visit),
        ExprKind::Not(not) => walk(Node::Not(not), visit),
        ExprKind::And(logical) => walk(Node::And(logical), visit),
        ExprKind::Or(logical) => walk(Node::Or(logical), visit),
    }
    for with in &expr.with {
        walk(Node::With(with), visit);
    }
}

fn walk_kind<'a, F: FnMut(Node<'a>) -> bool>(kind: &'a Kind, visit: &mut F) {
    match kind {
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) | Kind::Var(_) => {}
        Kind::Ref(parts) | Kind::Array(parts) | Kind::Set(parts) | Kind::Call(parts) => terms(parts, visit),
        Kind::Object(members) => {
            for (key, value) in members {
                terms([key, value], visit);
            }
        }
        Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => {
            walk(Node::Term(&inner.term), visit);
            walk(Node::Body(&inner.body), visit);
        }
        Kind::ObjectCompr(inner) => {
            terms([&inner.key, &inner.value], visit);
            walk(Node::Body(&inner.body), visit);
        }
        Kind::Template(template) => {
            for part in &template.parts {
                match part {
                    TemplatePart::Text(term) => walk(Node::Term(term), visit),
                    TemplatePart::Expr(expr) => walk(Node::Expr(expr), visit),
                }
            }
        }
    }
}
