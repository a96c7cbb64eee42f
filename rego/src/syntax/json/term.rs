//! Terms.

use super::body::{body, expr};
use super::{Members, Style};
use crate::syntax::parse::kind_name;
use crate::syntax::tree::{Kind, TemplatePart, Term};
use crate::value::Value;

/// A term with its type.
pub(crate) fn term(style: Style<'_>, term: &Term) -> Value {
    Members::new().at(style, term.span).with("type", kind_name(&term.kind)).with("value", value(style, &term.kind)).finish()
}

/// Terms one after the other.
pub(super) fn terms(style: Style<'_>, terms: &[Term]) -> Value {
    Value::array(terms.iter().map(|term| self::term(style, term)))
}

fn value(style: Style<'_>, kind: &Kind) -> Value {
    match kind {
        Kind::Null => Members::new().finish(),
        Kind::Bool(value) => Value::from(*value),
        Kind::Number(text) => Value::number(text).unwrap_or(Value::Null),
        Kind::String(text) | Kind::Var(text) => Value::string(text),
        Kind::Ref(items) | Kind::Array(items) | Kind::Set(items) | Kind::Call(items) => terms(style, items),
        Kind::Object(members) => {
            Value::array(members.iter().map(|(key, value)| Value::array([term(style, key), term(style, value)])))
        }
        Kind::ArrayCompr(it) | Kind::SetCompr(it) => {
            Members::new().with("term", term(style, &it.term)).with("body", body(style, &it.body)).finish()
        }
        Kind::ObjectCompr(it) => Members::new()
            .with("key", term(style, &it.key))
            .with("value", term(style, &it.value))
            .with("body", body(style, &it.body))
            .finish(),
        Kind::Template(template) => {
            let part = |part: &TemplatePart| match part {
                TemplatePart::Text(text) => term(style, text),
                TemplatePart::Expr(part) => expr(style, part, 0),
            };
            // An empty one is `null` for Go.
            let parts = if template.parts.is_empty() { Value::Null } else { Value::array(template.parts.iter().map(part)) };
            Members::new().with("parts", parts).with("multi_line", template.multi_line).finish()
        }
    }
}
