//! The JSON of the recorded files, where `{"set": […]}` is a set.

use plimsoll_rego::value::Value;

/// Reads what is surely JSON.
pub(crate) fn read(text: &str) -> Value {
    let mut reader = Reader { rest: text };
    let value = reader.value();
    assert!(reader.rest.trim().is_empty(), "{text}");
    value
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn value(&mut self) -> Value {
        match () {
            () if self.eat("null") => Value::Null,
            () if self.eat("true") => Value::True,
            () if self.eat("false") => Value::False,
            () if self.eat("[") => Value::array(self.list("]", Self::value)),
            () if self.eat("{") => {
                let members = self.list("}", |reader| {
                    let key = reader.value();
                    assert!(reader.eat(":"));
                    (key, reader.value())
                });
                match members.as_slice() {
                    [(key, Value::Array(items))] if *key == Value::from("set") => Value::set(items.items().iter().cloned()),
                    _ => Value::object(members),
                }
            }
            () if self.eat("\"") => Value::from(self.string()),
            () => {
                let end = self.rest.find([',', ']', '}', ' ']).unwrap_or(self.rest.len());
                let (number, rest) = self.rest.split_at(end);
                self.rest = rest;
                Value::number(number).unwrap()
            }
        }
    }

    fn list<T>(&mut self, close: &str, item: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(item(self));
            assert!(self.eat(",") || self.rest.trim_start().starts_with(close));
        }
        items
    }

    fn string(&mut self) -> String {
        let mut text = String::new();
        loop {
            let mut chars = self.rest.chars();
            let c = chars.next().unwrap();
            self.rest = chars.as_str();
            match c {
                '"' => return text,
                '\\' => text.push(self.escape()),
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> char {
        let (escape, rest) = self.rest.split_at(1);
        self.rest = rest;
        match escape {
            "b" => '\u{8}',
            "f" => '\u{c}',
            "n" => '\n',
            "r" => '\r',
            "t" => '\t',
            "u" => self.unit(),
            other => other.chars().next().unwrap(),
        }
    }

    fn unit(&mut self) -> char {
        let mut next = || {
            let (digits, rest) = self.rest.split_at(4);
            self.rest = rest;
            u32::from_str_radix(digits, 16).unwrap()
        };
        let first = next();
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER);
        }
        self.rest = self.rest.strip_prefix("\\u").unwrap();
        let (digits, rest) = self.rest.split_at(4);
        self.rest = rest;
        let second = u32::from_str_radix(digits, 16).unwrap();
        char::from_u32(0x1_0000 + ((first & 0x3ff) << 10) + (second & 0x3ff)).unwrap()
    }
}
