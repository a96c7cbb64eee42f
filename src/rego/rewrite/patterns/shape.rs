//! What patterns are made of, and their text where it is written a second time.

use regorus::unstable::{Expr, Ref, Span};

use crate::rego::splice::place;
use crate::rego::syntax;

/// Whether a pattern has an object in it.
pub(super) fn has_object(pattern: &Expr) -> bool {
    match pattern {
        Expr::Object { .. } => true,
        Expr::Array { items, .. } => items.iter().any(|item| has_object(item)),
        _ => false,
    }
}

/// Whether a pattern has a `_` in it.
pub(super) fn has_wildcard(pattern: &Expr) -> bool {
    match pattern {
        Expr::Var { span, .. } => span.text() == "_",
        Expr::Array { items, .. } => items.iter().any(|item| has_wildcard(item)),
        Expr::Object { fields, .. } => fields.iter().any(|(_, _, value)| has_wildcard(value)),
        _ => false,
    }
}

/// The variables of a pattern in the order of the text, but `_`.
pub(super) fn variables<'a>(pattern: &'a Expr, found: &mut Vec<&'a Span>) {
    match pattern {
        Expr::Var { span, .. } if !matches!(span.text(), "_" | "input" | "data") => found.push(span),
        Expr::Array { items, .. } => items.iter().for_each(|item| variables(item, found)),
        Expr::Object { fields, .. } => fields.iter().for_each(|(_, _, value)| variables(value, found)),
        _ => {}
    }
}

/// The shape of a pattern, for `plimsoll__.exact`.
pub(super) fn shape(pattern: &Expr, text: &str) -> String {
    match pattern {
        Expr::Array { items, .. } => {
            format!("[{}]", items.iter().map(|item| shape(item, text)).collect::<Vec<_>>().join(", "))
        }
        Expr::Object { fields, .. } => {
            let key = |key: &Expr| syntax::flat(text.get(syntax::range(key, text)).unwrap_or_default());
            let field = |(_, name, value): &(Span, Ref<Expr>, Ref<Expr>)| format!("{}: {}", key(name), shape(value, text));
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        _ => "null".to_owned(),
    }
}

/// A pattern's text on one line, with some of its variables replaced, which are in the order of the text.
pub(super) fn renamed(pattern: &Expr, text: &str, names: &[(&Span, String)]) -> String {
    let range = syntax::range(pattern, text);
    let (mut written, mut at) = (String::new(), range.start);
    for (span, name) in names {
        written.push_str(text.get(at..place(span.start)).unwrap_or_default());
        written.push_str(name);
        at = place(span.end);
    }
    written.push_str(text.get(at..range.end).unwrap_or_default());
    syntax::flat(&written)
}
