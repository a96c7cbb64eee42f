//! `crypto.x509.*` and `crypto.parse_private_keys`, on Go's `crypto/x509`.

use super::{base64, pem};
use crate::builtins::error::Answer;
use crate::builtins::{BuiltinError, Context, operand};
use crate::value::Value;

mod certificate;
mod chain;
mod constraints;
mod extensions;
mod hostname;
pub(super) mod keypair;
mod name;
mod options;
pub(super) mod private;
pub(super) mod request;
mod show;
mod usage;

use certificate::Certificate;
use options::Options;

/// What is shown takes some times what is read, and as much for each certificate.
const SHOWN: usize = 8;
const CERTIFICATE: usize = 4096;

/// A certificate in DER as Go's `encoding/json` writes it: what `crypto.x509.parse_certificates` answers, less `URIStrings`.
///
/// # Errors
/// It is none.
pub fn marshalled(der: &[u8]) -> Result<Value, BuiltinError> {
    Certificate::parse(der).map(|(_, certificate)| show::certificate(&certificate, false))
}

/// Charges what a text becomes.
fn charge(context: &mut Context, text: &str) -> Result<(), BuiltinError> {
    Ok(context.account.charge(text.len().saturating_mul(SHOWN))?)
}

pub(super) fn parse_certificates(context: &mut Context, operands: &[&Value]) -> Answer {
    let certificates = certificates(context, operand::string(operands, 0)?)?;
    Ok(Some(Value::array(certificates.iter().map(|c| show::certificate(c, true)))))
}

pub(super) fn parse_and_verify(context: &mut Context, operands: &[&Value]) -> Answer {
    let certificates = certificates(context, operand::string(operands, 0)?);
    verified(context, certificates, &Options::default(), true)
}

pub(super) fn parse_and_verify_with(context: &mut Context, operands: &[&Value]) -> Answer {
    let (text, options) = (operand::string(operands, 0)?, operand::object(operands, 1)?);
    let certificates = certificates(context, text);
    let options = if certificates.is_ok() { Options::parse(options)? } else { Options::default() };
    verified(context, certificates, &options, false)
}

/// `[true, chain from the last to the first]`, or `[false, []]`.
fn verified(
    context: &mut Context,
    certificates: Result<Vec<Certificate>, BuiltinError>,
    options: &Options,
    uris: bool,
) -> Answer {
    let certificates = match certificates {
        Err(halt) if halt.is_halt() => return Err(halt),
        read => read.unwrap_or_default(),
    };
    let chain = chain::verify(context, &certificates, options)?;
    let shown = chain.iter().flatten().map(|c| show::certificate(c, uris));
    Ok(Some(Value::array([Value::from(chain.is_some()), Value::array(shown)])))
}

/// PEM, or base64 of PEM or of DER.
fn certificates(context: &mut Context, text: &str) -> Result<Vec<Certificate>, BuiltinError> {
    const BEGIN: &str = "-----BEGIN";
    charge(context, text)?;
    if text.starts_with(BEGIN) {
        return of_pem(context, text);
    }
    let bytes = base64::decode(text.as_bytes())?;
    match std::str::from_utf8(&bytes) {
        Ok(text) if text.starts_with(BEGIN) => of_pem(context, text),
        _ => of_der(context, &bytes),
    }
}

fn of_pem(context: &mut Context, text: &str) -> Result<Vec<Certificate>, BuiltinError> {
    let mut bytes = Vec::new();
    for block in pem::blocks(text) {
        if block.label != "CERTIFICATE" {
            return Err(BuiltinError::failed(format!("PEM block type is '{}', expected CERTIFICATE", block.label)));
        }
        bytes.extend(block.bytes);
    }
    of_der(context, &bytes)
}

fn of_der(context: &mut Context, bytes: &[u8]) -> Result<Vec<Certificate>, BuiltinError> {
    let (mut rest, mut certificates) = (bytes, Vec::new());
    while !rest.is_empty() {
        context.account.charge(CERTIFICATE)?;
        let (after, certificate) = Certificate::parse(rest)?;
        certificates.push(certificate);
        rest = after;
    }
    Ok(certificates)
}
