//! What OPA calls the kinds of values in its messages.

use regorus::Value;

use super::term::{Form, Kind, Term};

/// What OPA calls a kind of value.
pub(super) fn kind_name(term: &Term) -> &'static str {
    match &term.kind {
        Kind::Scalar(value) => match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            _ => "string",
        },
        Kind::Var(_) => "var",
        Kind::Ref(_) => "ref",
        Kind::Array(_) => "array",
        Kind::Set(_) => "set",
        Kind::Object(_) => "object",
        Kind::Call(_) => "call",
        Kind::Comprehension(compr) => match compr.form {
            Form::Array => "arraycomprehension",
            Form::Set => "setcomprehension",
            Form::Object => "objectcomprehension",
        },
    }
}
