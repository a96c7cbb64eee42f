//! Queries of a compiled set, as OPA's package `rego` runs them (`v1/rego/rego.go`): compiled once, asked often, by many threads.

mod answer;
mod asked;
mod traced;

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use answer::Shape;
pub use answer::{Expression, Row};
pub use asked::Asked;
use asked::Parsed;

use super::in_order::in_order;
use super::{Program, Refused, Request, Times};
use crate::compile::{self, Interrupt, lower};
use crate::depend::Reads;
use crate::error::Errors;
use crate::eval::{Arena, Documents, Ending, EvalError, Evaluation, Options, Seen};
use crate::ir::Block;
use crate::syntax::source::Sources;
use crate::syntax::stack::with_depth;
use crate::value::Value;

/// A query that may be asked.
///
/// ```
/// use std::sync::Arc;
///
/// use plimsoll_rego::program::{Asked, Program, Query, Request};
/// use plimsoll_rego::value::{Value, json};
///
/// let program = Arc::new(Program::compile(&[], &Default::default()).map_err(|refused| refused.errors)?);
/// let query = Query::compile(&program, &Asked::new("some name; data.clusters[name].ready; 1 + 1"))?;
/// let data = json::read(br#"{"clusters": {"a": {"ready": true}, "b": {"ready": false}}}"#, 128)?;
/// let rows = query.evaluate(&data, &Request::default())?;
/// assert_eq!(rows.len(), 1);
/// assert_eq!(rows[0].bindings, [("name".into(), Value::from("a"))]);
/// assert_eq!((rows[0].expressions[1].text.as_str(), &rows[0].expressions[1].value), ("1 + 1", &Value::from(2_usize)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Query {
    program: Arc<Program>,
    sources: Arc<Sources>,
    /// What a trace is told of.
    compiled: compile::query::Query,
    body: Block,
    slots: usize,
    /// Some call asks a function for a given answer.
    asks: bool,
    shape: Shape,
    depth: u32,
    reads: OnceLock<Reads>,
    times: Times,
}

/// A query that may not, with all that is wrong. The texts of the query have no name; they come after those of the set.
#[derive(Debug, thiserror::Error)]
pub enum QueryRefused {
    /// It is no Rego.
    #[error("{}", .0.errors)]
    Parse(Refused),
    /// It is Rego that means nothing here.
    #[error("{}", .0.errors)]
    Compile(Refused),
}

/// The rows of an evaluation or the error that it ended in, what it observed, and the labels of rules that were found to hold.
type Told = (Result<Vec<Row>, EvalError>, Seen, Vec<Value>);

impl Query {
    /// Reads a query and compiles it beside a set. Fails with what is no Rego, else with what the first stage of the compiler finds.
    pub fn compile(program: &Arc<Program>, asked: &Asked) -> Result<Self, QueryRefused> {
        Self::compile_within(program, asked, None)
    }

    /// The same; between stages somebody is asked whether to go on.
    pub fn compile_within(program: &Arc<Program>, asked: &Asked, interrupt: Option<&Interrupt>) -> Result<Self, QueryRefused> {
        let started = Instant::now();
        let mut parsed = asked.parse(program.sources())?;
        let (parse, started) = (started.elapsed(), Instant::now());
        // Templates and prints become calls of collections of comprehensions.
        let depth = parsed.query.depth.saturating_mul(3);
        let compiled = with_depth(depth, || Self::of(program, &mut parsed, (depth, interrupt)));
        let times = Times { parse, compile: started.elapsed() };
        let timed = compiled.map(|query| query.timed(times));
        timed.map_err(|errors| QueryRefused::Compile(Refused { errors, sources: parsed.sources.clone() }))
    }

    fn of(program: &Arc<Program>, parsed: &mut Parsed, (depth, interrupt): (u32, Option<&Interrupt>)) -> Result<Self, Errors> {
        let body = std::mem::take(&mut parsed.query.body);
        let query = compile::query::compile(program.compiled(), parsed.context(interrupt), body)?;
        let lowered = lower::query(program.policy(), &query.body, program.compiled().arity())?;
        Ok(Self {
            shape: Shape::of(&query, &lowered, &parsed.sources),
            program: program.clone(),
            sources: parsed.sources.clone(),
            compiled: query,
            body: lowered.body,
            slots: lowered.slots,
            asks: lowered.asks,
            depth,
            reads: OnceLock::new(),
            times: Times::default(),
        })
    }

    fn timed(mut self, times: Times) -> Self {
        self.times = times;
        self
    }

    /// How long it took to compile.
    pub fn times(&self) -> Times {
        self.times
    }

    /// The set that it asks.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The texts of the set, then those of the query: what places are of, in errors and for who hears what is printed.
    pub fn sources(&self) -> &Arc<Sources> {
        &self.sources
    }

    /// What its answers depend on.
    pub fn reads(&self) -> &Reads {
        self.reads.get_or_init(|| {
            let dependencies = self.program.dependencies();
            dependencies.query(self.program.policy(), &self.body, self.slots, &self.shape.slots)
        })
    }

    /// Each way in which it holds, in the order of evaluation; none when it is undefined. `data` are base documents, an object:
    /// all that [`Query::reads`] names, at least.
    pub fn evaluate(&self, data: &Value, request: &Request<'_>) -> Result<Vec<Row>, EvalError> {
        self.observed(data, request, request.options()).0
    }

    /// The same, and the labels as of [`super::Evaluated`].
    pub fn labelled(&self, data: &Value, request: &Request<'_>) -> Result<(Vec<Row>, Vec<Value>), EvalError> {
        let (rows, _, labels) = self.told(data, request, request.options());
        Ok((rows?, labels))
    }

    /// The same, for those who want to know more than what comes of it.
    pub(crate) fn observed(&self, data: &Value, request: &Request<'_>, options: Options) -> (Result<Vec<Row>, EvalError>, Seen) {
        let (rows, seen, _) = self.told(data, request, options);
        (rows, seen)
    }

    fn told(&self, data: &Value, request: &Request<'_>, options: Options) -> Told {
        // What cheap functions are asked for is not remembered but in OPA's order.
        let options = Options { in_order: options.in_order || self.asks, ..options };
        in_order(request, options, |request, options| self.once(data, request, options))
    }

    fn once(&self, data: &Value, request: &Request<'_>, options: Options) -> (Told, Ending) {
        let arena = Arena::new();
        let documents = Documents { data, input: request.input };
        let mut evaluation = Evaluation::new(self.program.policy(), &arena, documents, request.context(), options);
        let mut rows = Vec::new();
        let (slots, shape) = (&self.shape.slots, &self.shape);
        let done = evaluation.query(&self.body, self.slots, slots, &mut |values| rows.push(shape.row(&values)));
        let ending = evaluation.ending(done.as_ref().err());
        ((done.map(|()| rows), evaluation.take_seen(), evaluation.take_labels()), ending)
    }
}

impl Drop for Query {
    /// What is deep is dropped where there is room for it.
    fn drop(&mut self) {
        let (tree, body) = (std::mem::take(&mut self.compiled.body), std::mem::take(&mut self.body));
        with_depth(self.depth, || drop((tree, body)));
    }
}
