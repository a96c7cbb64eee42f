//! JSON, YAML, base64, hex and URL encodings.

mod base64;
mod hex;
pub(super) mod json;
pub(super) mod urlquery;
mod yaml;

pub use yaml::yaml_document;

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("base64.decode", &[Type::String], Some(Type::String)).by(base64::decode),
    row("base64.encode", &[Type::String], Some(Type::String)).by(base64::encode),
    row("base64.is_valid", &[Type::String], Some(Type::Boolean)).by(base64::is_valid),
    row("base64url.decode", &[Type::String], Some(Type::String)).by(base64::decode_url),
    row("base64url.encode", &[Type::String], Some(Type::String)).by(base64::encode_url),
    row("base64url.encode_no_pad", &[Type::String], Some(Type::String)).by(base64::encode_url_no_pad),
    row("hex.decode", &[Type::String], Some(Type::String)).by(hex::decode),
    row("hex.encode", &[Type::String], Some(Type::String)).by(hex::encode),
    row("json.is_valid", &[Type::String], Some(Type::Boolean)).by(json::is_valid),
    row("json.marshal", &[Type::Any], Some(Type::String)).by(json::marshal),
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
    )
    .by(json::marshal_with_options),
    row("json.unmarshal", &[Type::String], Some(Type::Any)).by(json::unmarshal),
    row("urlquery.decode", &[Type::String], Some(Type::String)).by(urlquery::decode),
    row("urlquery.decode_object", &[Type::String], Some(Type::Object(&Type::String, &Type::Array(&Type::String))))
        .by(urlquery::decode_object),
    row("urlquery.encode", &[Type::String], Some(Type::String)).by(urlquery::encode),
    row(
        "urlquery.encode_object",
        &[Type::Object(&Type::String, &Type::Or(&[Type::String, Type::Array(&Type::String), Type::Set(&Type::String)]))],
        Some(Type::String),
    )
    .by(urlquery::encode_object),
    row("yaml.is_valid", &[Type::String], Some(Type::Boolean)).by(yaml::is_valid),
    row("yaml.marshal", &[Type::Any], Some(Type::String)).by(yaml::marshal),
    row("yaml.unmarshal", &[Type::String], Some(Type::Any)).by(yaml::unmarshal),
];
