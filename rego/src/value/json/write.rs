//! Writes JSON as OPA does: sets as arrays, keys that are no strings as their JSON text (`v1/ast/term.go`,
//! `valueToInterface`), text escaped as Go's encoder escapes it (`<` as `\u003c`).

use std::collections::BTreeMap;

use super::{TextError, string};
use crate::value::meter::{Free, Meter};
use crate::value::text::Writer;
use crate::value::{Object, Value, deep};

/// Lines and indents, as `json.MarshalIndent` of Go makes them.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'l> {
    /// What each line but the first begins with.
    pub prefix: &'l str,
    /// What is added for each level.
    pub indent: &'l str,
}

/// On one line, up to so many bytes.
pub fn write(value: &Value, limit: usize) -> Result<String, TextError> {
    write_within(value, None, limit, &mut Free)
}

/// With a layout or on one line, up to so many bytes, paid by an account.
pub fn write_within<M: Meter>(value: &Value, layout: Option<Layout>, limit: usize, meter: &mut M) -> Result<String, TextError> {
    let mut document = Document { out: Writer::new(limit, meter), layout, level: 0 };
    document.value(value)?;
    Ok(document.out.finish())
}

struct Document<'d, M> {
    out: Writer<'d, M>,
    layout: Option<Layout<'d>>,
    level: usize,
}

impl<M: Meter> Document<'_, M> {
    fn value(&mut self, value: &Value) -> Result<(), TextError> {
        match value {
            Value::Null => self.out.push("null"),
            Value::False => self.out.push("false"),
            Value::True => self.out.push("true"),
            Value::Int(value) => self.out.push(&value.to_string()),
            Value::Number(number) if number.is_json() => self.out.push(number.text()),
            Value::Number(number) => Err(TextError::Number(number.text().to_owned())),
            Value::String(text) => self.text(text),
            Value::Array(array) => deep::level(array.depth(), || self.list(array.items())),
            Value::Set(set) => deep::level(set.depth(), || self.list(set.members())),
            Value::Object(object) => deep::level(object.depth(), || self.object(object)),
        }
    }

    fn text(&mut self, text: &str) -> Result<(), TextError> {
        self.out.expect(text.len())?;
        string::write(text, self.out.text());
        self.out.settle()
    }

    fn list(&mut self, items: &[Value]) -> Result<(), TextError> {
        if items.is_empty() {
            return self.out.push("[]");
        }
        self.open("[")?;
        for (index, item) in items.iter().enumerate() {
            self.separate(index)?;
            self.value(item)?;
        }
        self.close("]")
    }

    fn object(&mut self, object: &Object) -> Result<(), TextError> {
        if object.is_empty() {
            return self.out.push("{}");
        }
        self.open("{")?;
        if object.shape().is_text() {
            for (index, (key, value)) in object.iter().enumerate() {
                self.separate(index)?;
                self.member(key.as_str().map_or("", |key| key), value)?;
            }
        } else {
            for (index, (key, value)) in self.named(object)?.iter().enumerate() {
                self.separate(index)?;
                self.member(key, value)?;
            }
        }
        self.close("}")
    }

    /// The members by the text of their keys, in its order; of keys with the same text the last counts.
    fn named<'o>(&mut self, object: &'o Object) -> Result<BTreeMap<String, &'o Value>, TextError> {
        let mut members = BTreeMap::new();
        for (key, value) in object.iter() {
            let text = match key {
                Value::String(text) => text.to_string(),
                other => self.out.apart(|limit, meter| write_within(other, None, limit, meter))?,
            };
            members.insert(text, value);
        }
        Ok(members)
    }

    fn member(&mut self, key: &str, value: &Value) -> Result<(), TextError> {
        self.text(key)?;
        self.out.push(if self.layout.is_some() { ": " } else { ":" })?;
        self.value(value)
    }

    fn open(&mut self, bracket: &str) -> Result<(), TextError> {
        self.level = self.level.saturating_add(1);
        self.out.push(bracket)
    }

    fn close(&mut self, bracket: &str) -> Result<(), TextError> {
        self.level = self.level.saturating_sub(1);
        self.line()?;
        self.out.push(bracket)
    }

    fn separate(&mut self, index: usize) -> Result<(), TextError> {
        if index > 0 {
            self.out.push(",")?;
        }
        self.line()
    }

    fn line(&mut self) -> Result<(), TextError> {
        let Some(layout) = self.layout else { return Ok(()) };
        self.out.push("\n")?;
        self.out.push(layout.prefix)?;
        (0..self.level).try_for_each(|_| self.out.push(layout.indent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::read;

    fn written(text: &str) -> String {
        write(&read(text.as_bytes(), 99).unwrap(), 1_000).unwrap()
    }

    /// As `json.marshal` of OPA 1.22 answers.
    #[test]
    fn values_are_written_as_opa_does() {
        assert_eq!(
            written(r#""<>&\u2028\u2029\u0000\u001f\u007f\b\f\n\r\t\"\\/é\u20ac""#),
            "\"\\u003c\\u003e\\u0026\\u2028\\u2029\\u0000\\u001f\u{7f}\\b\\f\\n\\r\\t\\\"\\\\/é€\""
        );
        assert_eq!(written(r#"{"b": 1.50, "a": [true, null, {}, []], "": 1e2}"#), r#"{"":1e2,"a":[true,null,{},[]],"b":1.50}"#);
        // A byte that is no UTF-8, as it is kept.
        assert_eq!(write(&Value::from("a\u{10ffff}b\u{10fe00}"), 99).unwrap(), "\"a\\ufffdb\u{10fe00}\"");
        let key = Value::array([Value::Int(1), Value::set([Value::Int(2)])]);
        let inner = Value::object([(Value::object([(Value::from("x"), Value::from("<"))]), Value::Int(1))]);
        let value = Value::object([(Value::Int(1), Value::Int(2)), (key, inner), (Value::from("<"), Value::Int(4))]);
        assert_eq!(write(&value, 1_000).unwrap(), r#"{"1":2,"\u003c":4,"[1,[2]]":{"{\"x\":\"\\u003c\"}":1}}"#);
        let both = Value::object([(Value::True, Value::Int(1)), (Value::from("true"), Value::Int(2))]);
        assert_eq!(write(&both, 1_000).unwrap(), r#"{"true":2}"#);
    }

    /// As `json.marshal_with_options` of OPA 1.22 answers.
    #[test]
    fn layouts_are_those_of_go() {
        let value = read(br#"{"a": [1, {"b": []}], "c": {}}"#, 99).unwrap();
        let layout = Layout { prefix: ">", indent: "  " };
        let expected = "{\n>  \"a\": [\n>    1,\n>    {\n>      \"b\": []\n>    }\n>  ],\n>  \"c\": {}\n>}";
        assert_eq!(write_within(&value, Some(layout), 1_000, &mut Free).unwrap(), expected);
    }

    #[test]
    fn what_json_cannot_say_is_an_error() {
        let value = Value::array([Value::number("+5").unwrap()]);
        assert_eq!(write(&value, 99).unwrap_err().to_string(), "json: invalid number literal \"+5\"");
        assert_eq!(write(&Value::from("abc"), 4), Err(TextError::Limit(4)));
    }
}
