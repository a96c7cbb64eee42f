//! CEL, as match conditions use it: text to a checked tree, and the tree to a verdict about JSON values.
//!
//! ```text
//!   text ─► parse (crate `cel`) ─► check: names, functions, depth, what cannot be true or false
//!                                    │
//!   values ─► cost (the tree over the actual sizes) ─► evaluate ─► bool
//! ```
//!
//! The crate has neither a checker nor a meter, and an evaluation that has begun cannot be stopped. So what is not known is
//! refused when a condition is written, and what would cost too much before it begins. Of Kubernetes' libraries there are the
//! standard functions, strings and optionals; `authorizer`, `quantity`, `ip`, `cidr`, `url`, `format`, `sets`, lists beyond
//! the standard, regular expressions beyond `matches`, and times are refused by name.

mod check;
mod cost;
mod library;
mod reads;
mod types;
mod value;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use cel::{Context, Env, ExecutionError, Program, Value, extensions};
use serde_json::Value as Json;

pub use check::CheckError;
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
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
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
    let mut environment = Env::stdlib();
    if let Err(error) = environment.add_extension(extensions::strings) {
        tracing::error!(%error, "the string functions of CEL are missing: this is a defect of plimsoll");
    }
    Arc::new(environment)
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
            check::check(program.expression(), variables).map_err(|fault| placed(fault, &program))?;
            let kind = types::of(&program.expression().expr);
            if kind != "bool" {
                return Err(CompileError::NotBoolean(kind));
            }
            Ok(Self { text: text.to_owned(), program })
        })
    }

    /// What the verdict may depend on.
    pub fn reads(&self) -> Vec<Read> {
        reads::of(self.program.expression())
    }

    /// The verdict about some values. What it costs is taken from `budget`.
    pub fn evaluate(&self, variables: &Variables, budget: &mut u64) -> Result<bool, EvaluateError> {
        stacker::grow(STACK, || {
            let limit = COST_LIMIT.min(*budget);
            let cost = cost::estimate(self.program.expression(), variables, limit);
            if cost > limit {
                *budget = 0;
                return Err(EvaluateError::TooCostly(self.text.clone()));
            }
            *budget -= cost;
            let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
            for (name, value) in variables {
                context.add_variable_from_value(*name, value::from_json(value));
            }
            match self.program.execute(&context) {
                Ok(Value::Bool(verdict)) => Ok(verdict),
                Ok(_) => Err(EvaluateError::NotBoolean(self.text.clone())),
                Err(error) => Err(EvaluateError::Failed { text: self.text.clone(), why: said(&error) }),
            }
        })
    }
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

/// As cel-go says it: `no such key: x`.
fn said(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchOverload(_) => "no such overload".to_owned(),
        error => {
            let text = error.to_string();
            let mut characters = text.chars();
            characters.next().map(|first| first.to_lowercase().chain(characters).collect()).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests;
