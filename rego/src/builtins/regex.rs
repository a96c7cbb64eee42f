//! Patterns.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("re_match", &[Type::String, Type::String], Some(Type::Boolean)).deprecated(),
    row(
        "regex.find_all_string_submatch_n",
        &[Type::String, Type::String, Type::Number],
        Some(Type::Array(&Type::Array(&Type::String))),
    ),
    row("regex.find_n", &[Type::String, Type::String, Type::Number], Some(Type::Array(&Type::String))),
    row("regex.globs_match", &[Type::String, Type::String], Some(Type::Boolean)),
    row("regex.is_valid", &[Type::String], Some(Type::Boolean)),
    row("regex.match", &[Type::String, Type::String], Some(Type::Boolean)),
    row("regex.replace", &[Type::String, Type::String, Type::String], Some(Type::String)),
    row("regex.split", &[Type::String, Type::String], Some(Type::Array(&Type::String))),
    row("regex.template_match", &[Type::String, Type::String, Type::String, Type::String], Some(Type::Boolean)),
];
