//! GraphQL.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row(
        "graphql.is_valid",
        &[
            Type::Or(&[Type::String, Type::Object(&Type::Any, &Type::Any)]),
            Type::Or(&[Type::String, Type::Object(&Type::Any, &Type::Any)]),
        ],
        Some(Type::Boolean),
    ),
    row(
        "graphql.parse",
        &[
            Type::Or(&[Type::String, Type::Object(&Type::Any, &Type::Any)]),
            Type::Or(&[Type::String, Type::Object(&Type::Any, &Type::Any)]),
        ],
        Some(Type::Tuple(&[Type::Object(&Type::Any, &Type::Any), Type::Object(&Type::Any, &Type::Any)])),
    ),
    row(
        "graphql.parse_and_verify",
        &[
            Type::Or(&[Type::String, Type::Object(&Type::Any, &Type::Any)]),
            Type::Or(&[Type::String, Type::Object(&Type::Any, &Type::Any)]),
        ],
        Some(Type::Tuple(&[Type::Boolean, Type::Object(&Type::Any, &Type::Any), Type::Object(&Type::Any, &Type::Any)])),
    ),
    row("graphql.parse_query", &[Type::String], Some(Type::Object(&Type::Any, &Type::Any))),
    row("graphql.parse_schema", &[Type::String], Some(Type::Object(&Type::Any, &Type::Any))),
    row("graphql.schema_is_valid", &[Type::Or(&[Type::String, Type::Object(&Type::Any, &Type::Any)])], Some(Type::Boolean)),
];
