//! Objects and JSON documents as trees.

mod documents;
mod keys;
mod patch;
mod path;
mod subset;
mod tree;
mod union;

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row(
        "json.filter",
        &[
            Type::Object(&Type::Any, &Type::Any),
            Type::Or(&[
                Type::Array(&Type::Or(&[Type::String, Type::Array(&Type::Any)])),
                Type::Set(&Type::Or(&[Type::String, Type::Array(&Type::Any)])),
            ]),
        ],
        Some(Type::Object(&Type::Any, &Type::Any)),
    )
    .by(documents::filter),
    row(
        "json.match_schema",
        &[
            Type::Or(&[Type::String, Type::Object(&Type::Any, &Type::Any)]),
            Type::Or(&[Type::String, Type::Object(&Type::Any, &Type::Any)]),
        ],
        Some(Type::Tuple(&[
            Type::Boolean,
            Type::Array(&Type::Record(
                &[("desc", Type::String), ("error", Type::String), ("field", Type::String), ("type", Type::String)],
                None,
            )),
        ])),
    )
    .nondeterministic()
    .by(super::json_schema::match_schema),
    row(
        "json.patch",
        &[Type::Any, Type::Array(&Type::Record(&[("op", Type::String), ("path", Type::Any)], Some((&Type::Any, &Type::Any))))],
        Some(Type::Any),
    )
    .by(patch::patch),
    row(
        "json.remove",
        &[
            Type::Object(&Type::Any, &Type::Any),
            Type::Or(&[
                Type::Array(&Type::Or(&[Type::String, Type::Array(&Type::Any)])),
                Type::Set(&Type::Or(&[Type::String, Type::Array(&Type::Any)])),
            ]),
        ],
        Some(Type::Object(&Type::Any, &Type::Any)),
    )
    .by(documents::remove),
    row(
        "json.verify_schema",
        &[Type::Or(&[Type::String, Type::Object(&Type::Any, &Type::Any)])],
        Some(Type::Tuple(&[Type::Boolean, Type::Or(&[Type::Null, Type::String])])),
    )
    .nondeterministic()
    .by(super::json_schema::verify_schema),
    row(
        "object.filter",
        &[
            Type::Object(&Type::Any, &Type::Any),
            Type::Or(&[Type::Array(&Type::Any), Type::Object(&Type::Any, &Type::Any), Type::Set(&Type::Any)]),
        ],
        Some(Type::Object(&Type::Any, &Type::Any)),
    )
    .by(keys::filter),
    row("object.get", &[Type::Object(&Type::Any, &Type::Any), Type::Any, Type::Any], Some(Type::Any))
        .by(keys::get)
        .selecting(keys::select),
    row("object.keys", &[Type::Object(&Type::Any, &Type::Any)], Some(Type::Set(&Type::Any))).by(keys::keys),
    row(
        "object.remove",
        &[
            Type::Object(&Type::Any, &Type::Any),
            Type::Or(&[Type::Array(&Type::Any), Type::Object(&Type::Any, &Type::Any), Type::Set(&Type::Any)]),
        ],
        Some(Type::Object(&Type::Any, &Type::Any)),
    )
    .by(keys::remove),
    row(
        "object.subset",
        &[
            Type::Or(&[Type::Array(&Type::Any), Type::Object(&Type::Any, &Type::Any), Type::Set(&Type::Any)]),
            Type::Or(&[Type::Array(&Type::Any), Type::Object(&Type::Any, &Type::Any), Type::Set(&Type::Any)]),
        ],
        Some(Type::Boolean),
    )
    .by(subset::subset),
    row(
        "object.union",
        &[Type::Object(&Type::Any, &Type::Any), Type::Object(&Type::Any, &Type::Any)],
        Some(Type::Object(&Type::Any, &Type::Any)),
    )
    .by(union::union),
    row("object.union_n", &[Type::Array(&Type::Object(&Type::Any, &Type::Any))], Some(Type::Object(&Type::Any, &Type::Any)))
        .by(union::union_n),
];
