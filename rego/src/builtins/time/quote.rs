//! Texts in the messages of Go's `time`.

/// A text as Go's `time` quotes it in errors.
pub(super) fn quoted(text: &[u8]) -> String {
    let mut quoted = String::from("\"");
    for byte in text.iter().copied() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..=0x7f => quoted.push(char::from(byte)),
            _ => quoted.push_str(&format!("\\x{byte:02x}")),
        }
    }
    quoted.push('"');
    quoted
}
