//! A walk over the expressions of rules, outermost first.

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Literal, LiteralStmt, Query, Rule, RuleAssign, RuleHead};

use super::syntax;

/// Told of each expression.
pub(super) trait Visitor {
    /// Whether to walk on into the expression; who says no may walk into parts of it with [`expr`].
    fn expr(&mut self, expr: &Expr) -> bool;
    /// The name of a function that is called, or the target of a `with`: neither is read.
    fn named(&mut self, _name: &Expr) {}
    /// The walk leaves an expression that it walked into.
    fn leave(&mut self) {}
    /// `some … in` or `every`.
    fn iteration(&mut self) {}
    /// A body, before its statements.
    fn body(&mut self, _query: &Query) {}
    /// A statement of a body, before its expressions.
    fn statement(&mut self, _stmt: &LiteralStmt) {}
}

/// Walks a rule: index expressions and arguments of its head, its values, its bodies.
pub(super) fn rule(rule: &Rule, visitor: &mut impl Visitor) {
    match rule {
        Rule::Default { value, .. } => expr(value, visitor),
        Rule::Spec { head, bodies, .. } => {
            self::head(head, visitor);
            for body in bodies {
                assign(body.assign.as_ref(), visitor);
                query(&body.query, visitor);
            }
        }
    }
}

fn head(head: &RuleHead, visitor: &mut impl Visitor) {
    match head {
        RuleHead::Compr { refr, assign: value, .. } => {
            indexes(refr, visitor);
            assign(value.as_ref(), visitor);
        }
        RuleHead::Set { refr, key, .. } => {
            indexes(refr, visitor);
            key.iter().for_each(|key| expr(key, visitor));
        }
        RuleHead::Func { args, assign: value, .. } => {
            args.iter().for_each(|arg| expr(arg, visitor));
            assign(value.as_ref(), visitor);
        }
    }
}

fn assign(value: Option<&RuleAssign>, visitor: &mut impl Visitor) {
    value.iter().for_each(|assign| expr(&assign.value, visitor));
}

/// Walks the index expressions of a reference, not the reference itself.
pub(super) fn indexes(reference: &Expr, visitor: &mut impl Visitor) {
    let mut rest = reference;
    loop {
        match rest {
            Expr::RefBrack { refr, index, .. } => {
                expr(index, visitor);
                rest = refr;
            }
            Expr::RefDot { refr, .. } => rest = refr,
            Expr::Var { .. } => return,
            other => return expr(other, visitor),
        }
    }
}

/// Walks a body.
pub(super) fn query(query: &Query, visitor: &mut impl Visitor) {
    visitor.body(query);
    query.stmts.iter().for_each(|stmt| statement(stmt, visitor));
}

/// Walks a statement.
pub(super) fn statement(stmt: &LiteralStmt, visitor: &mut impl Visitor) {
    visitor.statement(stmt);
    match &stmt.literal {
        Literal::SomeVars { .. } => {}
        Literal::SomeIn { key, value, collection, .. } => {
            visitor.iteration();
            key.iter().chain([value, collection]).for_each(|e| expr(e, visitor));
        }
        Literal::Expr { expr: e, .. } | Literal::NotExpr { expr: e, .. } => expr(e, visitor),
        Literal::Every { domain, query: body, .. } => {
            visitor.iteration();
            expr(domain, visitor);
            query(body, visitor);
        }
    }
    for with in &stmt.with_mods {
        visitor.named(&with.refr);
        expr(&with.r#as, visitor);
    }
}

/// Walks an expression.
pub(super) fn expr(e: &Expr, visitor: &mut impl Visitor) {
    if visitor.expr(e) {
        inside(e, visitor);
        visitor.leave();
    }
}

fn inside(e: &Expr, visitor: &mut impl Visitor) {
    match e {
        Expr::String { .. }
        | Expr::RawString { .. }
        | Expr::Number { .. }
        | Expr::Bool { .. }
        | Expr::Null { .. }
        | Expr::Var { .. } => {}
        Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().for_each(|item| expr(item, visitor)),
        Expr::Object { fields, .. } => {
            fields.iter().flat_map(|(_, key, value)| [key, value]).for_each(|e| expr(e, visitor));
        }
        Expr::ArrayCompr { term, query: body, .. } | Expr::SetCompr { term, query: body, .. } => {
            expr(term, visitor);
            query(body, visitor);
        }
        Expr::ObjectCompr { key, value, query: body, .. } => {
            expr(key, visitor);
            expr(value, visitor);
            query(body, visitor);
        }
        Expr::Call { fcn, params, .. } => {
            visitor.named(fcn);
            params.iter().for_each(|param| expr(param, visitor));
        }
        Expr::UnaryExpr { expr: inner, .. } => expr(inner, visitor),
        Expr::RefDot { refr, .. } => expr(refr, visitor),
        Expr::RefBrack { refr, index, .. } => {
            expr(refr, visitor);
            expr(index, visitor);
        }
        Expr::BinExpr { lhs, rhs, .. }
        | Expr::BoolExpr { lhs, rhs, .. }
        | Expr::ArithExpr { lhs, rhs, .. }
        | Expr::AssignExpr { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(|e| expr(e, visitor)),
        Expr::Membership { key, value, collection, .. } => {
            key.iter().chain([value, collection]).for_each(|e| expr(e, visitor));
        }
    }
}

/// Whether there is a comprehension in an expression.
pub(super) fn has_comprehension(expr: &Expr) -> bool {
    struct Search(bool);
    impl Visitor for Search {
        fn expr(&mut self, expr: &Expr) -> bool {
            self.0 |= syntax::is_comprehension(expr);
            !self.0
        }
    }
    let mut search = Search(false);
    self::expr(expr, &mut search);
    search.0
}

/// Whether a body has one of some variables.
pub(super) fn mentions(body: &Query, names: &BTreeSet<String>) -> bool {
    struct Mentions<'n>(&'n BTreeSet<String>, bool);
    impl Visitor for Mentions<'_> {
        fn expr(&mut self, expr: &Expr) -> bool {
            self.1 |= matches!(expr, Expr::Var { span, .. } if self.0.contains(span.text()));
            !self.1
        }

        fn statement(&mut self, stmt: &LiteralStmt) {
            let Literal::SomeVars { vars, .. } = &stmt.literal else { return };
            self.1 |= vars.iter().any(|var| self.0.contains(var.text()));
        }
    }
    let mut mentions = Mentions(names, false);
    query(body, &mut mentions);
    mentions.1
}
