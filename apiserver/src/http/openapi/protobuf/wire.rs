//! Protobuf's wire format, as far as it is written here.

use serde_json::Value as Json;

/// Wire types.
const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const BYTES: u64 = 2;

/// A message being written. Fields that are absent, empty, 0 or false are left out, as proto3 does.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// A message with one message in it.
    pub(super) fn wrap(field: u32, inner: Message) -> Self {
        let mut message = Message::default();
        message.message(field, Some(inner));
        message
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        self.0
    }

    /// A message within; written even if it is empty, for that is not the same as none.
    pub(super) fn message(&mut self, field: u32, inner: Option<Message>) {
        if let Some(inner) = inner {
            self.length_delimited(field, &inner.0);
        }
    }

    pub(super) fn text_of(&mut self, field: u32, text: &str) {
        if !text.is_empty() {
            self.length_delimited(field, text.as_bytes());
        }
    }

    pub(super) fn text(&mut self, field: u32, value: Option<&Json>) {
        self.text_of(field, value.and_then(Json::as_str).unwrap_or_default());
    }

    /// A repeated string.
    pub(super) fn texts(&mut self, field: u32, values: Option<&Json>) {
        for value in values.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str) {
            self.length_delimited(field, value.as_bytes());
        }
    }

    pub(super) fn boolean(&mut self, field: u32, value: Option<&Json>) {
        if value == Some(&Json::Bool(true)) {
            self.tag(field, VARINT);
            self.varint(1);
        }
    }

    pub(super) fn integer(&mut self, field: u32, value: Option<&Json>) {
        if let Some(value) = value.and_then(Json::as_u64).filter(|value| *value != 0) {
            self.tag(field, VARINT);
            self.varint(value);
        }
    }

    pub(super) fn double(&mut self, field: u32, value: Option<&Json>) {
        if let Some(value) = value.and_then(Json::as_f64).filter(|value| value.to_bits() != 0) {
            self.tag(field, FIXED64);
            self.0.extend(value.to_le_bytes());
        }
    }

    fn length_delimited(&mut self, field: u32, bytes: &[u8]) {
        self.tag(field, BYTES);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn tag(&mut self, field: u32, wire_type: u64) {
        self.varint(u64::from(field) << 3 | wire_type);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            #[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        #[expect(clippy::cast_possible_truncation, reason = "less than 128")]
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_protobuf_reads() {
        let mut message = Message::default();
        message.integer(1, Some(&150.into()));
        message.text_of(2, "testing");
        message.boolean(16, Some(&true.into()));
        message.double(3, Some(&1.0.into()));
        message.message(4, Some(Message::default()));
        let expected = [
            &[0x08, 0x96, 0x01][..],
            &[0x12, 0x07],
            b"testing",
            &[0x80, 0x01, 0x01],
            &[0x19, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f],
            &[0x22, 0x00],
        ];
        assert_eq!(message.bytes(), expected.concat());
    }

    #[test]
    fn leaves_out_what_is_nothing() {
        let mut message = Message::default();
        message.integer(1, Some(&0.into()));
        message.text(2, None);
        message.boolean(3, Some(&false.into()));
        message.double(4, Some(&0.into()));
        message.texts(5, Some(&Json::Array(Vec::new())));
        assert!(message.bytes().is_empty());
    }
}
