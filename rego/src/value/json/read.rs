//! Reads JSON as OPA does: Go's decoder with numbers as they are written (`v1/util/json.go`), then `v1/ast/term.go`,
//! `InterfaceToValue`.

use std::sync::Arc;

use arcstr::ArcStr;

use super::scan::Scanner;
use super::shapes::Shapes;
use super::{JsonError, ReadError, string};
use crate::value::meter::{Free, Meter};
use crate::value::{Array, Value, deep};

/// Reads texts one after the other; what their objects have in common is shared.
#[derive(Default)]
pub struct Reader {
    shapes: Shapes,
}

/// One text that is read.
struct Document<'r, 't, M> {
    scanner: Scanner<'t>,
    shapes: &'r mut Shapes,
    meter: &'r mut M,
    depth: u32,
    /// A number that is too big. The rest must be JSON before that counts.
    number: Option<JsonError>,
    /// Keys and values of the collections that are not at their end yet.
    keys: Vec<ArcStr>,
    values: Vec<Value>,
}

/// Reads one text, at most so many levels deep.
pub fn read(text: &[u8], depth: u32) -> Result<Value, JsonError> {
    Reader::default().read_within(text, depth, &mut Free).map_err(|error| match error {
        ReadError::Json(error) => error,
        ReadError::Halt(halt) => JsonError { offset: 0, message: halt.to_string() },
    })
}

impl Reader {
    /// A reader that has read nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads one text, at most so many levels deep. An account pays for what it allocates. The words of errors are Go's, such as
    /// `invalid character ',' looking for beginning of value`.
    pub fn read_within<M: Meter>(&mut self, text: &[u8], depth: u32, meter: &mut M) -> Result<Value, ReadError> {
        let (scanner, shapes) = (Scanner::new(text), &mut self.shapes);
        let mut document = Document { scanner, shapes, meter, depth, number: None, keys: Vec::new(), values: Vec::new() };
        document.whole()
    }
}

impl<M: Meter> Document<'_, '_, M> {
    fn whole(&mut self) -> Result<Value, ReadError> {
        if self.scanner.next().is_none() {
            return Err(self.scanner.error("EOF").into());
        }
        let value = self.value(0)?;
        self.end()?;
        self.number.take().map_or(Ok(value), |error| Err(error.into()))
    }

    /// OPA takes what follows for one more token, and a `null` for the end.
    fn end(&mut self) -> Result<(), ReadError> {
        let start = self.scanner.offset();
        let token = match self.scanner.next() {
            None => return Ok(()),
            Some(open @ (b'[' | b'{')) => char::from(open).to_string(),
            Some(_) => match self.value(0)? {
                Value::Null => return Ok(()),
                Value::String(text) => text.to_string(),
                value @ (Value::False | Value::True) => format!("%!s(bool={value})"),
                number => number.to_string(),
            },
        };
        let message = format!("error: invalid character '{token}' after top-level value");
        Err(JsonError { offset: start, message }.into())
    }

    /// The value that begins at the next byte that is no space, below so many levels.
    fn value(&mut self, level: u32) -> Result<Value, ReadError> {
        Ok(match self.scanner.next() {
            Some(b'{') => self.nested(level, Self::object)?,
            Some(b'[') => self.nested(level, Self::array)?,
            Some(b'"') => {
                let text = string::read(&mut self.scanner)?;
                self.pay(text.len().saturating_add(16))?;
                Value::from(text.as_ref())
            }
            Some(b't') => self.word("true", Value::True)?,
            Some(b'f') => self.word("false", Value::False)?,
            Some(b'n') => self.word("null", Value::Null)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(self.scanner.unexpected("looking for beginning of value").into()),
        })
    }

    fn nested(&mut self, level: u32, inside: fn(&mut Self, u32) -> Result<Value, ReadError>) -> Result<Value, ReadError> {
        let level = level.saturating_add(1);
        if level > self.depth {
            return Err(self.scanner.error("exceeded max depth").into());
        }
        self.pay(64)?;
        self.scanner.skip(1);
        deep::level(level, || inside(self, level))
    }

    fn array(&mut self, level: u32) -> Result<Value, ReadError> {
        let first = self.values.len();
        if self.scanner.next() == Some(b']') {
            self.scanner.skip(1);
            return Ok(Value::array([]));
        }
        loop {
            self.pay(16)?;
            let item = self.value(level)?;
            self.values.push(item);
            match self.scanner.next() {
                Some(b',') => self.scanner.skip(1),
                Some(b']') => break,
                _ => return Err(self.scanner.unexpected("after array element").into()),
            }
        }
        self.scanner.skip(1);
        Ok(Value::Array(Arc::new(Array::new(self.values.drain(first..).collect()))))
    }

    fn object(&mut self, level: u32) -> Result<Value, ReadError> {
        let (first_key, first) = (self.keys.len(), self.values.len());
        if self.scanner.next() == Some(b'}') {
            self.scanner.skip(1);
            return Ok(Value::object([]));
        }
        loop {
            self.pay(32)?;
            let key = self.key()?;
            self.keys.push(key);
            let value = self.value(level)?;
            self.values.push(value);
            match self.scanner.next() {
                Some(b',') => self.scanner.skip(1),
                Some(b'}') => break,
                _ => return Err(self.scanner.unexpected("after object key:value pair").into()),
            }
        }
        self.scanner.skip(1);
        let keys = self.keys.get(first_key..).unwrap_or_default();
        let object = self.shapes.object(keys, self.values.drain(first..).collect(), self.meter);
        self.keys.truncate(first_key);
        object.map_err(|stop| ReadError::Halt(stop.into()))
    }

    fn key(&mut self) -> Result<ArcStr, ReadError> {
        if self.scanner.next() != Some(b'"') {
            return Err(self.scanner.unexpected("looking for beginning of object key string").into());
        }
        let key = string::read(&mut self.scanner)?;
        if self.scanner.next() != Some(b':') {
            return Err(self.scanner.unexpected("after object key").into());
        }
        self.scanner.skip(1);
        self.pay(key.len())?;
        Ok(self.shapes.text(&key))
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, ReadError> {
        self.scanner.word(word)?;
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, ReadError> {
        let offset = self.scanner.offset();
        let text = self.scanner.number()?;
        self.pay(text.len())?;
        Ok(Value::number_checked(text).unwrap_or_else(|error| {
            self.number.get_or_insert(JsonError { offset, message: error.to_string() });
            Value::Null
        }))
    }

    fn pay(&mut self, bytes: usize) -> Result<(), ReadError> {
        self.meter.charge(bytes).map_err(|stop| ReadError::Halt(stop.into()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::limits::{Account, Halt, Limits};

    fn message(text: &str) -> String {
        read(text.as_bytes(), 100).map_or_else(|error| error.message, |value| format!("no error: {value}"))
    }

    /// As `json.unmarshal` of OPA 1.22 says.
    #[test]
    fn errors_have_the_words_of_go() {
        for (text, expected) in [
            ("{\"a\":1,}", "invalid character '}' looking for beginning of object key string"),
            ("[1 2]", "invalid character '2' after array element"),
            ("\"abc", "unexpected EOF"),
            ("1 2", "error: invalid character '2' after top-level value"),
            ("01", "error: invalid character '1' after top-level value"),
            ("1 {", "error: invalid character '{' after top-level value"),
            ("1 \"x\"", "error: invalid character 'x' after top-level value"),
            ("1 true", "error: invalid character '%!s(bool=true)' after top-level value"),
            ("1 null", "no error: 1"),
            ("1 ]", "invalid character ']' looking for beginning of value"),
            ("", "EOF"),
            (" \n", "EOF"),
            ("nul", "unexpected EOF"),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            ("{\"a\":1 \"b\"", "invalid character '\"' after object key:value pair"),
            ("[1e]", "invalid character ']' in exponent of numeric literal"),
            ("-", "unexpected EOF"),
            ("[-a]", "invalid character 'a' in numeric literal"),
            ("\"\\x\"", "invalid character 'x' in string escape code"),
            ("\"\\u12g4\"", "invalid character 'g' in \\u hexadecimal character escape"),
            ("\"a\tb\"", "invalid character '\\t' in string literal"),
            ("{1:2}", "invalid character '1' looking for beginning of object key string"),
            ("1e99999", "invalid number: number too big"),
            ("[1e99999, 1e]", "invalid character ']' in exponent of numeric literal"),
            ("1e99999999999", "invalid number: invalid float"),
            ("[1.]", "invalid character ']' after decimal point in numeric literal"),
            ("nope", "invalid character 'o' in literal null (expecting 'u')"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("[+1]", "invalid character '+' looking for beginning of value"),
            ("'", "invalid character '\\'' looking for beginning of value"),
            ("é", "invalid character 'Ã' looking for beginning of value"),
        ] {
            assert_eq!(message(text), expected, "{text}");
        }
    }

    #[test]
    fn errors_say_where() {
        assert_eq!(read(b"{\"a\": [1, x]}", 9).map_err(|error| error.offset), Err(10));
        assert_eq!(read(b"[1e5, 1e99999]", 9).map_err(|error| error.offset), Err(6));
    }

    /// As `json.unmarshal` of OPA 1.22 answers.
    #[test]
    fn strings_are_read_as_go_does() {
        for (text, expected) in [
            (&b"\"\\ud800\""[..], "\u{fffd}"),
            (b"\"\\ud800\\u0041\"", "\u{fffd}A"),
            (b"\"\\udc00x\\ud83d\\ude00\"", "\u{fffd}x\u{1f600}"),
            (b"\"\\ud800\\ud83d\\ude00\"", "\u{fffd}\u{1f600}"),
            (b"\"a\xff\xe2\x82b\"", "a\u{fffd}\u{fffd}\u{fffd}b"),
            (b"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"", "\"\\/\u{8}\u{c}\n\r\t\u{e9}"),
            ("\"é\u{2028}\"".as_bytes(), "é\u{2028}"),
        ] {
            assert_eq!(read(text, 1), Ok(Value::from(expected)));
        }
    }

    #[test]
    fn of_equal_keys_the_last_counts_and_numbers_stay_as_written() {
        let value = read(b" {\"b\": 1.50, \"a\": 1E2, \"b\": [-0, 12345678901234567890]} ", 9).unwrap();
        assert_eq!(value.to_string(), r#"{"a": 1E2, "b": [-0, 12345678901234567890]}"#);
    }

    #[test]
    fn objects_with_the_same_keys_share_their_shape() {
        let text = br#"[{"b": 1, "a": 2}, {"b": 3, "a": 4}, {"a": 5, "b": 6}, {"a": 1}]"#;
        let value = read(text, 9).unwrap();
        let objects: Vec<_> = value.as_array().unwrap().iter().map(|item| item.as_object().unwrap()).collect();
        let [first, second, third, fourth] = objects[..] else { panic!() };
        assert!(Arc::ptr_eq(first.shape(), second.shape()) && !Arc::ptr_eq(first.shape(), fourth.shape()));
        assert_eq!(first.shape().position(&"b".into()).and_then(|at| second.value_at(at)), Some(&Value::Int(3)));
        assert_eq!((third.member("a"), third.member("b")), (Some(&Value::Int(5)), Some(&Value::Int(6))));
    }

    #[test]
    fn depth_and_memory_have_bounds() {
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert_eq!(read(deep(10_000).as_bytes(), 10_000).map(|value| value.depth()), Ok(10_000));
        assert_eq!(read(deep(10_001).as_bytes(), 10_000).map_err(|error| error.message), Err("exceeded max depth".to_owned()));
        let mut account = Account::new(Limits { memory: 1_000, ..Limits::default() });
        let text = format!("[{}1]", "1,".repeat(100));
        let found = Reader::new().read_within(text.as_bytes(), 5, &mut account);
        assert_eq!(found, Err(ReadError::Halt(Halt::Memory(1_000))));
    }
}
