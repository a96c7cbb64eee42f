//! What is wrong with a document, in the words of gqlparser (`gqlerror/`) and of OPA.

use super::ast::At;
use crate::builtins::BuiltinError;
use crate::limits::Halt;

/// One error.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) message: String,
    pub(super) place: Place,
}

/// Where an error stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Nowhere: it is about an object.
    Nowhere,
    /// At a position, or at what gqlparser writes for none.
    At(At),
}

/// Why there is no document, or no valid one.
#[derive(Debug)]
pub(super) enum Stop {
    /// It is wrong.
    Wrong(Finding),
    /// The evaluation ends.
    Halt(Halt),
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}

impl Stop {
    /// An error at a position.
    pub(super) fn at(at: At, message: impl Into<String>) -> Self {
        Self::Wrong(Finding { message: message.into(), place: Place::At(at) })
    }

    /// The same as a builtin's error, worded by this.
    pub(super) fn worded(self, words: fn(&str) -> String) -> BuiltinError {
        match self {
            Self::Wrong(finding) => BuiltinError::failed(words(&finding.to_string())),
            Self::Halt(halt) => halt.into(),
        }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let message = &self.message;
        match self.place {
            Place::Nowhere => write!(f, "input: {message}"),
            Place::At(None) => write!(f, "input:-1:-1: {message}"),
            Place::At(Some(at)) => {
                let file = if at.prelude { "prelude.graphql" } else { "input" };
                write!(f, "{file}:{}:{}: {message}", at.line, at.column)
            }
        }
    }
}

/// OPA's words for what is wrong with a text or a query (`formatGqlParserError`).
pub(super) fn located(error: &str) -> String {
    let mut parts = error.splitn(4, ':');
    if let (Some(_), Some(row), Some(column), Some(message)) = (parts.next(), parts.next(), parts.next(), parts.next())
        && let (Some(row), Some(column)) = (number(row), number(column))
    {
        let message = message.trim_start_matches(' ');
        let message = message.strip_suffix(".\n").unwrap_or(message);
        return format!("{message} in GraphQL string at location {row}:{column}");
    }
    format!("GraphQL parse error: {error}")
}

/// Go's `strconv.ParseUint`.
fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|_| !text.starts_with('+'))
}

/// OPA's words for a schema that is none.
pub(super) fn converted(error: &str) -> String {
    format!("Error in gqlparser SchemaDocument to Schema conversion: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What OPA makes of gqlparser's errors, recorded.
    #[test]
    fn errors_without_a_place_are_left_as_they_are() {
        let place = Place::At(Some(super::super::ast::Position { line: 1, column: 7, prelude: false }));
        let finding = Finding { message: "Expected Name, found <EOF>".to_owned(), place };
        assert_eq!(located(&finding.to_string()), "Expected Name, found <EOF> in GraphQL string at location 1:7");
        let listed = "input: Cannot query field \"zz\" on type \"Query\".\n";
        assert_eq!(located(listed), format!("GraphQL parse error: {listed}"));
        let nowhere = Finding { message: "Undefined type Foo.".to_owned(), place: Place::At(None) }.to_string();
        assert_eq!(
            converted(&nowhere),
            "Error in gqlparser SchemaDocument to Schema conversion: input:-1:-1: Undefined type Foo."
        );
    }
}
