//! UUIDs.

use super::signature::Type;
use super::table::{Builtin, Dependence, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("uuid.parse", &[Type::String], Some(Type::Object(&Type::String, &Type::Any))),
    row("uuid.rfc4122", &[Type::String], Some(Type::String)).depends(Dependence::Random).nondeterministic(),
];
