//! Whether a comprehension that is looked up (opa `v1/topdown/eval.go`, `buildComprehensionCache`) is empty where its table has no row, so
//! that it need not be solved again there.

use crate::compile::terms::{is_equality, operands};
use crate::syntax::tree::{Body, Expr, Kind, Term, Var};
use crate::syntax::visit::{Node, any_term};

/// Whether a body says first of each of these variables what its value is, and nothing of it before: then it has all its solutions without
/// them, whatever they are, so that there is none for texts that none of these has. (Numbers are found at keys that they are not equal to,
/// and show how they are written.)
pub(super) fn tells_values(body: &Body, variables: &[Var]) -> bool {
    variables.iter().all(|variable| {
        body.iter().find(|expr| mentions(Node::Expr(expr), variable)).is_some_and(|first| tells_value(first, variable))
    })
}

fn tells_value(expr: &Expr, variable: &Var) -> bool {
    if expr.negated || !expr.with.is_empty() {
        return false;
    }
    is_equality(expr) && operands(expr).iter().all(|side| takes_value(side, variable))
}

/// Whether a variable that has no value gets one wherever it stands in a term: as the term, in what it is taken apart to, and as a key.
fn takes_value(term: &Term, variable: &Var) -> bool {
    match &term.kind {
        Kind::Var(_) => true,
        Kind::Array(items) => items.iter().all(|item| takes_value(item, variable)),
        Kind::Object(members) => {
            members.iter().all(|(key, value)| !mentions(Node::Term(key), variable) && takes_value(value, variable))
        }
        Kind::Ref(parts) => parts.split_first().is_some_and(|(head, keys)| {
            let mut others = keys.iter().filter(|key| key.as_var().is_none());
            head.as_var() != Some(variable)
                && !mentions(Node::Term(head), variable)
                && !others.any(|key| mentions(Node::Term(key), variable))
        }),
        _ => !mentions(Node::Term(term), variable),
    }
}

fn mentions(node: Node<'_>, variable: &Var) -> bool {
    any_term(node, |term| term.as_var() == Some(variable))
}
