//! Which variables a tree mentions.

use super::{Params, VarSet};
use crate::compile::terms::is_comprehension;
use crate::syntax::steps;
use crate::syntax::tree::{Expr, ExprKind, Kind, Term, With};
use crate::syntax::visit::{Node, below};

pub(super) fn node(vars: &mut VarSet, node: Node<'_>, params: Params<'_>) {
    match node {
        Node::Term(inner) => term(vars, inner, params),
        Node::Expr(inner) => expr(vars, inner, params),
        Node::With(inner) => with(vars, inner, params),
        node => inside(vars, node, params),
    }
}

fn inside(vars: &mut VarSet, node: Node<'_>, params: Params<'_>) {
    below(node, |node| self::node(vars, node, params));
}

fn expr(vars: &mut VarSet, expr: &Expr, params: Params<'_>) {
    match &expr.kind {
        ExprKind::Every(every) if params.skip_closures => return term(vars, &every.domain, params),
        ExprKind::Call(parts) => call(vars, parts, params),
        ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) if params.closures.is_some() => {
            params.closures.into_iter().for_each(|closures| closures(vars, expr));
        }
        ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) if params.skip_closures => {}
        _ => return inside(vars, Node::Expr(expr), params),
    }
    expr.with.iter().for_each(|inner| with(vars, inner, params));
}

/// An operator and its operands.
pub(super) fn call(vars: &mut VarSet, parts: &[Term], params: Params<'_>) {
    match parts {
        [Term { kind: Kind::Ref(operator), .. }, operands @ ..] if params.skip_ref_call_head => {
            vars.add_terms(operator.iter().skip(1), params);
            vars.add_terms(operands, params);
        }
        _ => vars.add_terms(parts, params),
    }
}

fn with(vars: &mut VarSet, with: &With, params: Params<'_>) {
    if params.skip_with_target {
        return term(vars, &with.value, params);
    }
    if !params.skip_ref_call_head {
        return vars.add_terms([&with.target, &with.value], params);
    }
    if let Kind::Ref(parts) = &with.target.kind {
        vars.add_terms(parts.iter().skip(1), params);
    }
    match &with.value.kind {
        Kind::Ref(parts) => vars.add_terms(parts.iter().skip(1), params),
        _ => term(vars, &with.value, params),
    }
}

fn term(vars: &mut VarSet, term: &Term, params: Params<'_>) {
    steps::one();
    match &term.kind {
        Kind::Var(name) => vars.insert(name.clone(), term.span),
        Kind::Ref(parts) => vars.add_terms(parts.iter().skip(usize::from(params.skip_ref_head)), params),
        Kind::Set(_) if params.skip_sets => {}
        Kind::Object(members) if params.skip_object_keys => vars.add_terms(members.iter().map(|(_, value)| value), params),
        Kind::Call(parts) => call(vars, parts, params),
        Kind::Template(_) if params.skip_closures || params.skip_template_strings => {}
        _ if is_comprehension(term) && params.skip_closures => {}
        _ => inside(vars, Node::Term(term), params),
    }
}
