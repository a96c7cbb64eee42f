//! JSON as the library that OPA signs tokens with reads their headers (`github.com/valyala/fastjson`): it takes some texts for
//! JSON that are none, and of equal names the first counts.

use super::unescape::unescape;
use crate::builtins::quote::quote;

/// How deep values may nest.
const DEPTH: usize = 300;

/// What a value is; what is inside does not matter.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind<'t> {
    Object,
    Array,
    /// As it is written, without quotes.
    String(&'t str),
    Number,
    True,
    False,
    Null,
}

/// What is wrong with a text, in the library's words.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub(super) enum ParseError {
    /// A text that does not begin with a value. The tail is shortened and in quotes.
    #[error("cannot parse JSON: {why}; unparsed tail: {tail}")]
    Json {
        /// What is wrong.
        why: Box<ParseError>,
        /// What was not read.
        tail: String,
    },
    /// Something behind the value, shortened and in quotes.
    #[error("unexpected tail: {0}")]
    Tail(String),
    /// What could not be read, and why.
    #[error("cannot parse {what}: {why}")]
    Inside {
        /// A kind of value, or a part of one.
        what: &'static str,
        /// What is wrong.
        why: Box<ParseError>,
    },
    /// A value of nothing.
    #[error("cannot parse empty string")]
    Empty,
    /// Values nest too deep.
    #[error("too big depth for the nested JSON; it exceeds {DEPTH}")]
    TooDeep,
    /// Neither `true` nor `false` nor `null`: the rest of the text, in quotes.
    #[error("unexpected value found: {0}")]
    Value(String),
    /// A sign that is not there.
    #[error("missing {0}")]
    Missing(&'static str),
    /// The text ends within an array or object.
    #[error("unexpected end of {0}")]
    End(&'static str),
    /// A key without a quote before it.
    #[error("cannot find opening '\"\" for object key")]
    KeyQuote,
    /// A character that no number begins with, in quotes.
    #[error("unexpected char: {0}")]
    Character(String),
}

impl ParseError {
    /// Returns what wraps this error where it is passed on: `what` could not be read.
    fn inside(what: &'static str) -> impl Fn(Self) -> Self {
        move |why| Self::Inside { what, why: why.into() }
    }
}

/// The members of a text that is an object; none for what is something else. As they are written.
#[derive(Debug, Default)]
pub(super) struct Members<'t>(Vec<(&'t str, Kind<'t>)>);

/// What is left of a text, and the members of the outermost object.
struct Parser<'t> {
    rest: &'t str,
    members: Vec<(&'t str, Kind<'t>)>,
}

impl<'t> Members<'t> {
    /// Reads a text.
    pub(super) fn parse(text: &'t str) -> Result<Self, ParseError> {
        let mut parser = Parser { rest: text, members: Vec::new() };
        parser.skip_blanks();
        let kind = parser.value(0);
        let kind = kind.map_err(|why| ParseError::Json { why: why.into(), tail: quote(&shortened(parser.rest)) })?;
        parser.skip_blanks();
        if !parser.rest.is_empty() {
            return Err(ParseError::Tail(quote(&shortened(parser.rest))));
        }
        Ok(if matches!(kind, Kind::Object) { Self(parser.members) } else { Self::default() })
    }

    /// A member: looked for as it is written first.
    pub(super) fn get(&self, name: &str) -> Option<Kind<'t>> {
        let written = self.0.iter().find(|(key, _)| *key == name);
        written.or_else(|| self.0.iter().find(|(key, _)| unescape(key) == name)).map(|(_, kind)| *kind)
    }
}

impl Kind<'_> {
    /// As the library names it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String(_) => "string",
            Self::Number => "number",
            Self::True => "true",
            Self::False => "false",
            Self::Null => "null",
        }
    }
}

impl<'t> Parser<'t> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\n', '\t', '\r']);
    }

    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn value(&mut self, depth: usize) -> Result<Kind<'t>, ParseError> {
        let Some(first) = self.rest.chars().next() else { return Err(ParseError::Empty) };
        if depth >= DEPTH {
            return Err(ParseError::TooDeep);
        }
        match first {
            '{' => self.object(depth.saturating_add(1)).map_err(ParseError::inside("object")),
            '[' => self.array(depth.saturating_add(1)).map_err(ParseError::inside("array")),
            '"' => {
                self.take(1);
                self.string().map(Kind::String).map_err(ParseError::inside("string"))
            }
            't' => self.word("true", Kind::True),
            'f' => self.word("false", Kind::False),
            'n' => self.word("null", Kind::Null),
            _ => self.number().map_err(ParseError::inside("number")),
        }
    }

    fn word(&mut self, word: &str, kind: Kind<'t>) -> Result<Kind<'t>, ParseError> {
        let nan = self.rest.get(..3).is_some_and(|start| word == "null" && start.eq_ignore_ascii_case("nan"));
        match () {
            () if self.eat(word) => Ok(kind),
            () if nan => {
                self.take(3);
                Ok(Kind::Number)
            }
            () => Err(ParseError::Value(quote(self.rest))),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Kind<'t>, ParseError> {
        self.take(1);
        self.skip_blanks();
        if self.rest.is_empty() {
            return Err(ParseError::Missing("']'"));
        }
        if self.eat("]") {
            return Ok(Kind::Array);
        }
        loop {
            self.skip_blanks();
            self.value(depth).map_err(ParseError::inside("array value"))?;
            self.skip_blanks();
            match () {
                () if self.rest.is_empty() => return Err(ParseError::End("array")),
                () if self.eat(",") => {}
                () if self.eat("]") => return Ok(Kind::Array),
                () => return Err(ParseError::Missing("',' after array value")),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Kind<'t>, ParseError> {
        self.take(1);
        self.skip_blanks();
        if self.rest.is_empty() {
            return Err(ParseError::Missing("'}'"));
        }
        if self.eat("}") {
            return Ok(Kind::Object);
        }
        loop {
            self.member(depth)?;
            self.skip_blanks();
            match () {
                () if self.rest.is_empty() => return Err(ParseError::End("object")),
                () if self.eat(",") => {}
                () if self.eat("}") => return Ok(Kind::Object),
                () => return Err(ParseError::Missing("',' after object value")),
            }
        }
    }

    fn member(&mut self, depth: usize) -> Result<(), ParseError> {
        self.skip_blanks();
        if !self.eat("\"") {
            return Err(ParseError::KeyQuote);
        }
        let key = self.string().map_err(ParseError::inside("object key"))?;
        self.skip_blanks();
        if !self.eat(":") {
            return Err(ParseError::Missing("':' after object key"));
        }
        self.skip_blanks();
        let kind = self.value(depth).map_err(ParseError::inside("object value"))?;
        if depth == 1 {
            self.members.push((key, kind));
        }
        Ok(())
    }

    /// Up to the first quote that no backslash escapes, whatever else stands there.
    fn string(&mut self) -> Result<&'t str, ParseError> {
        let mut escaped = false;
        let end = self.rest.bytes().position(|byte| {
            let end = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            end
        });
        let Some(end) = end else {
            self.rest = "";
            return Err(ParseError::Missing("closing '\"'"));
        };
        let text = self.take(end);
        self.take(1);
        Ok(text)
    }

    /// Digits, signs, points and exponents in any order.
    fn number(&mut self) -> Result<Kind<'t>, ParseError> {
        let length = self.rest.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+' | 'e' | 'E')).unwrap_or(self.rest.len());
        let signed = length == 1 && self.rest.starts_with(['-', '+']);
        if length == self.rest.len() || length > 0 && !signed {
            self.take(length);
            return Ok(Kind::Number);
        }
        let word = self.rest.get(length..length.saturating_add(3)).unwrap_or_default();
        if word.eq_ignore_ascii_case("inf") || word.eq_ignore_ascii_case("nan") {
            self.take(length.saturating_add(3));
            return Ok(Kind::Number);
        }
        let first = self.rest.chars().next().map(String::from).unwrap_or_default();
        Err(ParseError::Character(quote(&first)))
    }
}

/// Both ends of a text.
fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    if text.len() <= MOST {
        return text.to_owned();
    }
    let (start, end) = (text.floor_char_boundary(MOST / 2), text.ceil_char_boundary(text.len().saturating_sub(MOST / 2)));
    format!("{}...{}", text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default())
}
