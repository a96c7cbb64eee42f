//! From the parser's syntax tree to terms and statements.

use regorus::Value;
use regorus::unstable as ast;

use super::names::Names;
use super::term::{
    ASSIGN, Body, Call, Comprehension, EQUAL, Every, Expr, ExprKind, Form, Kind, MEMBER, MEMBER_WITH_KEY, Operator, SomeIn, Term,
    UNIFY,
};

/// A statement list.
pub(super) fn body(query: &ast::Query, names: &mut Names) -> Body {
    query.stmts.iter().map(|stmt| statement(stmt, names)).collect()
}

/// The body of a rule that has none.
pub(super) fn always(at: u32, names: &mut Names) -> Body {
    vec![expr(at, ExprKind::Term(Term { at, kind: Kind::Scalar(Value::from(true)) }), names)]
}

/// A plain statement.
pub(super) fn expr(at: u32, kind: ExprKind, names: &mut Names) -> Expr {
    Expr { at, id: names.expr(), kind, negated: false, with: Vec::new(), generated: false, assigned: false }
}

fn statement(stmt: &ast::LiteralStmt, names: &mut Names) -> Expr {
    let (kind, negated) = match &stmt.literal {
        ast::Literal::SomeVars { vars, .. } => (ExprKind::Some(vars.iter().map(|var| name(var, names)).collect()), false),
        ast::Literal::SomeIn { key, value, collection, .. } => {
            let key = key.as_ref().map(|key| term(key, names));
            let some = SomeIn { key, value: term(value, names), collection: term(collection, names) };
            (ExprKind::SomeIn(Box::new(some)), false)
        }
        ast::Literal::Expr { expr, .. } => (expression(expr, names), false),
        ast::Literal::NotExpr { expr, .. } => (expression(expr, names), true),
        ast::Literal::Every { key, value, domain, query, .. } => {
            let key = key.as_ref().map(|key| name(key, names));
            let value = name(value, names);
            let every = Every { key, value, domain: term(domain, names), body: body(query, names) };
            (ExprKind::Every(Box::new(every)), false)
        }
    };
    let with = stmt.with_mods.iter().map(|with| (term(&with.refr, names), term(&with.r#as, names))).collect();
    Expr { negated, with, ..expr(stmt.span.start, kind, names) }
}

/// At the top of a statement a call is the statement itself, not a value.
fn expression(expr: &ast::Expr, names: &mut Names) -> ExprKind {
    if let ast::Expr::AssignExpr { op, lhs, rhs, .. } = expr {
        let operator = match op {
            ast::AssignOp::Eq => UNIFY,
            ast::AssignOp::ColEq => ASSIGN,
        };
        return ExprKind::Call(infix(operator, [lhs.as_ref(), rhs.as_ref()], names));
    }
    match term(expr, names).kind {
        Kind::Call(call) => ExprKind::Call(call),
        kind => ExprKind::Term(Term { at: start(expr), kind }),
    }
}

fn infix<const N: usize>(name: &'static str, operands: [&ast::Expr; N], names: &mut Names) -> Call {
    Call { operator: Operator::Infix(name), operands: operands.iter().map(|operand| term(operand, names)).collect() }
}

fn name(span: &ast::Span, names: &mut Names) -> Term {
    let var = match span.text() {
        "_" => names.wildcard(),
        text => names.written(text),
    };
    Term::var(var, span.start)
}

/// Where an expression begins; the parser's spans of objects begin at their last member.
pub(super) fn start(expr: &ast::Expr) -> u32 {
    match expr {
        ast::Expr::Object { span, fields, .. } => fields.first().map_or(span.start, |(_, key, _)| start(key)),
        _ => expr.span().start,
    }
}

fn terms<'e>(items: impl IntoIterator<Item = &'e ast::ExprRef>, names: &mut Names) -> Vec<Term> {
    items.into_iter().map(|item| term(item, names)).collect()
}

/// A value.
pub(super) fn term(expr: &ast::Expr, names: &mut Names) -> Term {
    Term { at: start(expr), kind: kind(expr, names) }
}

fn kind(expr: &ast::Expr, names: &mut Names) -> Kind {
    match expr {
        ast::Expr::String { value, .. }
        | ast::Expr::RawString { value, .. }
        | ast::Expr::Number { value, .. }
        | ast::Expr::Bool { value, .. } => Kind::Scalar(value.clone()),
        ast::Expr::Null { .. } => Kind::Scalar(Value::Null),
        ast::Expr::Var { span, .. } if matches!(span.text(), "data" | "input") => Kind::Ref(vec![name(span, names)]),
        ast::Expr::Var { span, .. } => name(span, names).kind,
        ast::Expr::Array { items, .. } => Kind::Array(terms(items, names)),
        ast::Expr::Set { items, .. } => Kind::Set(terms(items, names)),
        ast::Expr::Object { fields, .. } => {
            Kind::Object(fields.iter().map(|(_, key, value)| (term(key, names), term(value, names))).collect())
        }
        ast::Expr::ArrayCompr { term, query, .. } => comprehension(Form::Array, &[term], query, names),
        ast::Expr::SetCompr { term, query, .. } => comprehension(Form::Set, &[term], query, names),
        ast::Expr::ObjectCompr { key, value, query, .. } => comprehension(Form::Object, &[key, value], query, names),
        ast::Expr::RefDot { .. } | ast::Expr::RefBrack { .. } => Kind::Ref(path(expr, names)),
        ast::Expr::UnaryExpr { expr, .. } => Kind::Call(infix("minus", [expr.as_ref()], names)),
        _ => Kind::Call(call(expr, names)),
    }
}

fn comprehension(form: Form, heads: &[&ast::ExprRef], query: &ast::Query, names: &mut Names) -> Kind {
    let terms = terms(heads.iter().copied(), names);
    Kind::Comprehension(Box::new(Comprehension { form, terms, body: body(query, names) }))
}

fn call(expr: &ast::Expr, names: &mut Names) -> Call {
    match expr {
        ast::Expr::Call { fcn, params, .. } => {
            Call { operator: Operator::Path(path(fcn, names)), operands: terms(params, names) }
        }
        ast::Expr::BinExpr { op, lhs, rhs, .. } => infix(set_operator(op), [lhs.as_ref(), rhs.as_ref()], names),
        ast::Expr::BoolExpr { op, lhs, rhs, .. } => infix(comparison(op), [lhs.as_ref(), rhs.as_ref()], names),
        ast::Expr::ArithExpr { op, lhs, rhs, .. } => infix(arithmetic(op), [lhs.as_ref(), rhs.as_ref()], names),
        ast::Expr::AssignExpr { lhs, rhs, .. } => infix(UNIFY, [lhs.as_ref(), rhs.as_ref()], names),
        ast::Expr::Membership { key: Some(key), value, collection, .. } => {
            infix(MEMBER_WITH_KEY, [key.as_ref(), value.as_ref(), collection.as_ref()], names)
        }
        ast::Expr::Membership { key: None, value, collection, .. } => infix(MEMBER, [value.as_ref(), collection.as_ref()], names),
        _ => Call { operator: Operator::Path(Vec::new()), operands: Vec::new() },
    }
}

fn set_operator(op: &ast::BinOp) -> &'static str {
    match op {
        ast::BinOp::Intersection => "and",
        ast::BinOp::Union => "or",
    }
}

fn comparison(op: &ast::BoolOp) -> &'static str {
    match op {
        ast::BoolOp::Lt => "lt",
        ast::BoolOp::Le => "lte",
        ast::BoolOp::Eq => EQUAL,
        ast::BoolOp::Ge => "gte",
        ast::BoolOp::Gt => "gt",
        ast::BoolOp::Ne => "neq",
    }
}

fn arithmetic(op: &ast::ArithOp) -> &'static str {
    match op {
        ast::ArithOp::Add => "plus",
        ast::ArithOp::Sub => "minus",
        ast::ArithOp::Mul => "mul",
        ast::ArithOp::Div => "div",
        ast::ArithOp::Mod => "rem",
    }
}

/// A reference as a list: what it begins with, then each step.
pub(super) fn path(expr: &ast::Expr, names: &mut Names) -> Vec<Term> {
    let mut steps = Vec::new();
    let mut inner = expr;
    loop {
        match inner {
            ast::Expr::RefDot { refr, field: (span, _), .. } => {
                steps.push(Step::Field(span));
                inner = refr;
            }
            ast::Expr::RefBrack { refr, index, .. } => {
                steps.push(Step::Index(index));
                inner = refr;
            }
            _ => break,
        }
    }
    let head = term(inner, names);
    let mut parts = if let Kind::Ref(root) = head.kind { root } else { vec![head] };
    for step in steps.into_iter().rev() {
        parts.push(match step {
            Step::Field(span) => Term::string(span.text(), span.start),
            Step::Index(index) => term(index, names),
        });
    }
    parts
}

enum Step<'e> {
    Field(&'e ast::Span),
    Index(&'e ast::Expr),
}
