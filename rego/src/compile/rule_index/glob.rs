//! `glob.match` as an array of parts (opa `v1/ast/index.go`, `updateGlobMatch`).

use super::constraint::{Indices, Wanted};
use super::expr::{Collector, Operand};
use super::resolve::variable;
use crate::ir::split;
use crate::syntax::tree::{Kind, Term};
use crate::value::ArcStr;

impl Collector<'_> {
    /// `glob.match("a:*", [":"], input.x)`.
    pub(super) fn glob_match(
        &mut self,
        indices: &mut Indices<'_>,
        (pattern, delimiters): (&Operand<'_>, &Operand<'_>),
        text: &Term,
    ) {
        let Some(delimiters) = letters(delimiters) else { return };
        let Some(parts) = parts(pattern, &delimiters) else { return };
        let Some(reference) = variable(text).and_then(|name| self.resolve(indices, name)) else { return };
        self.insert(indices, reference, Wanted::Split(delimiters), parts);
    }
}

/// The delimiters as the letters that they consist of; without any, a dot.
fn letters(delimiters: &Term) -> Option<ArcStr> {
    let Kind::Array(items) = &delimiters.kind else { return None };
    if items.is_empty() {
        return Some(arcstr::literal!("."));
    }
    items.iter().map(|item| item.as_str().map(|text| text.as_str())).collect::<Option<String>>().map(ArcStr::from)
}

/// A pattern as an array, a variable for each `*`; `None` if it has anything else that stands for several texts.
fn parts(pattern: &Term, delimiters: &str) -> Option<Term> {
    let part = |part: std::borrow::Cow<'_, str>| match part.as_ref() {
        "*" => Some(Term::var(pattern.span, arcstr::literal!("$globwildcard"))),
        text => is_plain(text).then(|| Term::string(pattern.span, text)),
    };
    let parts = split(pattern.as_str()?, delimiters).map(part).collect::<Option<Vec<_>>>()?;
    Some(Term::new(pattern.span, Kind::Array(parts)))
}

fn is_plain(part: &str) -> bool {
    let mut escaped = false;
    for letter in part.chars() {
        match letter {
            '\\' => {
                escaped = !escaped;
                continue;
            }
            '[' | '?' | '{' | '*' if !escaped => return false,
            _ => escaped = false,
        }
    }
    true
}
