//! Rules that are written as expressions: `p[x]`, `p = x`, `f(x) = y` (`v1/ast/parser_ext.go`, `ParseRuleFromBody`).

use thiserror::Error;

use super::head::{empty, of_reference};
use super::rule::{implicit_body, written};
use super::state::Parser;
use super::statement::Statement;
use super::words::kind_name;
use crate::builtins::table;
use crate::syntax::print;
use crate::syntax::span::Span;
use crate::syntax::tree::{Body, ExprKind, Head, Kind, Rule, Term};

/// Why a body is no rule, in OPA's words.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(super) enum HeadError {
    /// More than one expression.
    #[error("multiple expressions cannot be used for rule head")]
    Several,
    /// `with`.
    #[error("expressions using with keyword cannot be used for rule head")]
    With,
    /// `not`.
    #[error("negated expressions cannot be used for rule head")]
    Negated,
    /// `some`.
    #[error("'some' declarations cannot be used for rule head")]
    Some,
    /// `every` and the like.
    #[error("expression cannot be used for rule head")]
    Expression,
    /// A term that names nothing, by its kind.
    #[error("{0} cannot be used for rule name")]
    Name(&'static str),
    /// A reference of one part.
    #[error("refs cannot be used for rule head")]
    Reference,
    /// `eq` and `assign` with less than two operands.
    #[error("assignment requires two operands")]
    Operands,
    /// The name of a builtin.
    #[error("rule name conflicts with built-in function")]
    Builtin,
    /// A function of nothing.
    #[error("rule argument list must take at least one argument")]
    NoArguments,
    /// A reference whose first part is no name.
    #[error("invalid rule head: {0}")]
    Invalid(String),
    /// A reference of no parts, which is never parsed.
    #[error("")]
    Nothing,
}

/// Returns the rule that a body is. Fails where it is none.
pub(super) fn rule_of_body(body: &Body) -> Result<Rule, HeadError> {
    let [expr] = body.as_slice() else {
        return Err(HeadError::Several);
    };
    if !expr.with.is_empty() {
        return Err(HeadError::With);
    }
    if expr.negated {
        return Err(HeadError::Negated);
    }
    match &expr.kind {
        ExprKind::Some(_) => Err(HeadError::Some),
        ExprKind::Term(term) => of_term(term),
        ExprKind::Call(terms) => of_call(terms, expr.span),
        _ => Err(HeadError::Expression),
    }
}

fn of_term(term: &Term) -> Result<Rule, HeadError> {
    let Kind::Ref(parts) = &term.kind else {
        return Err(HeadError::Name(kind_name(&term.kind)));
    };
    let truth = Term::new(term.span, Kind::Bool(true));
    let head = match parts.as_slice() {
        [] | [_] => return Err(HeadError::Reference),
        [first, key] => Head { key: Some(key.clone()), ..empty(name(first, parts)?, vec![first.clone()]) },
        [first, ..] => {
            name(first, parts)?;
            Head { value: Some(truth), generated_value: true, ..of_reference(parts.clone()) }
        }
    };
    Ok(at(head, term.span, term.span))
}

fn of_call(terms: &[Term], span: Span) -> Result<Rule, HeadError> {
    let [operator, operands @ ..] = terms else {
        return Err(HeadError::Expression);
    };
    let called = print::name(operator);
    match (called.as_str(), operands) {
        ("eq" | "assign", [left, right, ..]) => {
            let mut rule = of_equality(left, right)?;
            rule.head.assign = called == "assign";
            (rule.span, rule.head.span) = (span, span);
            return Ok(rule);
        }
        ("eq" | "assign", _) => return Err(HeadError::Operands),
        _ => {}
    }
    if table::find(&called).is_some() {
        return Err(HeadError::Builtin);
    }
    if operands.is_empty() {
        return Err(HeadError::NoArguments);
    }
    let parts = operator.as_ref_parts().unwrap_or_default();
    parts.first().ok_or(HeadError::Nothing).and_then(|first| name(first, parts))?;
    let value = Some(Term::new(operator.span, Kind::Bool(true)));
    let head = Head { value, args: Some(operands.to_vec()), ..of_reference(parts.to_vec()) };
    Ok(at(head, operator.span, operator.span))
}

/// A function, a member of an object, or a complete document, whichever fits first.
fn of_equality(left: &Term, right: &Term) -> Result<Rule, HeadError> {
    let value = Some(right.clone());
    match &left.kind {
        Kind::Call(terms) => {
            if let Some((operator, args)) = terms.split_first()
                && let Some(parts) = operator.as_ref_parts()
                && parts.first().is_some_and(|first| first.as_var().is_some())
            {
                let head = Head { value, args: Some(args.to_vec()), ..of_reference(parts.to_vec()) };
                return Ok(at(head, left.span, right.made_place()));
            }
            Err(HeadError::Name("call"))
        }
        Kind::Ref(parts) => {
            let first = parts.first().ok_or(HeadError::Nothing)?;
            let first_name = name(first, parts)?;
            let mut head = Head { value, ..of_reference(parts.clone()) };
            if let [_, key] = parts.as_slice() {
                (head.name, head.key) = (first_name, Some(key.clone()));
            }
            Ok(at(head, right.span, right.made_place()))
        }
        Kind::Var(var) => {
            let reference = vec![Term::var(left.span, var.clone())];
            Ok(at(Head { value, ..empty(var.clone(), reference) }, left.span, right.made_place()))
        }
        kind => Err(HeadError::Name(kind_name(kind))),
    }
}

fn name(first: &Term, parts: &[Term]) -> Result<crate::syntax::tree::Var, HeadError> {
    first.as_var().cloned().ok_or_else(|| HeadError::Invalid(print::reference(parts)))
}

fn at(mut head: Head, span: Span, body: Span) -> Rule {
    head.span = span;
    written(span, head, implicit_body(body))
}

/// A hint at `if` or `contains`, where they are no keywords and the text reads as if they were (`missingHeadKeyword`).
pub(super) fn missing_keyword(body: &Body, next: Option<&Statement>, parser: &Parser<'_>) -> Option<&'static str> {
    let hint = |name: &str| match name {
        "if" => Some(" (hint: `import future.keywords.if` for `p if { ... }` rules)"),
        "contains" => Some(" (hint: `import future.keywords.contains` for `p contains x` rules)"),
        _ => None,
    };
    let of_body = |body: &Body| match body.as_slice() {
        [only] => match &only.kind {
            ExprKind::Term(term) => term.as_var().and_then(|name| hint(name)),
            _ => None,
        },
        _ => None,
    };
    if let Some(found) = of_body(body) {
        return Some(found);
    }
    let begin = body.first()?.span.start;
    let (place, found) = match next? {
        Statement::Rule(draft) => (draft.rule.span, hint(&draft.rule.head.name)),
        Statement::Body(body) => (body.node.first()?.span, of_body(&body.node)),
        _ => return None,
    };
    let same_row = place.end > 0 && !parser.slice(begin, place.start).contains('\n');
    found.filter(|_| same_row)
}
