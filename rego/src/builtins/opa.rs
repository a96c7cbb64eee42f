//! The process.

use super::signature::Type;
use super::table::{Builtin, Dependence, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] =
    &[row("opa.runtime", &[], Some(Type::Object(&Type::String, &Type::Any))).depends(Dependence::Runtime).nondeterministic()];
