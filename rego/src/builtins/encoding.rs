//! JSON, YAML, base64, hex and URL encodings.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("base64.decode", &[Type::String], Some(Type::String)),
    row("base64.encode", &[Type::String], Some(Type::String)),
    row("base64.is_valid", &[Type::String], Some(Type::Boolean)),
    row("base64url.decode", &[Type::String], Some(Type::String)),
    row("base64url.encode", &[Type::String], Some(Type::String)),
    row("base64url.encode_no_pad", &[Type::String], Some(Type::String)),
    row("hex.decode", &[Type::String], Some(Type::String)),
    row("hex.encode", &[Type::String], Some(Type::String)),
    row("json.is_valid", &[Type::String], Some(Type::Boolean)),
    row("json.marshal", &[Type::Any], Some(Type::String)),
    row(
        "json.marshal_with_options",
        &[
            Type::Any,
            Type::Record(
                &[("indent", Type::String), ("prefix", Type::String), ("pretty", Type::Boolean)],
                Some((&Type::String, &Type::Any)),
            ),
        ],
        Some(Type::String),
    ),
    row("json.unmarshal", &[Type::String], Some(Type::Any)),
    row("urlquery.decode", &[Type::String], Some(Type::String)),
    row("urlquery.decode_object", &[Type::String], Some(Type::Object(&Type::String, &Type::Array(&Type::String)))),
    row("urlquery.encode", &[Type::String], Some(Type::String)),
    row(
        "urlquery.encode_object",
        &[Type::Object(&Type::String, &Type::Or(&[Type::String, Type::Array(&Type::String), Type::Set(&Type::String)]))],
        Some(Type::String),
    ),
    row("yaml.is_valid", &[Type::String], Some(Type::Boolean)),
    row("yaml.marshal", &[Type::Any], Some(Type::String)),
    row("yaml.unmarshal", &[Type::String], Some(Type::Any)),
];
