//! Times and durations.

use super::signature::Type;
use super::table::{Builtin, Dependence, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("time.add_date", &[Type::Number, Type::Number, Type::Number, Type::Number], Some(Type::Number)),
    row(
        "time.clock",
        &[Type::Or(&[Type::Number, Type::Tuple(&[Type::Number, Type::String])])],
        Some(Type::Tuple(&[Type::Number, Type::Number, Type::Number])),
    ),
    row(
        "time.date",
        &[Type::Or(&[Type::Number, Type::Tuple(&[Type::Number, Type::String])])],
        Some(Type::Tuple(&[Type::Number, Type::Number, Type::Number])),
    ),
    row(
        "time.diff",
        &[
            Type::Or(&[Type::Number, Type::Tuple(&[Type::Number, Type::String])]),
            Type::Or(&[Type::Number, Type::Tuple(&[Type::Number, Type::String])]),
        ],
        Some(Type::Tuple(&[Type::Number, Type::Number, Type::Number, Type::Number, Type::Number, Type::Number])),
    ),
    row(
        "time.format",
        &[Type::Or(&[
            Type::Number,
            Type::Tuple(&[Type::Number, Type::String]),
            Type::Tuple(&[Type::Number, Type::String, Type::String]),
        ])],
        Some(Type::String),
    ),
    row("time.now_ns", &[], Some(Type::Number)).depends(Dependence::Clock).nondeterministic(),
    row("time.parse_duration_ns", &[Type::String], Some(Type::Number)),
    row("time.parse_ns", &[Type::String, Type::String], Some(Type::Number)),
    row("time.parse_rfc3339_ns", &[Type::String], Some(Type::Number)),
    row("time.weekday", &[Type::Or(&[Type::Number, Type::Tuple(&[Type::Number, Type::String])])], Some(Type::String)),
];
