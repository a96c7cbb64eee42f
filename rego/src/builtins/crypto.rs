//! Hashes, keys and certificates.

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("crypto.hmac.equal", &[Type::String, Type::String], Some(Type::Boolean)),
    row("crypto.hmac.md5", &[Type::String, Type::String], Some(Type::String)),
    row("crypto.hmac.sha1", &[Type::String, Type::String], Some(Type::String)),
    row("crypto.hmac.sha256", &[Type::String, Type::String], Some(Type::String)),
    row("crypto.hmac.sha512", &[Type::String, Type::String], Some(Type::String)),
    row("crypto.md5", &[Type::String], Some(Type::String)),
    row("crypto.parse_private_keys", &[Type::String], Some(Type::Array(&Type::Object(&Type::String, &Type::Any)))),
    row("crypto.sha1", &[Type::String], Some(Type::String)),
    row("crypto.sha256", &[Type::String], Some(Type::String)),
    row(
        "crypto.x509.parse_and_verify_certificates",
        &[Type::String],
        Some(Type::Tuple(&[Type::Boolean, Type::Array(&Type::Object(&Type::String, &Type::Any))])),
    ),
    row(
        "crypto.x509.parse_and_verify_certificates_with_options",
        &[Type::String, Type::Object(&Type::String, &Type::Any)],
        Some(Type::Tuple(&[Type::Boolean, Type::Array(&Type::Object(&Type::String, &Type::Any))])),
    ),
    row("crypto.x509.parse_certificate_request", &[Type::String], Some(Type::Object(&Type::String, &Type::Any))),
    row("crypto.x509.parse_certificates", &[Type::String], Some(Type::Array(&Type::Object(&Type::String, &Type::Any)))),
    row("crypto.x509.parse_keypair", &[Type::String, Type::String], Some(Type::Object(&Type::String, &Type::Any))),
    row("crypto.x509.parse_rsa_private_key", &[Type::String], Some(Type::Object(&Type::String, &Type::Any))),
];
