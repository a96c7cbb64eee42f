//! Graphs and trees; `walk` is the evaluator's own.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row(
        "graph.reachable",
        &[
            Type::Object(&Type::Any, &Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)])),
            Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)]),
        ],
        Some(Type::Set(&Type::Any)),
    ),
    row(
        "graph.reachable_paths",
        &[
            Type::Object(&Type::Any, &Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)])),
            Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)]),
        ],
        Some(Type::Set(&Type::Array(&Type::Any))),
    ),
    row("walk", &[Type::Any], Some(Type::Tuple(&[Type::Array(&Type::Any), Type::Any]))).relation(),
];
