//! Queries that tell how they are evaluated.

use std::sync::Arc;

use foldhash::HashMap;

use super::answer::{Row, Shape};
use super::asked::Asked;
use super::{Program, QueryRefused, Refused, Request};
use crate::compile::{self, lower};
use crate::eval::{Documents, EvalError};
use crate::syntax::source::Sources;
use crate::syntax::stack::with_depth;
use crate::syntax::tree::Var;
use crate::trace::{self, Keep, Question, Recorder, Trace, Tracer};
use crate::value::Value;

/// A query whose evaluation can be followed step by step; [`super::Query`] answers the same, faster.
///
/// ```
/// use std::sync::Arc;
///
/// use plimsoll_rego::program::{Asked, Program, Request, Text, TracedQuery};
/// use plimsoll_rego::trace::{self, Explain};
/// use plimsoll_rego::value::Value;
///
/// let text = "package fleet\n\nready if {\n\tsome name in [\"a\", \"b\"]\n\ttrace(name)\n\tname == \"b\"\n}\n";
/// let text = Text { name: "fleet.rego".to_owned(), text: text.to_owned(), version: None };
/// let program = Arc::new(Program::compile(&[text], &Default::default()).map_err(|refused| refused.errors)?);
/// let query = TracedQuery::compile(&program, &Asked::new("data.fleet.ready"))?;
/// let (trace, rows) = query.explain(&Value::object([]), &Request::default(), Explain::Notes);
/// assert_eq!(rows?.len(), 1);
/// assert_eq!(
///     trace::pretty(&trace.events),
///     "query:1          Enter data.fleet.ready = _\n\
///      fleet.rego:3     | Enter data.fleet.ready\n\
///      fleet.rego:5     | | Note \"a\"\n\
///      fleet.rego:5     | | Note \"b\"\n",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TracedQuery {
    program: Arc<Program>,
    sources: Arc<Sources>,
    query: compile::query::Query,
    variables: Vec<Var>,
    shape: Shape,
    depth: u32,
}

impl TracedQuery {
    /// Reads a query and compiles it beside a set, as [`super::Query::compile`] does.
    pub fn compile(program: &Arc<Program>, asked: &Asked) -> Result<Self, QueryRefused> {
        let mut parsed = asked.parse(program.sources())?;
        let depth = parsed.query.depth.saturating_mul(3);
        let body = std::mem::take(&mut parsed.query.body);
        let compiled = with_depth(depth, || {
            let query = compile::query::compile(program.compiled(), parsed.context(None), body)?;
            let lowered = lower::query(program.policy(), &query.body, program.compiled().arity())?;
            Ok((Shape::of(&query, &lowered, &parsed.sources), lowered.variables, query))
        });
        let refused = |errors| QueryRefused::Compile(Refused { errors, sources: parsed.sources.clone() });
        let (shape, variables, query) = compiled.map_err(refused)?;
        let names: HashMap<_, _> = variables.into_iter().map(|(name, slot)| (slot, name)).collect();
        let variables = shape.slots.iter().filter_map(|slot| names.get(slot).cloned()).collect();
        Ok(Self { program: program.clone(), sources: parsed.sources, query, variables, shape, depth })
    }

    /// The texts of the set, then those of the query, which have no name.
    pub fn sources(&self) -> &Arc<Sources> {
        &self.sources
    }

    /// What is wanted of its trace, and its answer.
    pub fn explain(&self, data: &Value, request: &Request<'_>, keep: impl Into<Keep>) -> (Trace, Result<Vec<Row>, EvalError>) {
        let mut recorder = self.recorder(keep);
        let rows = self.trace(data, request, &mut recorder);
        (recorder.into_trace(), rows)
    }

    /// A tracer that keeps what is wanted of one evaluation.
    pub fn recorder(&self, keep: impl Into<Keep>) -> Recorder<'_> {
        Recorder::new(self.program.compiled(), &self.query, &self.sources, keep)
    }

    /// Its answer; the tracer hears every event.
    pub fn trace(&self, data: &Value, request: &Request<'_>, tracer: &mut dyn Tracer) -> Result<Vec<Row>, EvalError> {
        let question = Question {
            program: &self.program,
            query: &self.query,
            documents: Documents { data, input: request.input },
            context: request.context(),
            print: request.print.clone(),
            strict_builtin_errors: request.strict_builtin_errors,
        };
        let mut rows = Vec::new();
        let mut row = |values: Vec<Value>| rows.push(self.shape.row(&values));
        with_depth(self.depth, || trace::run(question, &self.variables, tracer, &mut row))?;
        Ok(rows)
    }
}

impl Drop for TracedQuery {
    /// What is deep is dropped where there is room for it.
    fn drop(&mut self) {
        let body = std::mem::take(&mut self.query.body);
        with_depth(self.depth, || drop(body));
    }
}
