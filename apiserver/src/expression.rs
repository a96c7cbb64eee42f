//! CEL, as match conditions use it: text to a checked tree, and the tree to a verdict about JSON values.
//!
//! ```text
//!   text ─► parse (crate `cel`) ─► check: names, calls, types, depth ◄── declarations: signatures of every function
//!                                    │
//!   values ─► cost (the tree over the actual sizes) ─► evaluate ◄── library: the functions that the crate has not
//!                                                         │
//!                                                        bool
//! ```
//!
//! The crate has neither a checker nor a meter, and an evaluation that has begun cannot be stopped. So what is not known is
//! refused when a condition is written, and what would cost too much before it begins; only questions to the authorizer are
//! counted as they are asked. Functions and signatures are those of kube-apiserver 1.36; of them `string.format` is refused by name.

mod check;
mod cost;
mod declarations;
mod library;
mod message;
mod reads;
mod types;
mod value;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use cel::{Context, Env, Program, Value};
use serde_json::Value as Json;

use self::library::Meter;
use self::types::Type;

pub use check::CheckError;
pub use library::{Answer, Authorization, Authorizer, Question, Requested, Subject};
pub use reads::{Read, Step, Use};

/// What one expression may cost, as upstream (`pkg/apis/cel`, `PerCallLimit`).
pub const COST_LIMIT: u64 = 1_000_000;
/// Longest text of an expression. Upstream's is that of a request.
const LONGEST: usize = 16 << 10;
/// Marks of an expression that may nest: no tree is deeper than the parser's text has of them.
const MARKS: usize = 2_000;
/// Stack for the parser, whose frames are large: about 32 KiB for each mark.
const PARSER_STACK: usize = 64 << 20;
/// Stack for the evaluator, for trees of at most [`check::DEEPEST_TREE`] levels.
const STACK: usize = 8 << 20;

/// The names that an expression may use, and their values.
pub type Variables = BTreeMap<&'static str, Json>;

/// A checked expression.
pub struct Expression {
    text: String,
    program: Program,
}

/// Why a text is no expression.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum CompileError {
    /// It is too long.
    #[error("compilation failed: the expression is longer than {LONGEST} bytes, or has more than {MARKS} operators and brackets")]
    TooLong,
    /// It does not parse.
    #[error("compilation failed: {0}")]
    Syntax(String),
    /// It says something that is not known.
    #[error("compilation failed: {place}{error}{pointed}")]
    Check {
        /// What.
        error: CheckError,
        /// Before it: where.
        place: String,
        /// Behind it: the line, and a mark below the place.
        pointed: String,
    },
    /// It looks for a regular expression that is none.
    #[error("program instantiation failed: {0}")]
    Pattern(#[source] regex::Error),
    /// It is no condition.
    #[error("must evaluate to bool but got {0}")]
    NotBoolean(String),
}

/// Why an expression has no verdict.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EvaluateError {
    /// Something is not there, or of another type.
    #[error("expression '{text}' resulted in error: {why}")]
    Failed {
        /// The expression.
        text: String,
        /// What happened.
        why: String,
    },
    /// The verdict is neither true nor false.
    #[error("expression '{0}' did not evaluate to a bool")]
    NotBoolean(String),
    /// It would cost too much, or all conditions together would.
    #[error("expression '{0}' would exceed the cost limit: look at fewer objects, or nest fewer comprehensions")]
    TooCostly(String),
}

static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| {
    Arc::new(library::environment().unwrap_or_else(|error| {
        tracing::error!(%error, "the functions of Kubernetes are missing in CEL: this is a defect of plimsoll");
        Env::stdlib()
    }))
});

impl Expression {
    /// Parses and checks a text that may use `variables`. Fails when it is not certain to be evaluated.
    pub fn compile(text: &str, variables: &[&str]) -> Result<Self, CompileError> {
        // Neither the parser nor the tree's destructor knows a limit of its own.
        if text.len() > LONGEST || text.chars().filter(|c| c.is_ascii_punctuation()).count() > MARKS {
            return Err(CompileError::TooLong);
        }
        stacker::grow(PARSER_STACK, || {
            let program = ENVIRONMENT.compile(text).map_err(|errors| {
                // As cel-go indents it.
                CompileError::Syntax(errors.to_string().replace("\n| ", "\n | "))
            })?;
            let checked = check::check(program.expression(), variables).map_err(|fault| placed(fault, &program))?;
            if checked.kind != Type::Bool {
                return Err(CompileError::NotBoolean(checked.kind.to_string()));
            }
            checked.pattern.map_or(Ok(()), |error| Err(CompileError::Pattern(error)))?;
            Ok(Self { text: text.to_owned(), program })
        })
    }

    /// What the verdict may depend on.
    pub fn reads(&self) -> Vec<Read> {
        reads::of(self.program.expression())
    }

    /// The verdict about some values; `authorization` says who answers for `authorizer`. What it costs is taken from `budget`.
    /// Fails when there is no verdict, or when it would cost more than is left.
    pub fn evaluate(
        &self,
        variables: &Variables,
        authorization: Option<&Authorization>,
        budget: &mut u64,
    ) -> Result<bool, EvaluateError> {
        stacker::grow(STACK, || {
            let limit = COST_LIMIT.min(*budget);
            let cost = cost::estimate(self.program.expression(), variables, limit);
            let left = limit.checked_sub(cost);
            let meter = Meter::new(left.unwrap_or_default());
            let result = left.map(|_| self.program.execute(&context(variables, authorization, &meter)));
            let spent = cost.saturating_add(meter.spent());
            *budget = if spent > limit { 0 } else { *budget - spent };
            match result.filter(|_| spent <= limit) {
                None => Err(EvaluateError::TooCostly(self.text.clone())),
                Some(Ok(Value::Bool(verdict))) => Ok(verdict),
                Some(Ok(_)) => Err(EvaluateError::NotBoolean(self.text.clone())),
                Some(Err(error)) => Err(EvaluateError::Failed { text: self.text.clone(), why: message::of(&error) }),
            }
        })
    }
}

fn context(variables: &Variables, authorization: Option<&Authorization>, meter: &Meter) -> Context<'static, 'static> {
    let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
    for (name, value) in variables {
        context.add_variable_from_value(*name, value::from_json(value));
    }
    if let Some(authorization) = authorization {
        library::bind(&mut context, authorization, meter.clone());
    }
    context
}

impl std::fmt::Debug for Expression {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("Expression").field(&self.text).finish()
    }
}

/// As cel-go shows the place of a fault.
fn placed((error, node): (CheckError, u64), program: &Program) -> CompileError {
    let source = &program.source_info().source;
    let start = program.source_info().offset_for(node).and_then(|(start, _)| usize::try_from(start).ok());
    let Some(start) = start else { return CompileError::Check { error, place: String::new(), pointed: String::new() } };
    let before: String = source.chars().take(start).collect();
    let (line, column) = (before.matches('\n').count(), before.chars().rev().take_while(|c| *c != '\n').count());
    let text = source.lines().nth(line).unwrap_or_default();
    let place = format!("ERROR: <input>:{}:{}: ", line + 1, column + 1);
    CompileError::Check { error, place, pointed: format!("\n | {text}\n | {}^", ".".repeat(column)) }
}

#[cfg(test)]
mod tests;
