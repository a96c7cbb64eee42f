//! What differs from OPA.

use plimsoll_rego::error::Errors;
use plimsoll_rego::syntax::json::{self, Style};
use plimsoll_rego::syntax::parse::{Options, parse_module};
use plimsoll_rego::syntax::print;
use plimsoll_rego::syntax::source::Source;
use plimsoll_rego::syntax::span::SourceId;
use plimsoll_rego::value::Value;

use super::cases::Module;
use super::opa::{Answer, Finding, answers};

/// All that differs.
pub(crate) struct Differences {
    count: usize,
    found: Vec<String>,
}

/// Reads modules here and there.
pub(crate) fn differences(modules: &[Module]) -> Differences {
    let answers = answers(modules);
    let found = modules.iter().zip(answers).filter_map(|(module, answer)| difference(module, &answer)).collect();
    Differences { count: modules.len(), found }
}

impl Differences {
    /// Fails when there is any.
    pub(crate) fn none(&self) {
        let shown = self.found.iter().take(25).cloned().collect::<Vec<_>>().join("\n\n");
        assert!(self.found.is_empty(), "{} of {} differ:\n{shown}", self.found.len(), self.count);
    }
}

fn difference(module: &Module, answer: &Answer) -> Option<String> {
    let source = Source::new(&module.name, &module.text);
    let parsed = parse_module(&source, SourceId(0), &Options::of(module.version));
    let what = match (&parsed, &answer.tree) {
        (Ok(parsed), Some(tree)) => {
            let ours = json::module(Style { source: &source, locations: true }, parsed);
            first_difference("", &ours, tree).or_else(|| text_difference(&print::module(parsed), &answer.text))
        }
        (Err(errors), None) => error_difference(&source, errors, &answer.errors),
        // Numbers such as `.5` are no JSON.
        (_, None) if answer.errors.iter().all(|error| error.message.starts_with("no JSON")) => None,
        (Ok(_), None) => Some(format!("accepted; OPA: {:?}", answer.errors.first())),
        (Err(errors), Some(_)) => {
            Some(format!("refused: {errors} {:?}", errors.iter().next().map(|error| source.position(error.span().start))))
        }
    }?;
    Some(format!("--- {} ({:?})\n{what}\n{}", module.name, module.version, excerpt(&module.text)))
}

fn excerpt(text: &str) -> String {
    if text.len() < 600 { text.to_owned() } else { String::new() }
}

/// OPA's first error has to be ours, too.
fn error_difference(source: &Source, errors: &Errors, theirs: &[Finding]) -> Option<String> {
    let ours: Vec<_> = errors.iter().map(|error| finding(source, error)).collect();
    let theirs = theirs.first()?;
    (!ours.contains(theirs)).then(|| format!("ours:   {:?}\ntheirs: {theirs:?}", ours.first()))
}

fn finding(source: &Source, error: &plimsoll_rego::error::Error) -> Finding {
    let span = error.span();
    let position = if span.end == 0 { Default::default() } else { source.position(span.start) };
    Finding { message: error.message().to_owned(), row: position.row, col: position.col, details: error.details().to_vec() }
}

/// The text without annotations, which are compared as a tree.
fn text_difference(ours: &str, theirs: &str) -> Option<String> {
    let mut theirs: Vec<&str> = theirs.lines().collect();
    while let Some(at) = theirs.iter().position(|line| *line == "# METADATA") {
        theirs.drain(at..(at + 2).min(theirs.len()));
    }
    let (ours, theirs) = (ours.trim().to_owned(), theirs.join("\n").trim().to_owned());
    (ours != theirs).then(|| format!("ours:   {ours}\ntheirs: {theirs}"))
}

fn first_difference(path: &str, ours: &Value, theirs: &Value) -> Option<String> {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            a.keys().iter().chain(b.keys().iter().filter(|key| a.get(key).is_none())).find_map(|key| {
                let path = format!("{path}/{}", key.as_str().unwrap());
                match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => first_difference(&path, a, b),
                    // OPA forgets the places of some nodes that it makes; here they have one.
                    (Some(_), None) if path.ends_with("/location") => None,
                    // Places inside the text of a block's field are of no use.
                    (None, Some(_))
                        if path.ends_with("/location") && (path.contains("/schemas/") || path.contains("/compile/")) =>
                    {
                        None
                    }
                    (a, b) => Some(format!("{path}: {a:?} instead of {b:?}")),
                }
            })
        }
        (Value::Array(a), Value::Array(b)) if a.items().len() == b.items().len() => {
            let items = a.items().iter().zip(b.items()).enumerate();
            items.filter_map(|(index, (a, b))| first_difference(&format!("{path}/{index}"), a, b)).next()
        }
        (a, b) if a.to_string() == b.to_string() => None,
        (a, b) => Some(format!("{path}: {a} instead of {b}")),
    }
}
