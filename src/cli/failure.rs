//! Errors of the commands for policy authors, as text and as JSON in OPA's form (`internal/presentation` of its sources).

use std::io::{self, Write};

use plimsoll_contract::policy::{Diagnostic, Location};
use serde::Serialize;

use super::material::{self, LoadError};
use crate::rego::EvalError;
use crate::rego::query::Refused;
use crate::rego::trace::StackFrame;

/// One error of policies, data, input or query.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// What is wrong, in one sentence.
    pub message: String,
    /// OPA's code, such as `rego_parse_error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Where in a module or query the error is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The source line of an error in a module or query. OPA's JSON has it for syntax errors alone, its text for all.
    #[serde(skip_serializing_if = "is_for_people")]
    pub details: Option<Box<Line>>,
    /// The queries that were evaluated when it occurred, the innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stack_trace: Vec<StackFrame>,
    /// Whether only the message is printed, to standard error in every format, as OPA does for errors of the input document.
    #[serde(skip)]
    pub bare: bool,
    /// Lines of explanation below the message.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// A source line with the column of the error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    line: String,
    /// In bytes.
    idx: usize,
    #[serde(skip)]
    syntax: bool,
}

fn is_for_people(line: &Option<Box<Line>>) -> bool {
    !line.as_ref().is_some_and(|line| line.syntax)
}

/// The document `{"errors": […]}`.
#[derive(Debug, Serialize)]
pub struct Failures<'f> {
    /// The errors, at least one.
    pub errors: &'f [Failure],
}

impl Failure {
    /// Returns an error that has a message and nothing else.
    pub fn plain(message: impl Into<String>) -> Self {
        let message = message.into();
        let (stack_trace, notes) = (Vec::new(), Vec::new());
        Self { message, code: None, location: None, details: None, stack_trace, bare: false, notes }
    }

    /// Returns the error of an input document that cannot be read, in OPA's words.
    pub fn of_input(error: &LoadError) -> Self {
        let message = match error {
            LoadError::Read { path, source } if source.kind() == io::ErrorKind::NotFound => {
                format!("open {path}: no such file or directory")
            }
            other => format!("unable to parse input: {other}"),
        };
        Self { bare: true, ..Self::plain(message) }
    }
}

impl From<Diagnostic> for Failure {
    fn from(error: Diagnostic) -> Self {
        let Diagnostic { code, message, location, details, idx } = error;
        // The source line comes first, then notes.
        let mut notes = details.into_iter();
        let details = notes.next().map(|line| Box::new(Line::new(line, idx, location.col)));
        let notes = notes.collect();
        Self { code: Some(code), location: Some(location), details, notes, ..Self::plain(message) }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        Self::plain(match &error {
            LoadError::Bundle { source, .. } => format!("{error}{}", cause(source)),
            // OPA's wording.
            LoadError::Read { path, source } if source.kind() == io::ErrorKind::NotFound => {
                format!("stat {path}: no such file or directory")
            }
            _ => error.to_string(),
        })
    }
}

fn cause(error: &dyn std::error::Error) -> String {
    error.source().map(|cause| format!(": {cause}{}", self::cause(cause))).unwrap_or_default()
}

impl From<EvalError> for Failure {
    fn from(error: EvalError) -> Self {
        Self::from(&error)
    }
}

impl From<&EvalError> for Failure {
    fn from(error: &EvalError) -> Self {
        match error {
            EvalError::Conflict { location, message } => located("eval_conflict_error", location, message.clone()),
            EvalError::Builtin { code, location, message } => located(code, location, message.clone()),
            EvalError::Limit { .. } => Self { code: Some("eval_cancel_error".into()), ..Self::plain(error.to_string()) },
            other => Self { code: Some("eval_internal_error".into()), ..Self::plain(other.to_string()) },
        }
    }
}

fn located(code: &str, place: &str, message: String) -> Failure {
    let mut numbers = place.rsplitn(3, ':');
    let (col, row) = (numbers.next().and_then(|n| n.parse().ok()), numbers.next().and_then(|n| n.parse().ok()));
    let file = numbers.next().unwrap_or_default().to_owned();
    let location = row.zip(col).map(|(row, col)| Location { file, row, col });
    Failure { code: Some(code.into()), location, ..Failure::plain(message) }
}

/// Returns the errors in the form in which they are printed.
pub fn all<T: Into<Failure>>(errors: impl IntoIterator<Item = T>) -> Vec<Failure> {
    errors.into_iter().map(Into::into).collect()
}

/// Returns the errors that keep a query from being evaluated.
pub fn refused(refused: Refused) -> Vec<Failure> {
    match refused {
        Refused::Parse(errors) | Refused::Compile(errors) => all(errors),
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(location) = &self.location {
            write!(f, "{}: ", material::place(location))?;
        }
        if let Some(code) = &self.code {
            write!(f, "{code}: ")?;
        }
        write!(f, "{}", self.message)?;
        if let Some(line) = self.details.as_ref().filter(|shown| !shown.line.trim().is_empty()) {
            write!(f, "{line}")?;
        }
        self.notes.iter().try_for_each(|note| write!(f, "\n\t{note}"))
    }
}

impl Line {
    /// Without an index, the place is that of the column.
    fn new(line: String, idx: Option<usize>, col: u32) -> Self {
        let column = usize::try_from(col).unwrap_or_default().saturating_sub(1);
        let of_column = || line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
        Self { idx: idx.unwrap_or_else(of_column), line, syntax: idx.is_some() }
    }
}

impl std::fmt::Display for Line {
    /// Writes the line as OPA does: without leading tabs, and a caret in the line below.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let line = self.line.trim_start_matches('\t');
        let tabs = self.line.len().saturating_sub(line.len());
        let indent = self.line.get(..self.idx).map_or(0, |before| before.chars().count()).saturating_sub(tabs);
        write!(f, "\n\t{}\n\t{}^", line.trim_end(), " ".repeat(indent))
    }
}

/// Prints the errors as OPA does: a line with their number, then one error a line. Fails when the output cannot be written.
pub fn print(errors: &[Failure], out: &mut dyn Write) -> io::Result<()> {
    match errors {
        [error] => writeln!(out, "1 error occurred: {error}")?,
        errors => {
            writeln!(out, "{} errors occurred:", errors.len())?;
            errors.iter().try_for_each(|error| writeln!(out, "{error}"))?;
        }
    }
    // An evaluation ends with one error.
    for error in errors.iter().filter(|error| !error.stack_trace.is_empty()) {
        writeln!(out, "\nTraceback:")?;
        error.stack_trace.iter().try_for_each(|frame| writeln!(out, "  {frame}"))?;
    }
    Ok(())
}

/// Prints a document as indented JSON, escaped as Go's encoder does. Fails when it cannot be encoded or the output cannot be written.
pub fn json(document: &impl Serialize, out: &mut dyn Write) -> anyhow::Result<()> {
    Ok(writeln!(out, "{}", escaped(&serde_json::to_string_pretty(document)?))?)
}

/// Escapes `<`, `>`, `&` and two line separators in a JSON text, as Go's encoder does. They occur inside strings alone.
pub fn escaped(json: &str) -> String {
    let json = json.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e");
    json.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_from_their_text() {
        let table = [
            ("a.rego:3:7", Some(("a.rego", 3, 7))),
            ("c:a.rego:3:7", Some(("c:a.rego", 3, 7))),
            (":1:2", Some(("", 1, 2))),
            ("", None),
        ];
        for (text, expected) in table {
            let failure = located("code", text, "m".into());
            assert_eq!(failure.location.as_ref().map(|l| (l.file.as_str(), l.row, l.col)), expected, "{text}");
        }
    }

    #[test]
    fn the_source_line_stands_below_the_message_with_a_caret() {
        let location = Location { file: "a.rego".into(), row: 3, col: 7 };
        let details = vec!["\t\tx == y".to_owned(), "a note".to_owned()];
        let error = Diagnostic { code: "rego_compile_error".into(), message: "m".into(), location, details, idx: None };
        assert_eq!(Failure::from(error).to_string(), "a.rego:3:7: rego_compile_error: m\n\tx == y\n\t    ^\n\ta note");
    }

    #[test]
    fn json_is_escaped_as_go_does() {
        let mut out = Vec::new();
        json(&serde_json::json!({"a": "<b>&\u{2028}"}), &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "{\n  \"a\": \"\\u003cb\\u003e\\u0026\\u2028\"\n}\n");
    }
}
