//! What is wrong with operands of `and`, `or` and `not`, in OPA's words (`v1/ast/parser.go`).

use super::state::Parser;
use super::words::kind_name;
use crate::syntax::print;
use crate::syntax::span::Span;
use crate::syntax::tree::{Body, Expr, ExprKind, Kind, Term};

impl Parser<'_> {
    pub(super) fn with_on_operand(&mut self, with: Span, operator: &str) {
        self.hint(format!(
            "Wrap the operand in `(...)` or `{{...}}` to scope, or move `with` after the `{operator}` expression to apply it to the whole expression"
        ));
        self.error(with, format!("`with` modifier is not allowed on operand of `{operator}`"));
    }

    pub(super) fn brace_led_operand(&mut self, span: Span, operand: &str, operator: &str) {
        self.hint(format!("wrap the operand to keep the value: `({operand}) {operator} ...`"));
        self.error(span, format!("operand of `{operator}` cannot begin with `{{` unless the braces hold a body"));
    }

    pub(super) fn operand_needs_body(&mut self, span: Span, operand: &str, term: &Term, prefix: &str) {
        self.hint(format!("write `{prefix}({operand})` to negate the value, or `{prefix}{{{operand}}}` for a body holding it"));
        let value = kind_name(&leading(term).kind);
        self.error(span, format!("`{{...}}` in an operand position must contain expression(s), got: {value}"));
    }

    /// `{ a | b }` as a body could be a comprehension.
    pub(super) fn is_ambiguous_union(&self, body: &Body) -> bool {
        let Some(Expr { kind: ExprKind::Call(terms), span, .. }) = body.first() else { return false };
        let Some(operator) = terms.first() else { return false };
        print::name(operator) == "or"
            && self.slice(operator.span.start, operator.span.end) == "|"
            && !self.slice(span.start, span.end).trim_start().starts_with('(')
    }

    pub(super) fn ambiguous_union(&mut self, begin: Span, body: &Body, prefix: &str) {
        let end = self.at.last_end;
        let braces = self.slice(begin.start, end);
        let union = body.first().map_or_else(String::new, |expr| {
            let (front, back) = (self.slice(begin.start, expr.span.start), self.slice(expr.span.end, end));
            format!("{front}({}){back}", self.slice(expr.span.start, expr.span.end))
        });
        self.hint(format!("write `{prefix}({braces})` for the comprehension, or `{prefix}{union}` for the set union"));
        self.error(
            begin,
            "ambiguous `{ ... | ... }` operand: read as a body holding a set-union expression, not as a comprehension",
        );
    }

    /// An operand that does nothing but print never fails.
    pub(super) fn check_void(&mut self, body: &Body, operator: &str) {
        let name = |expr: &Expr| match &expr.kind {
            ExprKind::Call(terms) if !expr.negated => terms.first().map(print::name).filter(|name| is_void(name)),
            _ => None,
        };
        let names: Option<Vec<_>> = body.iter().map(name).collect();
        let (Some(names), Some(first)) = (names, body.first()) else { return };
        let Some(name) = names.first() else { return };
        self.hint(format!("`{name}` produces no value and always succeeds, so the operand can never fail; move it out of the operand, or add an expression that can fail"));
        self.error(first.span, format!("operand of `{operator}` cannot consist only of calls to `{name}`"));
    }
}

/// The builtins without a result.
fn is_void(name: &str) -> bool {
    matches!(name, "print" | "internal.print")
}

/// The leftmost operand of infix operators.
fn leading(term: &Term) -> &Term {
    let mut term = term;
    while let Kind::Call(terms) = &term.kind
        && let [operator, left, _] = terms.as_slice()
        && print::infix(&print::name(operator)).is_some()
    {
        term = left;
    }
    term
}
