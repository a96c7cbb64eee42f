//! What an evaluation does, step by step, in OPA's words and order (opa `v1/topdown/trace.go`).
//!
//! A trace is made by an evaluator of its own ([`run`]), OPA's own loop over the trees that the compiler has left. The evaluator of
//! [`crate::eval`] could not tell it: there, which variable is bound where is decided before, references are resolved, equalities
//! are matches, and documents are computed before what depends on them goes on, so that neither the expressions that OPA shows nor
//! the order in which it comes back to them (`Redo`), nor what it unifies, are there any more. Keeping them would cost whoever does
//! not trace. What is off costs nothing here: an evaluation without a tracer has no branch for one. Values, builtins, limits, the
//! index of rules and the choice of comprehensions that are looked up are shared.

mod eval;
pub mod event;
mod explain;
mod keep;
mod lineage;
mod members;
mod metadata;
mod pretty;
mod profile;
mod raw;
mod recorded;
mod recorder;
mod shorten;
mod stack;

pub use event::{Both, Event, Local, Locals, NoTracer, Node, Op, Tracer};
pub use explain::Explain;
pub use keep::{Detail, Keep, Trace};
pub use members::members;
pub use metadata::Metadata;
pub use pretty::{pretty, rows};
pub use profile::{ExprStats, ProfileOrder, Profiler};
pub use raw::raw;
pub use recorded::{About, Place, Recorded};
pub use recorder::Recorder;
pub use stack::{StackFrame, stack};

use crate::builtins::Context;
use crate::compile::{self, query::Query};
use crate::eval::{Documents, EvalError, PrintHook};
use crate::program::Program;
use crate::syntax::stack::with_depth;
use crate::syntax::tree::Var;
use crate::value::Value;

/// A question that is traced.
pub struct Question<'a> {
    /// The set.
    pub program: &'a Program,
    /// The query.
    pub query: &'a Query,
    /// What is read.
    pub documents: Documents<'a>,
    /// What builtins may use, and what it may cost.
    pub context: Context,
    /// Who hears what is printed.
    pub print: Option<PrintHook>,
    /// A builtin that fails ends in an error, instead of being undefined.
    pub strict_builtin_errors: bool,
}

/// Evaluates a query; calls back with the values of variables for each solution. The tracer hears every event.
pub fn run(
    question: Question<'_>,
    variables: &[Var],
    tracer: &mut dyn Tracer,
    solution: &mut dyn FnMut(Vec<Value>),
) -> Result<(), EvalError> {
    let Question { program, query, documents, context, print, strict_builtin_errors } = question;
    let trees = eval::Trees::default();
    let ask = eval::Ask { program, documents, context, print, strict_builtin_errors, trees: &trees, tracer };
    let depth = compile::depth_of(&program.compiled().modules);
    let failed = with_depth(depth, || eval::Traced::new(ask, &query.body).query(&query.body, variables, solution));
    failed.map_err(crate::eval::Stop::into_error)?.map_or(Ok(()), Err)
}
