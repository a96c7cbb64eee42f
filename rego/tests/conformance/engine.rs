//! What cases are run by.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_rego::builtins::context::Kept;
use plimsoll_rego::builtins::{self, Context};
use plimsoll_rego::compile::{self, Options, lower};
use plimsoll_rego::error::Errors;
use plimsoll_rego::eval::{self, Arena, Documents, EvalError, Evaluation};
use plimsoll_rego::limits::{Account, Limits};
use plimsoll_rego::program::{Program, Text};
use plimsoll_rego::syntax::parse;
use plimsoll_rego::syntax::source::{Source, Sources};
use plimsoll_rego::syntax::tree;
use plimsoll_rego::value::Value;

use super::traced;

/// The version of Rego that modules are read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Version {
    V0,
    V1,
}

/// The input of a query.
#[derive(Clone, Debug)]
pub(super) enum Input {
    Value(Value),
    /// A term of Rego.
    Term(String),
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'c> {
    pub(super) version: Version,
    pub(super) modules: &'c [String],
    pub(super) data: &'c Value,
    pub(super) input: Option<&'c Input>,
    /// A body, in Rego v1.
    pub(super) query: &'c str,
    /// Errors of builtins are errors.
    pub(super) strict: bool,
}

/// The values of a query's variables in one solution.
pub(super) type Bindings = BTreeMap<String, Value>;

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// Modules or query are not accepted.
    Refused(String),
    /// Evaluation fails: where, such as `test-0.rego:4` (modules are numbered), OPA's code, OPA's message.
    Failed { at: Option<String>, code: String, message: String },
}

/// What answers.
pub(super) trait Engine: Sync {
    /// All solutions, in any order.
    fn query(&self, question: &Question<'_>) -> Result<Vec<Bindings>, Failure>;
}

impl Failure {
    /// All of it.
    fn text(&self) -> String {
        match self {
            Self::Refused(why) => why.clone(),
            Self::Failed { at, code, message } => format!("{at:?} {code}: {message}"),
        }
    }

    fn code(&self) -> &str {
        match self {
            Self::Refused(_) => "refused",
            Self::Failed { code, .. } => code,
        }
    }
}

impl Version {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::V0 => "v0",
            Self::V1 => "v1",
        }
    }
}

/// This crate: every question is answered with its shortcuts and without them, and both answers must be the same.
pub(super) struct Rego;

/// How long a case may take.
const TIME: Duration = Duration::from_secs(20);

impl Engine for Rego {
    fn query(&self, question: &Question<'_>) -> Result<Vec<Bindings>, Failure> {
        let program = program(question)?;
        let input = match question.input {
            None => None,
            Some(Input::Value(value)) => Some(value.clone()),
            Some(Input::Term(term)) => Some(self::term(term)?),
        };
        let documents = Documents { data: question.data, input: input.as_ref() };
        let ask = |plain| ask(&program, documents, question.query, question.strict, plain);
        let (quick, plain) = (ask(false), ask(true));
        match (&quick, &plain) {
            (Ok(quick), Ok(plain)) if same(quick, plain) => {}
            (Err(quick), Err(plain)) if quick.code() == plain.code() => {}
            // Without indices, OPA too leaves a partial object whose keys are constants at its first value.
            (Err(quick), Ok(_)) if quick.code() == "eval_conflict_error" => {}
            _ => return Err(Failure::Refused(format!("shortcuts matter: {quick:?}, without {plain:?}"))),
        }
        let traced = traced::ask(&program, documents, question.query, question.strict);
        match (&quick, &traced) {
            (Ok(quick), Ok(traced)) if same(quick, traced) => {}
            (Err(quick), Err(traced)) if quick.text() == traced.text() => {}
            _ => return Err(Failure::Refused(format!("traces matter: {quick:?}, with one {traced:?}"))),
        }
        quick
    }
}

/// Whether two answers have the same solutions, in any order.
fn same(a: &[Bindings], b: &[Bindings]) -> bool {
    let rows = |rows: &[Bindings]| {
        Value::set(
            rows.iter().map(|row| Value::object(row.iter().map(|(name, value)| (Value::from(name.as_str()), value.clone())))),
        )
    };
    rows(a) == rows(b)
}

fn program(question: &Question<'_>) -> Result<Program, Failure> {
    let version = match question.version {
        Version::V0 => tree::Version::V0,
        Version::V1 => tree::Version::V1,
    };
    let text =
        |(index, text): (usize, &String)| Text { name: format!("test-{index}.rego"), text: text.clone(), version: Some(version) };
    let texts: Vec<_> = question.modules.iter().enumerate().map(text).collect();
    let refused = |name: &str| builtins::refusal(name).map(str::to_owned);
    let options = Options { refused: Some(Arc::new(refused)), ..Options::default() };
    Program::compile(&texts, &options).map_err(|refused| Failure::Refused(refused.errors.to_string()))
}

/// The value of a term: all of them are constant, but for calls and comprehensions.
fn term(text: &str) -> Result<Value, Failure> {
    let program = Program::compile(&[], &Options::default()).map_err(|refused| Failure::Refused(refused.errors.to_string()))?;
    let data = Value::object([]);
    let documents = Documents { data: &data, input: None };
    let rows = ask(&program, documents, &format!("input_term = {text}"), true, false)?;
    let value = rows.into_iter().next().and_then(|mut row| row.remove("input_term"));
    value.ok_or_else(|| Failure::Refused(format!("an input without a value: {text}")))
}

/// All solutions of a query.
fn ask(program: &Program, documents: Documents<'_>, text: &str, strict: bool, plain: bool) -> Result<Vec<Bindings>, Failure> {
    let source = Source::new("query", text);
    let id = program.sources().next();
    let body = parse::parse_body(&source, id, &parse::Options::of(tree::Version::V1)).map_err(refused)?;
    let compiled = compile::query::compile(program.compiled(), compile::query::Context::default(), body).map_err(refused)?;
    let mut query = lower::query(program.policy(), &compiled.body, program.compiled().arity()).map_err(refused)?;
    query.variables.retain(|(name, _)| !name.starts_with('$'));
    let (variables, slots): (Vec<_>, Vec<_>) = query.variables.into_iter().unzip();
    let options =
        eval::Options { strict_builtin_errors: strict, without_indices: plain, in_order: plain, ..eval::Options::default() };
    let arena = Arena::new();
    let mut rows = Vec::new();
    let mut evaluation = Evaluation::new(program.policy(), &arena, documents, context(), options);
    let name = |variable: &tree::Var| compiled.rewritten.get(variable).unwrap_or(variable).to_string();
    let done = evaluation.query(&query.body, query.slots, &slots, &mut |values| {
        rows.push(variables.iter().map(name).zip(values).collect());
    });
    done.map_err(|error| failed(program.sources(), error))?;
    Ok(rows)
}

pub(super) fn failed(sources: &Arc<Sources>, error: EvalError) -> Failure {
    let at = error.span.and_then(|span| {
        let source = sources.get(span.source)?;
        Some(format!("{}:{}", source.name, source.position(span.start).row))
    });
    Failure::Failed { at, code: error.code.as_str().to_owned(), message: error.message }
}

/// Why a query is not accepted.
pub(super) fn refused(errors: Errors) -> Failure {
    Failure::Refused(format!("query: {errors}"))
}

/// What builtins may use.
pub(super) fn context() -> Context {
    Context {
        account: Account::new(Limits { time: TIME, ..Limits::default() }),
        now_ns: now_ns(),
        runtime: Value::object([]),
        seed: None,
        kept: Kept::default(),
    }
}

fn now_ns() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_nanos()).unwrap()
}
