//! `base64.*` and `base64url.*`, as Go's `encoding/base64` reads and writes.

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{self, GeneralPurpose, GeneralPurposeConfig};

use crate::builtins::error::{Answer, BuiltinError};
use crate::builtins::{Context, bytes, operand};
use crate::value::Value;

/// Bits after the end are not looked at, as in Go.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::RequireCanonical);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

pub(super) fn encode(context: &mut Context, operands: &[&Value]) -> Answer {
    encoded(context, operands, &general_purpose::STANDARD)
}

pub(super) fn encode_url(context: &mut Context, operands: &[&Value]) -> Answer {
    encoded(context, operands, &general_purpose::URL_SAFE)
}

pub(super) fn encode_url_no_pad(context: &mut Context, operands: &[&Value]) -> Answer {
    encoded(context, operands, &general_purpose::URL_SAFE_NO_PAD)
}

fn encoded(context: &mut Context, operands: &[&Value], engine: &GeneralPurpose) -> Answer {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len().saturating_mul(4) / 3)?;
    Ok(Some(engine.encode(bytes::of(text)).into()))
}

pub(super) fn decode(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len())?;
    Ok(Some(bytes::text(decoded(&STANDARD, text.as_bytes())?).into()))
}

/// Padding may be left out altogether.
pub(super) fn decode_url(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len().saturating_mul(2))?;
    let padding = match text.len() % 4 {
        _ if text.ends_with('=') => "",
        0 => "",
        2 => "==",
        3 => "=",
        _ => return Err(BuiltinError::failed(format!("illegal base64url string: {text}"))),
    };
    Ok(Some(bytes::text(decoded(&URL, format!("{text}{padding}").as_bytes())?).into()))
}

pub(super) fn is_valid(context: &mut Context, operands: &[&Value]) -> Answer {
    let Ok(text) = operand::string(operands, 0) else { return Ok(Some(false.into())) };
    context.account.charge(text.len())?;
    Ok(Some(decoded(&STANDARD, text.as_bytes()).is_ok().into()))
}

/// The bytes of base64 of the standard alphabet, padded.
pub(super) fn standard(text: &[u8]) -> Result<Vec<u8>, BuiltinError> {
    decoded(&STANDARD, text)
}

/// Line ends do not count.
fn decoded(engine: &GeneralPurpose, text: &[u8]) -> Result<Vec<u8>, BuiltinError> {
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let plain = match memchr::memchr2(b'\r', b'\n', text) {
        Some(_) => Cow::Owned(text.iter().copied().filter(|byte| !is_end(byte)).collect()),
        None => Cow::Borrowed(text),
    };
    engine
        .decode(plain.as_ref())
        .map_err(|_| BuiltinError::failed(format!("illegal base64 data at input byte {}", illegal(engine, text))))
}

/// Where Go says that it is wrong (`encoding/base64`, `decodeQuantum`).
fn illegal(engine: &GeneralPurpose, text: &[u8]) -> usize {
    let known = |byte: u8| engine.decode([byte, b'A', b'A', b'A']).is_ok();
    let mut quantum = 0_usize;
    let mut places = text.iter().enumerate().filter(|(_, byte)| !matches!(byte, b'\r' | b'\n'));
    while let Some((at, byte)) = places.next() {
        if known(*byte) {
            quantum = (quantum + 1) % 4;
            continue;
        }
        return match (*byte, quantum) {
            (b'=', 0 | 1) => at,
            (b'=', 2) => match places.next() {
                None => text.len(),
                Some((next, byte)) if *byte != b'=' => next.saturating_sub(1),
                Some(_) => places.next().map_or(text.len(), |(at, _)| at),
            },
            (b'=', _) => places.next().map_or(text.len(), |(at, _)| at),
            _ => at,
        };
    }
    text.len().saturating_sub(quantum)
}
