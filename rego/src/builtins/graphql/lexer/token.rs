//! Tokens.

use super::super::ast::Position;
use crate::builtins::quote;

/// Kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Kind {
    Invalid,
    Eof,
    Bang,
    Dollar,
    Amp,
    ParenL,
    ParenR,
    Spread,
    Colon,
    Equals,
    At,
    BracketL,
    BracketR,
    BraceL,
    BraceR,
    Pipe,
    Name,
    Int,
    Float,
    String,
    BlockString,
    Comment,
}

impl Kind {
    /// The kind of a sign that is one byte.
    pub(super) fn punctuator(byte: u8) -> Option<Self> {
        Some(match byte {
            b'!' => Self::Bang,
            b'$' => Self::Dollar,
            b'&' => Self::Amp,
            b'(' => Self::ParenL,
            b')' => Self::ParenR,
            b':' => Self::Colon,
            b'=' => Self::Equals,
            b'@' => Self::At,
            b'[' => Self::BracketL,
            b']' => Self::BracketR,
            b'{' => Self::BraceL,
            b'}' => Self::BraceR,
            b'|' => Self::Pipe,
            _ => return None,
        })
    }

    /// As errors say it.
    pub(in super::super) fn shown(self) -> &'static str {
        match self {
            Self::Invalid => "<Invalid>",
            Self::Eof => "<EOF>",
            Self::Bang => "!",
            Self::Dollar => "$",
            Self::Amp => "&",
            Self::ParenL => "(",
            Self::ParenR => ")",
            Self::Spread => "...",
            Self::Colon => ":",
            Self::Equals => "=",
            Self::At => "@",
            Self::BracketL => "[",
            Self::BracketR => "]",
            Self::BraceL => "{",
            Self::BraceR => "}",
            Self::Pipe => "|",
            Self::Name => "Name",
            Self::Int => "Int",
            Self::Float => "Float",
            Self::String => "String",
            Self::BlockString => "BlockString",
            Self::Comment => "Comment",
        }
    }
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Token<'a> {
    pub(in super::super) kind: Kind,
    pub(in super::super) value: &'a str,
    pub(in super::super) at: Position,
}

impl Token<'_> {
    /// Its kind and its value.
    pub(in super::super) fn shown(&self) -> String {
        let kind = self.kind.shown();
        if self.value.is_empty() { kind.to_owned() } else { format!("{kind} {}", quote::quote(self.value)) }
    }
}
