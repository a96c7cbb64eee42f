//! Public keys.

use super::{Members, bytes, number, object};
use crate::builtins::crypto::keys::PublicKey;
use crate::builtins::crypto::x509::certificate::Key;
use crate::value::Value;

/// Go's number for the algorithm of a key.
pub(in crate::builtins::crypto::x509) fn key_algorithm(key: &PublicKey) -> Value {
    Value::Int(match key {
        PublicKey::Rsa(_) => 1,
        PublicKey::Ec(_) => 3,
        PublicKey::Ed25519(_) => 4,
        PublicKey::Other => 0,
    })
}

/// A public key.
pub(in crate::builtins::crypto::x509) fn public_key(key: &PublicKey) -> Value {
    match key {
        PublicKey::Rsa(key) => object([("N", number(&key.n)), ("E", number(&key.e))]).into(),
        PublicKey::Ec(key) => {
            let (x, y) = key.coordinates();
            object([("Curve", Value::object([])), ("X", number(x)), ("Y", number(y))]).into()
        }
        PublicKey::Ed25519(key) => bytes(key),
        PublicKey::Other => Value::Null,
    }
}

/// The members of a key and what signed it, of a request.
pub(in crate::builtins::crypto::x509) fn key(key: &Key) -> Members {
    object([
        ("RawSubjectPublicKeyInfo", bytes(&key.raw)),
        ("PublicKeyAlgorithm", key_algorithm(&key.key)),
        ("PublicKey", public_key(&key.key)),
    ])
}
