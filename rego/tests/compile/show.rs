//! Compiled rules as the recorder writes them.

use plimsoll_rego::error::Errors;
use plimsoll_rego::syntax::print;
use plimsoll_rego::syntax::source::Sources;
use plimsoll_rego::syntax::span::Span;
use plimsoll_rego::syntax::tree::{Expr, Rule};

/// As OPA, nowhere for some of what the compiler made.
fn place(sources: &Sources, span: Span) -> String {
    if span == Span::default() {
        return "-".to_owned();
    }
    let position = sources.get(span.source).unwrap().position(span.start);
    format!("{}:{}", position.row, position.col)
}

/// A body with the place of each expression, and a star before what the compiler made.
pub(super) fn body(sources: &Sources, body: &[Expr]) -> String {
    let expr = |expr: &Expr| {
        let star = if expr.generated { "*" } else { "" };
        format!("{star}{} {}", place(sources, expr.span), print::expr(expr))
    };
    body.iter().map(expr).collect::<Vec<_>>().join("; ")
}

/// A rule and what follows its `else`.
pub(super) fn rule(sources: &Sources, rule: &Rule) -> String {
    let head = &rule.head;
    let mut out = String::from(if rule.default { "default " } else { "" });
    out.push_str(&print::reference(&head.reference));
    if let Some(args) = head.args.as_ref().filter(|args| !args.is_empty()) {
        out.push_str(&format!("({})", args.iter().map(print::term).collect::<Vec<_>>().join(", ")));
    }
    if let Some(key) = &head.key {
        out.push_str(&format!(" contains {}", print::term(key)));
    }
    if let Some(value) = &head.value {
        out.push_str(&format!(" = {}", print::term(value)));
    }
    out.push_str(&format!(" {{ {} }}", body(sources, &rule.body)));
    if let Some(otherwise) = &rule.otherwise {
        out.push_str(&format!(" else {}", self::rule(sources, otherwise)));
    }
    out
}

/// Errors with their places, and the lines that explain them.
pub(super) fn errors(sources: &Sources, errors: &Errors) -> Vec<String> {
    let name = |span: Span| sources.get(span.source).unwrap().name.clone();
    let line = |error: &plimsoll_rego::error::Error| {
        let span = error.span();
        let file = if span == Span::default() { String::new() } else { format!("{}:", name(span)) };
        let first = format!("{file}{}: {}: {}", place(sources, span), error.code().as_str(), error.message());
        std::iter::once(first).chain(error.details().iter().cloned()).collect::<Vec<_>>().join("\n")
    };
    errors.iter().map(line).collect()
}
