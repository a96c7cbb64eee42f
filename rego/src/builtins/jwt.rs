//! JSON web tokens.

use super::signature::Type;
use super::table::{Builtin, Dependence, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row(
        "io.jwt.decode",
        &[Type::String],
        Some(Type::Tuple(&[Type::Object(&Type::Any, &Type::Any), Type::Object(&Type::Any, &Type::Any), Type::String])),
    ),
    row(
        "io.jwt.decode_verify",
        &[Type::String, Type::Object(&Type::String, &Type::Any)],
        Some(Type::Tuple(&[Type::Boolean, Type::Object(&Type::Any, &Type::Any), Type::Object(&Type::Any, &Type::Any)])),
    )
    .depends(Dependence::Clock)
    .nondeterministic(),
    row(
        "io.jwt.encode_sign",
        &[
            Type::Object(&Type::String, &Type::Any),
            Type::Object(&Type::String, &Type::Any),
            Type::Object(&Type::String, &Type::Any),
        ],
        Some(Type::String),
    )
    .depends(Dependence::Random)
    .nondeterministic(),
    row("io.jwt.encode_sign_raw", &[Type::String, Type::String, Type::String], Some(Type::String))
        .depends(Dependence::Random)
        .nondeterministic(),
    row("io.jwt.verify_eddsa", &[Type::String, Type::String], Some(Type::Boolean)),
    row("io.jwt.verify_es256", &[Type::String, Type::String], Some(Type::Boolean)),
    row("io.jwt.verify_es384", &[Type::String, Type::String], Some(Type::Boolean)),
    row("io.jwt.verify_es512", &[Type::String, Type::String], Some(Type::Boolean)),
    row("io.jwt.verify_hs256", &[Type::String, Type::String], Some(Type::Boolean)),
    row("io.jwt.verify_hs384", &[Type::String, Type::String], Some(Type::Boolean)),
    row("io.jwt.verify_hs512", &[Type::String, Type::String], Some(Type::Boolean)),
    row("io.jwt.verify_ps256", &[Type::String, Type::String], Some(Type::Boolean)),
    row("io.jwt.verify_ps384", &[Type::String, Type::String], Some(Type::Boolean)),
    row("io.jwt.verify_ps512", &[Type::String, Type::String], Some(Type::Boolean)),
    row("io.jwt.verify_rs256", &[Type::String, Type::String], Some(Type::Boolean)),
    row("io.jwt.verify_rs384", &[Type::String, Type::String], Some(Type::Boolean)),
    row("io.jwt.verify_rs512", &[Type::String, Type::String], Some(Type::Boolean)),
];
