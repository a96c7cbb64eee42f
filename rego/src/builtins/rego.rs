//! Rego itself.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("rego.metadata.chain", &[], Some(Type::Array(&Type::Any))),
    row("rego.metadata.rule", &[], Some(Type::Any)),
    row("rego.parse_module", &[Type::String, Type::String], Some(Type::Object(&Type::String, &Type::Any))),
];
