//! Terms that are values already (`v1/ast/term.go`, `IsConstant`).

use super::terms::is_comprehension;
use crate::syntax::steps;
use crate::syntax::tree::{Kind, Term};
use crate::syntax::visit::{Node, any_term};
use crate::value::Value;

/// Whether a term holds no variable, reference, call or comprehension.
pub(crate) fn is_constant(term: &Term) -> bool {
    !any_term(Node::Term(term), |term| matches!(term.kind, Kind::Var(_) | Kind::Ref(_) | Kind::Call(_)) || is_comprehension(term))
}

/// The value that a constant term is; `None` for all else.
pub(crate) fn value(term: &Term) -> Option<Value> {
    steps::one();
    match &term.kind {
        Kind::Null => Some(Value::Null),
        Kind::Bool(value) => Some(Value::from(*value)),
        Kind::Number(text) => Value::number(text),
        Kind::String(text) => Some(Value::string(text)),
        Kind::Array(items) => Some(Value::array(items.iter().map(value).collect::<Option<Vec<_>>>()?)),
        Kind::Set(members) => Some(Value::set(members.iter().map(value).collect::<Option<Vec<_>>>()?)),
        Kind::Object(members) => {
            let members = members.iter().map(|(key, inner)| Some((value(key)?, value(inner)?)));
            Some(Value::object(members.collect::<Option<Vec<_>>>()?))
        }
        _ => None,
    }
}
