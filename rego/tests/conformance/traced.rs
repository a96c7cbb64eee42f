//! Cases under the evaluator that traces.

use plimsoll_rego::compile::{lower, query};
use plimsoll_rego::eval::Documents;
use plimsoll_rego::program::Program;
use plimsoll_rego::syntax::parse;
use plimsoll_rego::syntax::source::{Source, Sources};
use plimsoll_rego::syntax::tree::{self, Version};
use plimsoll_rego::trace::{self, Explain, Question, Recorder};

use super::engine::{Bindings, Failure, context, failed, refused};

/// All solutions of a query.
pub(super) fn ask(program: &Program, documents: Documents<'_>, text: &str, strict: bool) -> Result<Vec<Bindings>, Failure> {
    let source = Source::new("", text);
    let body = parse::parse_body(&source, program.sources().next(), &parse::Options::of(Version::V1)).map_err(refused)?;
    let mut sources = Sources::after(program.sources().clone());
    sources.add(source);
    let query = &query::compile(program.compiled(), query::Context::default(), body).map_err(refused)?;
    let lowered = lower::query(program.policy(), &query.body, program.compiled().arity()).map_err(refused)?;
    let variables: Vec<_> = lowered.variables.into_iter().map(|(name, _)| name).filter(|name| !name.starts_with('$')).collect();
    let mut recorder = Recorder::new(program.compiled(), query, &sources, Explain::Debug);
    let question = Question { program, query, documents, context: context(), print: None, strict_builtin_errors: strict };
    let name = |variable: &tree::Var| query.rewritten.get(variable).unwrap_or(variable).to_string();
    let mut rows = Vec::new();
    let done = trace::run(question, &variables, &mut recorder, &mut |values| {
        rows.push(variables.iter().map(name).zip(values).collect());
    });
    let lines = trace::pretty(&recorder.into_trace().events);
    done.map_err(|error| failed(program.sources(), error))?;
    assert!(lines.contains("query:1 "), "{lines}");
    Ok(rows)
}
