//! What this crate says.

use std::sync::Arc;

use plimsoll_rego::compile::Options;
use plimsoll_rego::error::Error;
use plimsoll_rego::eval::EvalError;
use plimsoll_rego::program::{Bound, Program, Request, Text};
use plimsoll_rego::syntax::source::Sources;
use plimsoll_rego::syntax::span::Span;
use plimsoll_rego::syntax::tree::Version;
use plimsoll_rego::value::{Value, json};

use super::opa::Answer;
use super::set::Set;

/// Compiles some blocks of a set, by module; or says what is wrong with them.
pub(super) fn compile(set: &Set, kept: &[Vec<usize>]) -> Result<Arc<Program>, Vec<String>> {
    let version = Some(if set.policies.v0 { Version::V0 } else { Version::V1 });
    let text = |(module, kept): (&super::policies::Module, &Vec<usize>)| Text {
        name: format!("{}.rego", module.name),
        text: module.text(kept),
        version,
    };
    let texts: Vec<_> = set.policies.modules.iter().zip(kept).map(text).collect();
    let options = Options { prints: set.prints, ..Options::default() };
    Program::compile(&texts, &options).map(Arc::new).map_err(|refused| {
        let mut lines: Vec<_> = refused.errors.iter().map(|error| line(&refused.sources, error)).collect();
        lines.sort();
        lines
    })
}

fn line(sources: &Sources, error: &Error) -> String {
    let details: String = error.details().iter().map(|detail| format!("\n{detail}")).collect();
    format!("{}: {}: {}{details}", place(sources, error.span()), error.code().as_str(), error.message())
}

fn place(sources: &Sources, span: Span) -> String {
    let source = sources.get(span.source).unwrap();
    let at = source.position(span.start);
    format!("{}:{}:{}", source.name, at.row, at.col)
}

/// A document, in order or out of order; what is printed is heard in order only.
pub(super) fn answer(bound: &Bound, path: &str, input: &Value, set: &Set, in_order: bool) -> Answer {
    let sources = bound.program().sources().clone();
    let prints = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let heard = prints.clone();
    let hook = move |span: Span, text: String| {
        let source = sources.get(span.source).unwrap();
        heard.lock().push(format!("{}:{}: {text}", source.name, source.position(span.start).row));
    };
    let request = Request {
        input: Some(input),
        strict_builtin_errors: set.strict,
        without_indices: set.plain,
        print: in_order.then(|| Arc::new(parking_lot::Mutex::new(hook)) as _),
        ..Request::default()
    };
    let (value, error) = match bound.document(&self::path(path), &request) {
        Ok(value) => (value.map(|value| json::write(&value, usize::MAX).unwrap()).unwrap_or_default(), String::new()),
        Err(error) => (String::new(), message(bound.program().sources(), &error)),
    };
    let prints = std::mem::take(&mut *prints.lock());
    Answer { value, error, prints }
}

/// A path below `data`.
pub(super) fn path(path: &str) -> Vec<Value> {
    path.split('.').skip(1).map(Value::from).collect()
}

fn message(sources: &Sources, error: &EvalError) -> String {
    let place = error.span.map_or_else(|| "-".to_owned(), |span| place(sources, span));
    format!("{place}: {}: {}", error.code.as_str(), error.message)
}
