//! Queries that tell how they are evaluated.

use std::time::Duration;

use super::{Query, Request, Row};
use crate::eval::{Documents, EvalError};
use crate::syntax::stack::with_depth;
use crate::trace::{self, Keep, NoTracer, Question, Recorder, StackFrame, Trace, Tracer};
use crate::value::Value;

/// The most time for finding the stack of an error: whoever got the error waits for it.
const STACK_TIME: Duration = Duration::from_secs(2);

impl Query {
    /// Evaluates step by step. Returns what `keep` wants of the trace, and the rows of [`Query::evaluate`], or its error.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use plimsoll_rego::program::{Asked, Program, Query, Request, Text};
    /// use plimsoll_rego::trace::{self, Explain};
    /// use plimsoll_rego::value::Value;
    ///
    /// let text = "package fleet\n\nready if {\n\tsome name in [\"a\", \"b\"]\n\ttrace(name)\n\tname == \"b\"\n}\n";
    /// let text = Text { name: "fleet.rego".to_owned(), text: text.to_owned(), version: None };
    /// let program = Arc::new(Program::compile(&[text], &Default::default()).map_err(|refused| refused.errors)?);
    /// let query = Query::compile(&program, &Asked::new("data.fleet.ready"))?;
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
    pub fn explain(&self, data: &Value, request: &Request<'_>, keep: impl Into<Keep>) -> (Trace, Result<Vec<Row>, EvalError>) {
        let mut recorder = self.recorder(keep);
        let rows = self.trace(data, request, &mut recorder);
        (recorder.into_trace(), rows)
    }

    /// Evaluates step by step, slower than [`Query::evaluate`], whose rows it returns; the tracer hears every event. Fails as that does.
    pub fn trace(&self, data: &Value, request: &Request<'_>, tracer: &mut dyn Tracer) -> Result<Vec<Row>, EvalError> {
        let question = Question {
            program: &self.program,
            query: &self.compiled,
            documents: Documents { data, input: request.input },
            context: request.context(),
            print: request.print.clone(),
            strict_builtin_errors: request.strict_builtin_errors,
        };
        let mut rows = Vec::new();
        let mut row = |values: Vec<Value>| rows.push(self.shape.row(&values));
        with_depth(self.depth, || trace::run(question, &self.shape.variables, tracer, &mut row))?;
        Ok(rows)
    }

    /// Returns the queries that were evaluated when an evaluation of this one ended in `error`, the innermost first. An error of
    /// [`Query::trace`] has them; for any other one it is evaluated once more, for two seconds at most. Returns none for a bound that was
    /// reached, and where the second evaluation ends otherwise.
    pub fn stack(&self, data: &Value, request: &Request<'_>, error: &EvalError) -> Vec<StackFrame> {
        if error.halt.is_some() {
            return Vec::new();
        }
        if !error.stack.is_empty() {
            return trace::stack(error, &self.sources);
        }
        let mut silent = Request { print: None, ..request.clone() };
        silent.limits.time = silent.limits.time.min(STACK_TIME);
        let again = self.trace(data, &silent, &mut NoTracer).err().filter(|again| again.says(error));
        again.map(|again| trace::stack(&again, &self.sources)).unwrap_or_default()
    }

    /// A tracer that keeps what is wanted of one evaluation.
    pub fn recorder(&self, keep: impl Into<Keep>) -> Recorder<'_> {
        Recorder::new(self.program.compiled(), &self.compiled, &self.sources, keep)
    }
}
