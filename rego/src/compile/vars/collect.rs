//! Which variables a tree mentions.

use super::{Params, VarSet};
use crate::syntax::steps;
use crate::syntax::tree::{Comprehension, Expr, ExprKind, Kind, ObjectComprehension, Template, TemplatePart, Term, With};

pub(super) fn expr(vars: &mut VarSet, expr: &Expr, params: Params<'_>) {
    match &expr.kind {
        ExprKind::Term(inner) => term(vars, inner, params),
        ExprKind::Call(parts) => call(vars, parts, params),
        ExprKind::Some(some) => vars.add_terms(&some.symbols, params),
        ExprKind::Every(every) if params.skip_closures => return term(vars, &every.domain, params),
        ExprKind::Every(every) => {
            vars.add_terms(every.key.iter().chain([&every.value, &every.domain]), params);
            vars.add_body(&every.body, params);
        }
        ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) => closure(vars, expr, params),
    }
    expr.with.iter().for_each(|inner| with(vars, inner, params));
}

fn closure(vars: &mut VarSet, expr: &Expr, params: Params<'_>) {
    if let Some(closures) = params.closures {
        return closures(vars, expr);
    }
    if params.skip_closures {
        return;
    }
    match &expr.kind {
        ExprKind::Not(not) => vars.add_body(&not.body, params),
        ExprKind::And(logical) | ExprKind::Or(logical) => {
            vars.add_body(&logical.left, params);
            vars.add_body(&logical.right, params);
        }
        _ => {}
    }
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

pub(super) fn with(vars: &mut VarSet, with: &With, params: Params<'_>) {
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

pub(super) fn term(vars: &mut VarSet, term: &Term, params: Params<'_>) {
    steps::one();
    match &term.kind {
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => {}
        Kind::Var(name) => vars.insert(name.clone(), term.span),
        Kind::Ref(parts) => vars.add_terms(parts.iter().skip(usize::from(params.skip_ref_head)), params),
        Kind::Array(items) => vars.add_terms(items, params),
        Kind::Set(_) if params.skip_sets => {}
        Kind::Set(members) => vars.add_terms(members, params),
        Kind::Object(members) if params.skip_object_keys => vars.add_terms(members.iter().map(|(_, value)| value), params),
        Kind::Object(members) => members.iter().for_each(|(key, value)| vars.add_terms([key, value], params)),
        Kind::Call(parts) => call(vars, parts, params),
        Kind::ArrayCompr(_) | Kind::SetCompr(_) | Kind::ObjectCompr(_) if params.skip_closures => {}
        Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => comprehension(vars, inner, params),
        Kind::ObjectCompr(inner) => object_comprehension(vars, inner, params),
        Kind::Template(_) if params.skip_closures || params.skip_template_strings => {}
        Kind::Template(inner) => template(vars, inner, params),
    }
}

fn comprehension(vars: &mut VarSet, inner: &Comprehension, params: Params<'_>) {
    term(vars, &inner.term, params);
    vars.add_body(&inner.body, params);
}

fn object_comprehension(vars: &mut VarSet, inner: &ObjectComprehension, params: Params<'_>) {
    vars.add_terms([&inner.key, &inner.value], params);
    vars.add_body(&inner.body, params);
}

fn template(vars: &mut VarSet, template: &Template, params: Params<'_>) {
    for part in &template.parts {
        match part {
            TemplatePart::Text(inner) => term(vars, inner, params),
            TemplatePart::Expr(inner) => expr(vars, inner, params),
        }
    }
}
