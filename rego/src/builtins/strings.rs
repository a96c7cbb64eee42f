//! Text.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("concat", &[Type::String, Type::Or(&[Type::Array(&Type::String), Type::Set(&Type::String)])], Some(Type::String)),
    row("contains", &[Type::String, Type::String], Some(Type::Boolean)),
    row("endswith", &[Type::String, Type::String], Some(Type::Boolean)),
    row("format_int", &[Type::Number, Type::Number], Some(Type::String)),
    row("indexof", &[Type::String, Type::String], Some(Type::Number)),
    row("indexof_n", &[Type::String, Type::String], Some(Type::Array(&Type::Number))),
    row("lower", &[Type::String], Some(Type::String)),
    row("replace", &[Type::String, Type::String, Type::String], Some(Type::String)),
    row("split", &[Type::String, Type::String], Some(Type::Array(&Type::String))),
    row("sprintf", &[Type::String, Type::Array(&Type::Any)], Some(Type::String)),
    row("startswith", &[Type::String, Type::String], Some(Type::Boolean)),
    row(
        "strings.any_prefix_match",
        &[
            Type::Or(&[Type::String, Type::Array(&Type::String), Type::Set(&Type::String)]),
            Type::Or(&[Type::String, Type::Array(&Type::String), Type::Set(&Type::String)]),
        ],
        Some(Type::Boolean),
    ),
    row(
        "strings.any_suffix_match",
        &[
            Type::Or(&[Type::String, Type::Array(&Type::String), Type::Set(&Type::String)]),
            Type::Or(&[Type::String, Type::Array(&Type::String), Type::Set(&Type::String)]),
        ],
        Some(Type::Boolean),
    ),
    row("strings.count", &[Type::String, Type::String], Some(Type::Number)),
    row("strings.render_template", &[Type::String, Type::Object(&Type::String, &Type::Any)], Some(Type::String)),
    row("strings.replace_n", &[Type::Object(&Type::String, &Type::String), Type::String], Some(Type::String)),
    row("strings.reverse", &[Type::String], Some(Type::String)),
    row("strings.split_n", &[Type::String, Type::String, Type::Number], Some(Type::Array(&Type::String))),
    row("substring", &[Type::String, Type::Number, Type::Number], Some(Type::String)),
    row("trim", &[Type::String, Type::String], Some(Type::String)),
    row("trim_left", &[Type::String, Type::String], Some(Type::String)),
    row("trim_prefix", &[Type::String, Type::String], Some(Type::String)),
    row("trim_right", &[Type::String, Type::String], Some(Type::String)),
    row("trim_space", &[Type::String], Some(Type::String)),
    row("trim_suffix", &[Type::String, Type::String], Some(Type::String)),
    row("upper", &[Type::String], Some(Type::String)),
];
