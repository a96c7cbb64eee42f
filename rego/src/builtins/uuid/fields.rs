//! The fields of a UUID (RFC 4122).

use crate::value::Value;

/// Where the dashes are.
const DASHES: [usize; 4] = [8, 13, 18, 23];
/// 100 ns between 1582-10-15 and 1970-01-01.
const EPOCH: i64 = 122_192_928_000_000_000;

/// What a UUID tells of itself.
pub(super) fn told(uuid: &[u8; 16]) -> Value {
    let [a, b, c, d, _, _, g, _, i, j, ..] = *uuid;
    let version = g >> 4;
    let mut told = vec![("version", Value::from(i64::from(version))), ("variant", Value::from(variant(i)))];
    if matches!(version, 1 | 2) {
        told.extend(of_a_node(uuid));
    }
    if version == 2 {
        told.push(("id", Value::from(i64::from(u32::from_be_bytes([a, b, c, d])))));
        told.push(("domain", Value::from(domain(j))));
    }
    Value::object(told.into_iter().map(|(name, value)| (Value::from(name), value)))
}

/// What versions 1 and 2 tell of when and where they were made.
fn of_a_node(uuid: &[u8; 16]) -> Vec<(&'static str, Value)> {
    let [a, b, c, d, e, f, g, h, i, j, node @ ..] = *uuid;
    let ticks = i64::from_be_bytes([g & 0xf, h, e, f, a, b, c, d]).wrapping_sub(EPOCH).wrapping_mul(100);
    let sequence = u16::from_be_bytes([i & 0x3f, j]);
    let address: Vec<String> = node.iter().map(|byte| format!("{byte:02x}")).collect();
    let [first, ..] = node;
    let kind = match first & 0b11 {
        0b11 => "local:multicast",
        0b01 => "global:multicast",
        0b10 => "local:unicast",
        _ => "global:unicast",
    };
    vec![
        ("time", Value::from(ticks)),
        ("nodeid", Value::from(address.join("-"))),
        ("macvariables", Value::from(kind)),
        ("clocksequence", Value::from(i64::from(sequence))),
    ]
}

fn variant(byte: u8) -> &'static str {
    match byte >> 5 {
        0b100 | 0b101 => "RFC4122",
        0b110 => "Microsoft",
        0b111 => "Future",
        _ => "Reserved",
    }
}

fn domain(byte: u8) -> String {
    match byte {
        0 => "Person".into(),
        1 => "Group".into(),
        2 => "Org".into(),
        other => format!("Domain{other}"),
    }
}

/// The usual form, that form as a URN or with one byte before and behind it, or digits alone.
pub(super) fn bytes(text: &[u8]) -> Option<[u8; 16]> {
    let text = match text.len() {
        32 => return digits(text),
        36 => text,
        38 => text.get(1..37)?,
        45 => text.split_at_checked(9).filter(|(urn, _)| urn.eq_ignore_ascii_case(b"urn:uuid:"))?.1,
        _ => return None,
    };
    if DASHES.iter().any(|at| text.get(*at) != Some(&b'-')) {
        return None;
    }
    let without = text.iter().enumerate().filter(|(at, _)| !DASHES.contains(at)).map(|(_, byte)| *byte);
    digits(&without.collect::<Vec<_>>())
}

fn digits(text: &[u8]) -> Option<[u8; 16]> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.chunks_exact(2).map(|pair| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    });
    pairs.collect::<Option<Vec<_>>>()?.try_into().ok()
}
