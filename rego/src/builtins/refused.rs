//! What is refused by name: it would leave the process.

use super::signature::Type;
use super::table::{Builtin, Dependence, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("http.send", &[Type::Object(&Type::String, &Type::Any)], Some(Type::Object(&Type::Any, &Type::Any)))
        .depends(Dependence::Random)
        .nondeterministic(),
    row("net.lookup_ip_addr", &[Type::String], Some(Type::Set(&Type::String))).depends(Dependence::Random).nondeterministic(),
    row(
        "providers.aws.sign_req",
        &[Type::Object(&Type::String, &Type::Any), Type::Object(&Type::String, &Type::Any), Type::Number],
        Some(Type::Object(&Type::Any, &Type::Any)),
    ),
];
