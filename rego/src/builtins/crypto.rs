//! Hashes, keys and certificates (`v1/topdown/crypto.go`).

use hmac::Hmac;
use md5::Md5;
use sha1::Sha1;
use sha2::{Sha256, Sha512};

use super::signature::Type;
use super::table::{Builtin, Dependence, row};

pub(super) mod base64;
pub(super) mod hash;
pub(super) mod json;
pub(super) mod keys;
pub(super) mod pem;
mod x509;

pub use x509::marshalled as marshalled_certificate;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("crypto.hmac.equal", &[Type::String, Type::String], Some(Type::Boolean)).by(hash::equal),
    row("crypto.hmac.md5", &[Type::String, Type::String], Some(Type::String)).by(hash::mac::<Hmac<Md5>>),
    row("crypto.hmac.sha1", &[Type::String, Type::String], Some(Type::String)).by(hash::mac::<Hmac<Sha1>>),
    row("crypto.hmac.sha256", &[Type::String, Type::String], Some(Type::String)).by(hash::mac::<Hmac<Sha256>>),
    row("crypto.hmac.sha512", &[Type::String, Type::String], Some(Type::String)).by(hash::mac::<Hmac<Sha512>>),
    row("crypto.md5", &[Type::String], Some(Type::String)).by(hash::digest::<Md5>),
    row("crypto.parse_private_keys", &[Type::String], Some(Type::Array(&Type::Object(&Type::String, &Type::Any))))
        .by(x509::private::parse_private_keys),
    row("crypto.sha1", &[Type::String], Some(Type::String)).by(hash::digest::<Sha1>),
    row("crypto.sha256", &[Type::String], Some(Type::String)).by(hash::digest::<Sha256>),
    row(
        "crypto.x509.parse_and_verify_certificates",
        &[Type::String],
        Some(Type::Tuple(&[Type::Boolean, Type::Array(&Type::Object(&Type::String, &Type::Any))])),
    )
    .depends(Dependence::Clock)
    .by(x509::parse_and_verify),
    row(
        "crypto.x509.parse_and_verify_certificates_with_options",
        &[Type::String, Type::Object(&Type::String, &Type::Any)],
        Some(Type::Tuple(&[Type::Boolean, Type::Array(&Type::Object(&Type::String, &Type::Any))])),
    )
    .depends(Dependence::Clock)
    .by(x509::parse_and_verify_with),
    row("crypto.x509.parse_certificate_request", &[Type::String], Some(Type::Object(&Type::String, &Type::Any)))
        .by(x509::request::parse),
    row("crypto.x509.parse_certificates", &[Type::String], Some(Type::Array(&Type::Object(&Type::String, &Type::Any))))
        .by(x509::parse_certificates),
    row("crypto.x509.parse_keypair", &[Type::String, Type::String], Some(Type::Object(&Type::String, &Type::Any)))
        .by(x509::keypair::parse),
    row("crypto.x509.parse_rsa_private_key", &[Type::String], Some(Type::Object(&Type::String, &Type::Any)))
        .by(x509::private::parse_as_jwk),
];
