//! The tokens of Rego (`v1/ast/internal/tokens/tokens.go`).

use super::tree::Version;

/// A kind of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Illegal,
    Eof,
    Whitespace,
    Ident,
    Comment,
    Package,
    Import,
    As,
    Default,
    Else,
    Not,
    Some,
    With,
    Null,
    True,
    False,
    Number,
    String,
    TemplatePart,
    TemplateEnd,
    RawTemplatePart,
    RawTemplateEnd,
    LBrack,
    RBrack,
    LBrace,
    RBrace,
    LParen,
    RParen,
    Comma,
    Colon,
    Add,
    Sub,
    Mul,
    Quo,
    Rem,
    And,
    Or,
    Unify,
    Equal,
    Assign,
    In,
    Neq,
    Gt,
    Lt,
    Gte,
    Lte,
    Dot,
    Semicolon,
    Every,
    Contains,
    If,
    LogicalAnd,
    LogicalOr,
}

/// Words that are keywords only where a version or an import makes them so; a set of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Keywords(u8);

/// The words that were imported in v0, then those that are imported in v1, each with its token.
const FUTURE: [(&str, Token); 7] = [
    ("in", Token::In),
    ("every", Token::Every),
    ("contains", Token::Contains),
    ("if", Token::If),
    ("not", Token::Not),
    ("and", Token::LogicalAnd),
    ("or", Token::LogicalOr),
];

/// Words that are always keywords; the first one except in [`Keywords::OF_PATHS`].
const BASE: [(&str, Token); 11] = [
    ("not", Token::Not),
    ("package", Token::Package),
    ("import", Token::Import),
    ("as", Token::As),
    ("default", Token::Default),
    ("else", Token::Else),
    ("with", Token::With),
    ("null", Token::Null),
    ("true", Token::True),
    ("false", Token::False),
    ("some", Token::Some),
];

impl Keywords {
    /// `in`, `every`, `contains`, `if`.
    pub(super) const V0: Self = Self(0b000_1111);
    /// `not` with a body.
    pub(super) const NOT: Self = Self(0b001_0000);
    /// None, and `not` is a name, too: in the path of an import, and for the token behind it (`presentParser`).
    pub(super) const OF_PATHS: Self = Self(0b1000_0000);
    /// All of them.
    pub(super) const ALL: Self = Self(0b111_1111);

    /// Both sets together; `every` brings `in`.
    pub(super) fn with(self, other: Self) -> Self {
        let both = self.0 | other.0;
        Self(if both & 0b10 == 0 { both } else { both | 1 })
    }

    /// The set of one word, if it is such a word.
    pub(super) fn of(word: &str) -> Option<Self> {
        FUTURE.iter().position(|(name, _)| *name == word).map(|bit| Self(1 << bit))
    }

    /// Whether all of the other set are in it.
    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The words, sorted.
    pub(super) fn names(self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.each().map(|(name, _)| name).collect();
        names.sort_unstable();
        names
    }

    /// The token of a word: a keyword, or a name.
    pub(super) fn token(self, word: &str) -> Token {
        let base = if self == Self::OF_PATHS { BASE.get(1..).unwrap_or_default() } else { &BASE };
        let of_all = base.iter().find(|(name, _)| *name == word);
        let found = of_all.copied().or_else(|| self.each().find(|(name, _)| *name == word));
        found.map_or(Token::Ident, |(_, token)| token)
    }

    fn each(self) -> impl Iterator<Item = (&'static str, Token)> {
        FUTURE.iter().enumerate().filter(move |(bit, _)| self.0 & (1 << bit) != 0).map(|(_, word)| *word)
    }
}

/// Whether a word is a keyword of a version (`v1/ast/policy.go`, `IsKeywordInRegoVersion`).
pub fn is_keyword(word: &str, version: Version) -> bool {
    let later = match version {
        Version::V0 => Keywords::default(),
        Version::V0CompatV1 | Version::V1 => Keywords::V0,
        Version::V2 => Keywords::ALL,
    };
    later.token(word) != Token::Ident
}

impl Token {
    /// As messages write it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Illegal => "illegal",
            Self::Eof => "eof",
            Self::Whitespace => "whitespace",
            Self::Ident => "identifier",
            Self::Comment => "comment",
            Self::Number => "number",
            Self::String => "string",
            Self::TemplatePart => "template-string-part",
            Self::TemplateEnd => "template-string-end",
            Self::RawTemplatePart => "raw-template-string-part",
            Self::RawTemplateEnd => "raw-template-string-end",
            _ => self.sign().or_else(|| self.operator()).unwrap_or_else(|| self.word()),
        }
    }

    fn sign(self) -> Option<&'static str> {
        Some(match self {
            Self::LBrack => "[",
            Self::RBrack => "]",
            Self::LBrace => "{",
            Self::RBrace => "}",
            Self::LParen => "(",
            Self::RParen => ")",
            Self::Comma => ",",
            Self::Colon => ":",
            Self::Dot => ".",
            Self::Semicolon => ";",
            _ => return None,
        })
    }

    /// The builtin that an infix operator calls.
    pub(super) fn operator(self) -> Option<&'static str> {
        Some(match self {
            Self::Add => "plus",
            Self::Sub => "minus",
            Self::Mul => "mul",
            Self::Quo => "div",
            Self::Rem => "rem",
            Self::And => "and",
            Self::Or => "or",
            Self::Unify => "eq",
            Self::Equal => "equal",
            Self::Assign => "assign",
            Self::Neq => "neq",
            Self::Gt => "gt",
            Self::Lt => "lt",
            Self::Gte => "gte",
            Self::Lte => "lte",
            _ => return None,
        })
    }

    fn word(self) -> &'static str {
        BASE.iter().chain(&FUTURE).find(|(_, token)| *token == self).map_or("unknown", |(name, _)| name)
    }

    /// Whether messages call it a keyword.
    pub(super) fn is_word(self) -> bool {
        BASE.iter().chain(&FUTURE).any(|(_, token)| *token == self)
    }
}
