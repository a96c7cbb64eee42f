//! What has no variables (`v1/ast/term.go`, `IsGround`).

use super::steps;
use super::tree::{Expr, ExprKind, Kind, Term};
use super::visit::{Node, below};

/// Whether a term has no variable in it. The head of a reference does not count.
pub fn is_ground(term: &Term) -> bool {
    steps::one();
    match &term.kind {
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => true,
        Kind::Var(_) | Kind::Template(_) => false,
        Kind::Ref(parts) => parts.iter().skip(1).all(is_ground),
        _ => is_ground_below(Node::Term(term)),
    }
}

fn is_ground_below(node: Node<'_>) -> bool {
    let mut ground = true;
    below(node, |node| {
        ground = ground
            && match node {
                Node::Term(term) => is_ground(term),
                Node::Some(_) | Node::Every(_) => false,
                Node::With(_) => true,
                Node::Expr(Expr { kind: ExprKind::Call(parts), .. }) => parts.iter().skip(1).all(is_ground),
                node => is_ground_below(node),
            };
    });
    ground
}
