//! Base64 as Go reads it: what is secured by a signature must agree to the byte.

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, general_purpose};

use crate::builtins::BuiltinError;

/// Bits after the end are not looked at, as in Go.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::RequireCanonical);
const ANY_PADDING: GeneralPurposeConfig = LENIENT.with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);
const URL_ANY: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, ANY_PADDING);

/// Go's `base64.StdEncoding`: padded, and line ends do not count.
pub(in crate::builtins) fn decode(text: &[u8]) -> Result<Vec<u8>, BuiltinError> {
    STANDARD.decode(without_line_ends(text)).map_err(|error| illegal(&error))
}

/// OPA's `base64url.decode`: padding may be left out altogether.
pub(in crate::builtins) fn decode_url(text: &str) -> Result<Vec<u8>, BuiltinError> {
    let mut padded = text.to_owned();
    if !text.ends_with('=') {
        match text.len() % 4 {
            2 => padded.push_str("=="),
            3 => padded.push('='),
            0 => {}
            _ => return Err(BuiltinError::failed(format!("illegal base64url string: {text}"))),
        }
    }
    URL.decode(without_line_ends(padded.as_bytes())).map_err(|error| illegal(&error))
}

/// A member of a JWK: either alphabet, with padding or without.
pub(in crate::builtins) fn decode_any(text: &str) -> Result<Vec<u8>, BuiltinError> {
    let text = text.replace('+', "-").replace('/', "_");
    URL_ANY.decode(text).map_err(|error| illegal(&error))
}

/// Base64 of the standard alphabet, padded.
pub(in crate::builtins) fn encode(bytes: &[u8]) -> String {
    general_purpose::STANDARD.encode(bytes)
}

/// Base64 of the URL alphabet, without padding.
pub(in crate::builtins) fn encode_url(bytes: &[u8]) -> String {
    general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

/// Bytes as a text: each that is no UTF-8 is replaced, as where Go writes it out.
pub(in crate::builtins) fn text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

fn without_line_ends(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect()
}

fn illegal(error: &base64::DecodeError) -> BuiltinError {
    let at = match error {
        base64::DecodeError::InvalidByte(at, _) | base64::DecodeError::InvalidLastSymbol(at, _) => *at,
        base64::DecodeError::InvalidLength(length) => length.saturating_sub(length % 4),
        base64::DecodeError::InvalidPadding => 0,
    };
    BuiltinError::failed(format!("illegal base64 data at input byte {at}"))
}
