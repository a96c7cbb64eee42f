//! Asks cases, with a trace and without.

use std::sync::Arc;

use plimsoll_rego::builtins::Context;
use plimsoll_rego::builtins::context::Kept;
use plimsoll_rego::compile::{Options, Params, VarSet, lower, query};
use plimsoll_rego::eval::{self, Arena, Documents, Evaluation};
use plimsoll_rego::limits::{Account, Limits};
use plimsoll_rego::program::{Program, Text};
use plimsoll_rego::syntax::parse;
use plimsoll_rego::syntax::source::Source;
use plimsoll_rego::syntax::tree::{Var, Version};
use plimsoll_rego::trace::{self, Explain, Places, Question, Recorded, Recorder};
use plimsoll_rego::value::Value;

use crate::case::Case;

/// The values of variables, solution by solution; or the code of an error.
pub(crate) type Rows = Result<Vec<Vec<Value>>, &'static str>;

struct Compiled {
    program: Program,
    source: Source,
    query: query::Query,
    variables: Vec<Var>,
}

fn compiled(case: &Case) -> Compiled {
    let version = if case.v0 { Version::V0 } else { Version::V1 };
    let text = Text { name: case.file.clone(), text: case.text.clone(), version: Some(version) };
    let program = Program::compile(&[text], &Options { prints: true, ..Options::default() })
        .unwrap_or_else(|refused| panic!("{}: {}", case.name, refused.errors));
    let source = Source::new("", &case.query);
    let body = parse::parse_body(&source, program.sources().next(), &parse::Options::of(version)).unwrap();
    let context = query::Context { capture: true, ..query::Context::default() };
    let query = query::compile(program.compiled(), context, body).unwrap();
    let mut mentioned = VarSet::default();
    mentioned.add_body(&query.body, Params { skip_ref_call_head: true, skip_closures: true, ..Params::ALL });
    let variables = mentioned.sorted().into_iter().filter(|name| !matches!(name.as_str(), "data" | "input")).collect();
    Compiled { program, source, query, variables }
}

fn context() -> Context {
    Context { account: Account::new(Limits::default()), now_ns: 0, runtime: Value::object([]), seed: None, kept: Kept::default() }
}

/// What is kept of a trace, and the solutions.
pub(crate) fn traced(case: &Case, mode: &str) -> (Vec<Arc<Recorded>>, Rows) {
    let Compiled { program, source, query, variables } = &compiled(case);
    let places = Places { sources: program.sources(), query: source };
    let mut recorder = Recorder::new(program.compiled(), query, places, Explain::of(mode).unwrap(), true);
    let question = Question {
        program,
        query,
        documents: Documents { data: &case.data, input: case.input.as_ref() },
        context: context(),
        print: None,
        strict_builtin_errors: false,
    };
    let mut rows = Vec::new();
    let done = trace::run(question, variables, &mut recorder, &mut |row| rows.push(row));
    (recorder.into_events(), done.map(|()| rows).map_err(|error| error.code.as_str()))
}

/// A trace as it is printed.
pub(crate) fn trace(case: &Case, mode: &str) -> String {
    trace::pretty(&traced(case, mode).0)
}

/// The solutions of an evaluation without a trace.
pub(crate) fn untraced(case: &Case) -> Rows {
    let Compiled { program, query, variables, .. } = &compiled(case);
    let query = lower::query(program.policy(), &query.body, program.compiled().arity()).unwrap();
    let slot = |wanted: &_| query.variables.iter().find(|(name, _)| name == wanted).unwrap().1;
    let slots: Vec<_> = variables.iter().map(slot).collect();
    let arena = Arena::new();
    let documents = Documents { data: &case.data, input: case.input.as_ref() };
    let mut evaluation = Evaluation::new(program.policy(), &arena, documents, context(), eval::Options::default());
    let mut rows = Vec::new();
    let done = evaluation.query(&query.body, query.slots, &slots, 0, &mut |row| rows.push(row));
    done.map(|()| rows).map_err(|error| error.code.as_str())
}
