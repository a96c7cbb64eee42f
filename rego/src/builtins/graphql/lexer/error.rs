//! Why a text is no token, in gqlparser's words (`lexer/lexer.go`).

use thiserror::Error;

/// What is wrong with a token.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(in crate::builtins::graphql) enum LexError {
    /// A control character between tokens.
    #[error("Cannot contain the invalid character \"\\u{0:04x}\"")]
    ControlCharacter(u8),
    /// A string of another language.
    #[error("Unexpected single quote character ('), did you mean to use a double quote (\")?")]
    SingleQuote,
    /// A character that no token begins with.
    #[error("Cannot parse the unexpected character \"{0}\".")]
    Character(char),
    /// A number that begins with 0. Holds what stands there, in quotes.
    #[error("Invalid number, unexpected digit after 0: {0}.")]
    DigitAfterZero(String),
    /// A sign, a point or an exponent without digits. Holds what stands there, in quotes.
    #[error("Invalid number, expected digit but got: {0}.")]
    NoDigit(String),
    /// A string that does not end.
    #[error("Unterminated string.")]
    Unterminated,
    /// A control character in a string.
    #[error("Invalid character within String: \"\\u{0:04x}\".")]
    InString(u32),
    /// A backslash at the end.
    #[error("Invalid character escape sequence.")]
    EscapeAtEnd,
    /// A backslash before what it does not escape. Holds what stands behind it.
    #[error("Invalid character escape sequence: \\{0}.")]
    Escape(String),
}
