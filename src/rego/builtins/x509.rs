//! `crypto.x509.*` and `crypto.parse_private_keys` (OPA: `v1/topdown/crypto.go`, on Go's `crypto/x509`).

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, encoding, operand, pem};

mod certificate;
mod chain;
mod constraints;
mod extensions;
mod hostname;
mod name;
mod options;
mod private;
mod request;
mod show;

use certificate::Certificate;
use options::Options;

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "crypto.parse_private_keys", operands: 1, call: private::parse_private_keys },
    Builtin { name: "crypto.x509.parse_and_verify_certificates", operands: 1, call: parse_and_verify },
    Builtin { name: "crypto.x509.parse_and_verify_certificates_with_options", operands: 2, call: parse_and_verify_with },
    Builtin { name: "crypto.x509.parse_certificate_request", operands: 1, call: request::parse },
    Builtin { name: "crypto.x509.parse_certificates", operands: 1, call: parse_certificates },
    Builtin { name: "crypto.x509.parse_keypair", operands: 2, call: private::parse_keypair },
    Builtin { name: "crypto.x509.parse_rsa_private_key", operands: 1, call: private::parse_as_jwk },
];

/// Certificates that one call reads.
const MAX_CERTIFICATES: usize = 100;

/// One certificate in DER as Go's `encoding/json` writes it.
pub(in crate::rego) fn marshalled(der: &[u8]) -> Result<Value, String> {
    Certificate::parse(der).map(|(_, certificate)| show::certificate(&certificate, false)).map_err(|error| error.to_string())
}

fn parse_certificates(values: &[Value]) -> Result<Value, BuiltinError> {
    let certificates = certificates(operand::string(values, 1)?)?;
    Ok(certificates.iter().map(|c| show::certificate(c, true)).collect::<Vec<_>>().into())
}

fn parse_and_verify(values: &[Value]) -> Result<Value, BuiltinError> {
    let certificates = certificates(operand::string(values, 1)?);
    Ok(verified(certificates, &Options::default(), true))
}

fn parse_and_verify_with(values: &[Value]) -> Result<Value, BuiltinError> {
    let certificates = certificates(operand::string(values, 1)?);
    let Value::Object(_) = operand::any(values, 2) else {
        return Err(operand::wrong(2, "object", operand::any(values, 2)));
    };
    if certificates.is_err() {
        return Ok(verified(certificates, &Options::default(), false));
    }
    Ok(verified(certificates, &Options::parse(operand::any(values, 2))?, false))
}

/// `[true, chain from the last to the first]`, or `[false, []]`.
fn verified(certificates: Result<Vec<Certificate>, BuiltinError>, options: &Options, uris: bool) -> Value {
    let chain = certificates.ok().and_then(|certificates| chain::verify(&certificates, options));
    let shown = chain.iter().flatten().map(|c| show::certificate(c, uris)).collect::<Vec<_>>();
    vec![Value::from(chain.is_some()), shown.into()].into()
}

/// PEM, or base64 of PEM or of DER.
fn certificates(text: &str) -> Result<Vec<Certificate>, BuiltinError> {
    const BEGIN: &str = "-----BEGIN";
    if text.starts_with(BEGIN) {
        return of_pem(text);
    }
    let bytes = encoding::base64(text.as_bytes())?;
    match std::str::from_utf8(&bytes) {
        Ok(text) if text.starts_with(BEGIN) => of_pem(text),
        _ => of_der(&bytes),
    }
}

fn of_pem(text: &str) -> Result<Vec<Certificate>, BuiltinError> {
    let mut bytes = Vec::new();
    for block in pem::blocks(text) {
        if block.label != "CERTIFICATE" {
            return Err(BuiltinError::other(format!("PEM block type is '{}', expected CERTIFICATE", block.label)));
        }
        bytes.extend(block.bytes);
    }
    of_der(&bytes)
}

fn of_der(bytes: &[u8]) -> Result<Vec<Certificate>, BuiltinError> {
    let (mut rest, mut certificates) = (bytes, Vec::new());
    while !rest.is_empty() {
        if certificates.len() == MAX_CERTIFICATES {
            return Err(BuiltinError::Limit(format!("would read more than {MAX_CERTIFICATES} certificates")));
        }
        let (after, certificate) = Certificate::parse(rest)?;
        certificates.push(certificate);
        rest = after;
    }
    Ok(certificates)
}
