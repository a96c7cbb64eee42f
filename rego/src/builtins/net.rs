//! Networks.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("net.cidr_contains", &[Type::String, Type::String], Some(Type::Boolean)),
    row(
        "net.cidr_contains_matches",
        &[
            Type::Or(&[
                Type::String,
                Type::Array(&Type::Or(&[Type::String, Type::Array(&Type::Any)])),
                Type::Object(&Type::String, &Type::Or(&[Type::String, Type::Array(&Type::Any)])),
                Type::Set(&Type::Or(&[Type::String, Type::Array(&Type::Any)])),
            ]),
            Type::Or(&[
                Type::String,
                Type::Array(&Type::Or(&[Type::String, Type::Array(&Type::Any)])),
                Type::Object(&Type::String, &Type::Or(&[Type::String, Type::Array(&Type::Any)])),
                Type::Set(&Type::Or(&[Type::String, Type::Array(&Type::Any)])),
            ]),
        ],
        Some(Type::Set(&Type::Tuple(&[Type::Any, Type::Any]))),
    ),
    row("net.cidr_expand", &[Type::String], Some(Type::Set(&Type::String))),
    row("net.cidr_intersects", &[Type::String, Type::String], Some(Type::Boolean)),
    row("net.cidr_is_valid", &[Type::String], Some(Type::Boolean)),
    row(
        "net.cidr_merge",
        &[Type::Or(&[Type::Array(&Type::Or(&[Type::String])), Type::Set(&Type::String)])],
        Some(Type::Set(&Type::String)),
    ),
    row("net.cidr_overlap", &[Type::String, Type::String], Some(Type::Boolean)).deprecated(),
];
