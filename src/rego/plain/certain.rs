//! Whether expressions have a value whenever their variables have, and whether a rule has several bindings.

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Literal, Query};

use super::super::syntax;

/// Built-in functions that are defined for all arguments.
const TOTAL: &[&str] = &["json.marshal", "sprintf", "is_string", "is_number", "is_boolean", "type_name"];

/// Tells expressions that always have a value. Variables are taken to have one, unless they name rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct Certainty<'a> {
    pub(super) rules: &'a BTreeSet<String>,
}

impl Certainty<'_> {
    /// Whether the expression has a value for all bindings; no when in doubt.
    pub(super) fn of(&self, expr: &Expr) -> bool {
        match expr {
            Expr::String { .. } | Expr::RawString { .. } | Expr::Number { .. } | Expr::Bool { .. } | Expr::Null { .. } => true,
            Expr::ArrayCompr { .. } | Expr::SetCompr { .. } | Expr::ObjectCompr { .. } => true,
            Expr::Var { span, .. } => !matches!(span.text(), "input" | "data") && !self.rules.contains(span.text()),
            Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().all(|item| self.of(item)),
            Expr::Object { fields, .. } => fields.iter().all(|(_, key, value)| self.of(key) && self.of(value)),
            Expr::BoolExpr { lhs, rhs, .. } => self.of(lhs) && self.of(rhs),
            Expr::Call { fcn, params, .. } => {
                let name = syntax::path(fcn).map(|path| path.names.join(".")).unwrap_or_default();
                TOTAL.contains(&name.as_str()) && params.iter().all(|param| self.of(param))
            }
            _ => false,
        }
    }
}

/// Whether a rule with these parts of its head, and this body, may be true for several bindings; yes when in doubt.
pub(super) fn iterates(parts: &[&Expr], query: Option<&Query>) -> bool {
    parts.iter().any(|part| expr(part)) || query.is_some_and(|query| query.stmts.iter().any(|stmt| literal(&stmt.literal)))
}

fn literal(literal: &Literal) -> bool {
    match literal {
        Literal::SomeVars { .. } | Literal::SomeIn { .. } => true,
        Literal::NotExpr { .. } => false,
        Literal::Expr { expr: e, .. } => expr(e),
        Literal::Every { domain, .. } => expr(domain),
    }
}

fn expr(e: &Expr) -> bool {
    match e {
        Expr::String { .. }
        | Expr::RawString { .. }
        | Expr::Number { .. }
        | Expr::Bool { .. }
        | Expr::Null { .. }
        | Expr::Var { .. }
        | Expr::ArrayCompr { .. }
        | Expr::SetCompr { .. }
        | Expr::ObjectCompr { .. } => false,
        Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().any(|item| expr(item)),
        Expr::Object { fields, .. } => fields.iter().any(|(_, key, value)| expr(key) || expr(value)),
        // Functions may have one argument more, for their result, and `walk` has many results.
        Expr::Call { fcn, params, .. } => {
            syntax::path(fcn).is_none_or(|path| path.names == ["walk"]) || params.iter().any(|param| expr(param))
        }
        Expr::UnaryExpr { expr: inner, .. } => expr(inner),
        Expr::RefDot { refr, .. } => expr(refr),
        Expr::RefBrack { refr, index, .. } => {
            expr(refr) || expr(index) || matches!(index.as_ref(), Expr::Var { .. } | Expr::Array { .. } | Expr::Object { .. })
        }
        Expr::BinExpr { lhs, rhs, .. }
        | Expr::BoolExpr { lhs, rhs, .. }
        | Expr::ArithExpr { lhs, rhs, .. }
        | Expr::AssignExpr { lhs, rhs, .. } => expr(lhs) || expr(rhs),
        Expr::Membership { key, value, collection, .. } => key.iter().chain([value, collection]).any(|e| expr(e)),
    }
}
