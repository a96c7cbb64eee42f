//! What is told of where an evaluation stood when it ended in an error (opa `v1/topdown/stacktrace.go`).

use std::fmt;

use plimsoll_contract::policy::Location;
use serde::Serialize;

use crate::eval::{EvalError, Suspended};
use crate::syntax::source::Sources;
use crate::syntax::span::Span;

/// A text of more characters is cut.
const WIDEST: usize = 80;

/// One of the queries that were evaluated when an error occurred. As JSON: `{"query_id": 1, "location": {"file": …, "row": …, "col": …}}`.
/// As text: `file:row: expression`, or `row:col: expression` in a query, with values where the policy has variables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StackFrame {
    /// The number that the events of its trace have.
    pub query_id: u64,
    /// Where the expression stands that was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// What is written there, on one line, with the values of its variables.
    #[serde(skip)]
    pub text: String,
}

/// Returns the queries that were evaluated when an error of a traced evaluation occurred, the innermost first; none for other errors.
pub fn stack(error: &EvalError, sources: &Sources) -> Vec<StackFrame> {
    error.stack.iter().map(|suspended| StackFrame::of(suspended, sources)).collect()
}

impl StackFrame {
    fn of(suspended: &Suspended, sources: &Sources) -> Self {
        let Suspended { query_id, span, values } = suspended;
        let location = (*span != Span::default()).then(|| sources.location(*span));
        Self { query_id: *query_id, location, text: on_one_line(&filled_in(sources.text(*span), *span, values)) }
    }
}

/// The text of an expression with values in the places of its variables: where two places overlap, in the first.
fn filled_in(text: &str, span: Span, values: &[(Span, String)]) -> String {
    let at = |offset: u32| usize::try_from(offset.saturating_sub(span.start)).unwrap_or(usize::MAX);
    let (mut filled, mut behind) = (String::new(), 0);
    for (place, value) in values {
        let part = text.get(at(place.start)..at(place.end)).unwrap_or_default();
        let rest = text.get(at(place.end)..).unwrap_or_default();
        if at(place.start) < behind || !is_term(part, rest) {
            continue;
        }
        filled.push_str(text.get(behind..at(place.start)).unwrap_or_default());
        filled.push_str(value);
        behind = at(place.end);
    }
    filled.push_str(text.get(behind..).unwrap_or_default());
    filled
}

/// Whether a text is all of a term. What is made of a reference into a collection has a place that ends elsewhere (`Term::made_place`):
/// OPA leaves such a text as it is.
fn is_term(text: &str, rest: &str) -> bool {
    if !text.starts_with(['[', '{']) {
        return !text.is_empty();
    }
    let (mut depth, mut quote, mut escaped) = (0_u32, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(open), _) => quote = Some(open).filter(|open| *open != c),
            (None, '"' | '`') => quote = Some(c),
            (None, '[' | '{' | '(') => depth = depth.saturating_add(1),
            (None, ']' | '}' | ')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && quote.is_none() {
            return at.saturating_add(c.len_utf8()) == text.len() && !rest.starts_with(['[', '.']);
        }
    }
    false
}

fn on_one_line(text: &str) -> String {
    // No more words than could be shown, were they of one character.
    let line = text.split_whitespace().take(WIDEST).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(WIDEST) {
        Some((at, _)) => format!("{}...", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

impl fmt::Display for StackFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            None => f.write_str("<unknown>")?,
            Some(Location { file, row, col }) if file.is_empty() => write!(f, "{row}:{col}")?,
            Some(Location { file, row, .. }) => write!(f, "{file}:{row}")?,
        }
        if self.text.is_empty() { Ok(()) } else { write!(f, ": {}", self.text) }
    }
}

#[cfg(test)]
mod tests {
    use super::{filled_in, is_term, on_one_line};
    use crate::syntax::span::{SourceId, Span};

    fn at(start: u32, end: u32) -> Span {
        Span { source: SourceId(0), start, end }
    }

    #[test]
    fn values_stand_where_variables_stood() {
        let value = |start, end, text: &str| (at(start, end), text.to_owned());
        let values = [value(12, 13, "[1]"), value(15, 19, "2"), value(16, 17, "never")];
        assert_eq!(filled_in("f(x, g(y))", at(10, 20), &values), "f([1], 2)");
        assert_eq!(filled_in("f(x, g(y))", at(10, 20), &[]), "f(x, g(y))");
    }

    #[test]
    fn what_is_only_a_part_of_a_term_is_no_term() {
        for (text, rest, is) in [
            ("x", ")", true),
            ("", ")", false),
            ("[x | x := 7]", ")", true),
            ("{\"]\": 1}", ", y)", true),
            ("[\"abc\"", ", 2][0])", false),
            ("[10]", "[0])", false),
            ("{`}`: [1", "]}", false),
            ("[1][", "0])", false),
        ] {
            assert_eq!(is_term(text, rest), is, "{text} {rest}");
        }
    }

    #[test]
    fn a_text_is_one_line_of_eighty_characters() {
        assert_eq!(on_one_line("every x in xs {\n\tx > 1\r\n}"), "every x in xs { x > 1 }");
        assert_eq!(on_one_line(&"é".repeat(80)), "é".repeat(80));
        assert_eq!(on_one_line(&"é".repeat(81)), format!("{}...", "é".repeat(80)));
    }
}
