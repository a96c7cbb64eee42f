//! A pattern as it is read, and what is wrong with it, in Go's words (`regexp/syntax/parse.go`).

use crate::builtins::BuiltinError;

/// Why there is no regular expression.
#[derive(Debug, thiserror::Error)]
pub(super) enum PatternError {
    /// Go refuses it.
    #[error("error parsing regexp: {what}: `{text}`")]
    Syntax {
        /// What is wrong.
        what: &'static str,
        /// Where: the part of the pattern.
        text: String,
    },
}

pub(super) const CLASS_RANGE: &str = "invalid character class range";
pub(super) const ESCAPE: &str = "invalid escape sequence";
pub(super) const MISSING_BRACKET: &str = "missing closing ]";
pub(super) const TRAILING_BACKSLASH: &str = "trailing backslash at end of expression";

impl PatternError {
    /// What Go says about a part of a pattern.
    pub(super) fn syntax(what: &'static str, text: &str) -> Self {
        Self::Syntax { what, text: text.to_owned() }
    }
}

impl From<PatternError> for BuiltinError {
    fn from(error: PatternError) -> Self {
        Self::failed(error.to_string())
    }
}

/// What is left of a pattern.
#[derive(Clone, Copy)]
pub(super) struct Reader<'p> {
    pub(super) rest: &'p str,
}

impl<'p> Reader<'p> {
    /// The next character, which is read.
    pub(super) fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next()?;
        self.rest = characters.as_str();
        Some(next)
    }

    /// Reads a text if it is next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// What was read since the rest was `before`.
    pub(super) fn since(&self, before: &'p str) -> &'p str {
        before.get(..before.len().saturating_sub(self.rest.len())).unwrap_or(before)
    }
}
