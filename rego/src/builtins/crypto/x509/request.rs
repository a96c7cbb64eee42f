//! `crypto.x509.parse_certificate_request`.

use crate::value::Value;
use x509_parser::certification_request::X509CertificationRequest;
use x509_parser::cri_attributes::ParsedCriAttribute;
use x509_parser::prelude::FromDer;

use super::certificate::{Key, SignatureAlgorithm};
use super::extensions::{Extension, Extensions};
use super::name::Name;
use super::show;
use crate::builtins::BuiltinError;
use crate::builtins::crypto::{base64, pem};
use crate::builtins::error::Answer;
use crate::builtins::{Context, operand};

const LABEL: &str = "CERTIFICATE REQUEST";

/// The request in PEM, or base64 of PEM or of DER.
pub(in crate::builtins::crypto) fn parse(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    super::charge(context, text)?;
    let bytes = match text.starts_with("-----BEGIN CERTIFICATE REQUEST-----") {
        true => text.as_bytes().to_vec(),
        false => base64::decode(text.as_bytes())?,
    };
    let bytes = match std::str::from_utf8(&bytes).ok().and_then(pem::decode) {
        Some((block, _)) if block.label != LABEL => {
            return Err(BuiltinError::failed("invalid PEM-encoded certificate signing request"));
        }
        Some((block, _)) => block.bytes,
        None => bytes,
    };
    let malformed = |what: String| BuiltinError::failed(format!("asn1: structure error: {what}"));
    let (rest, request) = X509CertificationRequest::from_der(&bytes).map_err(|error| malformed(error.to_string()))?;
    if !rest.is_empty() {
        return Err(BuiltinError::failed("asn1: syntax error: trailing data"));
    }
    show(&request).map(Some)
}

fn show(request: &X509CertificationRequest<'_>) -> Result<Value, BuiltinError> {
    let info = &request.certification_request_info;
    let mut requested = Vec::new();
    for attribute in info.iter_attributes() {
        if let ParsedCriAttribute::ExtensionRequest(extensions) = attribute.parsed_attribute() {
            requested.extend(extensions.extensions.iter().cloned());
        }
    }
    let extensions = Extensions::of(&requested)?;
    let subject = Name::of(&info.subject);
    let mut members = show::key(&Key::of(&info.subject_pki)?);
    members.extend(show::object([
        ("Raw", show::bytes(request.as_raw())),
        ("RawTBSCertificateRequest", show::bytes(info.raw)),
        ("RawSubject", show::bytes(&subject.raw)),
        ("Version", Value::from(i64::from(info.version.0))),
        ("Signature", show::bytes(&request.signature_value.data)),
        ("SignatureAlgorithm", Value::from(SignatureAlgorithm::of(&request.signature_algorithm).number)),
        ("Subject", show::name(&subject)),
        ("Attributes", attributes(&extensions.all)),
        ("Extensions", show::list(&extensions.all, show::extension)),
        ("ExtraExtensions", Value::Null),
    ]));
    show::subject_names(&extensions.names, &mut members);
    Ok(members.into())
}

/// Go shows extensions once more, as the attribute that asks for them; what is critical is all it shows of those.
fn attributes(extensions: &[Extension]) -> Value {
    if extensions.is_empty() {
        return Value::Null;
    }
    let attribute = |extension: &Extension| -> Value {
        let value = if extension.critical { Value::from(true) } else { Value::from(base64::encode(&extension.value)) };
        show::object([("Type", show::oid(&extension.oid)), ("Value", value)]).into()
    };
    let inner = Value::array(extensions.iter().map(attribute));
    let asked = show::object([("Type", show::oid(&"1.2.840.113549.1.9.14")), ("Value", Value::array([inner]))]);
    Value::array([asked.into()])
}
