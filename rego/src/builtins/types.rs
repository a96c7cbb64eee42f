//! What type a value is of.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("cast_array", &[Type::Any], Some(Type::Array(&Type::Any))).deprecated(),
    row("cast_boolean", &[Type::Any], Some(Type::Boolean)).deprecated(),
    row("cast_null", &[Type::Any], Some(Type::Null)).deprecated(),
    row("cast_object", &[Type::Any], Some(Type::Object(&Type::Any, &Type::Any))).deprecated(),
    row("cast_set", &[Type::Any], Some(Type::Set(&Type::Any))).deprecated(),
    row("cast_string", &[Type::Any], Some(Type::String)).deprecated(),
    row("is_array", &[Type::Any], Some(Type::Boolean)),
    row("is_boolean", &[Type::Any], Some(Type::Boolean)),
    row("is_null", &[Type::Any], Some(Type::Boolean)),
    row("is_number", &[Type::Any], Some(Type::Boolean)),
    row("is_object", &[Type::Any], Some(Type::Boolean)),
    row("is_set", &[Type::Any], Some(Type::Boolean)),
    row("is_string", &[Type::Any], Some(Type::Boolean)),
    row("type_name", &[Type::Any], Some(Type::String)),
];
