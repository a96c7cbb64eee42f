//! Runs cases, and judges what comes of them.

use std::collections::BTreeSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plimsoll::rego::{EvalError, Limits, Module, Program, RegoVersion, Value};
use serde_json::{Map, Value as Json};

use super::cases::Case;
use super::json::plain;

/// What came of a case.
#[derive(Debug, Clone)]
pub(super) enum Verdict {
    Pass,
    /// The policies are not accepted, and why.
    Refused(String),
    /// Evaluation ends with an error that says what is beyond a limit of ours.
    Ends(String),
    /// Another answer than OPA's.
    Differs(String),
}

impl Verdict {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Refused(_) => "refused",
            Self::Ends(_) => "ends",
            Self::Differs(_) => "differs",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass => write!(f, "pass"),
            Self::Refused(why) => write!(f, "refused: {}", why.replace('\n', " ")),
            Self::Ends(why) => write!(f, "ends: {}", why.replace('\n', " ")),
            Self::Differs(how) => write!(f, "differs: {}", how.replace('\n', " ")),
        }
    }
}

/// Runs all cases on all processors; the verdicts in the order of the cases.
pub(super) fn all(cases: &[Case]) -> Vec<Verdict> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let mut found: Vec<(usize, Verdict)> = std::thread::scope(|scope| {
        let work = || {
            let mut found = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(case) = cases.get(at) else { return found };
                found.push((at, one(case)));
            }
        };
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, verdict)| verdict).collect()
}

/// A panic is never the right answer.
fn one(case: &Case) -> Verdict {
    catch_unwind(AssertUnwindSafe(|| run(case))).unwrap_or_else(|_| Verdict::Differs("panic".to_owned()))
}

fn run(case: &Case) -> Verdict {
    let question = Question::of(case);
    let version = if case.version == "v0" { RegoVersion::V0 } else { RegoVersion::V1 };
    let texts = case.modules.iter().chain(question.module.iter());
    let modules: Vec<_> =
        texts.enumerate().map(|(i, text)| Module { key: format!("test-{i}.rego"), text: text.clone() }).collect();
    let program = match Program::compile(&modules, version) {
        Ok(program) => Arc::new(program),
        Err(errors) => return Verdict::Refused(errors.first().map(ToString::to_string).unwrap_or_default()),
    };
    let prepared = match program.prepare(Value::from(case.data.clone())) {
        Ok(prepared) => prepared,
        Err(error) => return Verdict::Differs(format!("data: {error}")),
    };
    let limits = Limits { time: Duration::from_secs(20), strict_builtin_errors: case.strict_error, ..Limits::default() };
    let input = case.input.clone().map(Value::from);
    judge(case, prepared.document(&question.path, input.as_ref(), &limits).map(|value| question.rows(value)))
}

/// How the query of a case is asked: for a document, or, when it is more than that, for a rule that holds it.
struct Question {
    path: Vec<String>,
    module: Option<String>,
    /// The variable that gets the document.
    var: Option<String>,
}

impl Question {
    fn of(case: &Case) -> Self {
        let simple = || {
            let (path, var) = case.query.trim().split_once(" = ")?;
            let name = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let rest = path.strip_prefix("data")?;
            let names: Vec<_> = rest.split('.').skip(1).map(str::to_owned).collect();
            let plain = name(var)
                && var != "input"
                && var.chars().all(|c| !c.is_ascii_digit())
                && names.iter().all(|n| name(n))
                && (rest.is_empty() || rest.starts_with('.'));
            (plain && case.input_term.is_none()).then(|| Self { path: names, module: None, var: Some(var.to_owned()) })
        };
        simple().unwrap_or_else(|| Self::by_rule(case))
    }

    fn by_rule(case: &Case) -> Self {
        let vars: BTreeSet<_> = case.want_result.iter().flatten().flat_map(Map::keys).collect();
        let vars: Vec<_> = vars.into_iter().map(|var| format!("\"{var}\": {var}")).collect();
        let with = case.input_term.iter().map(|term| format!(" with input as {term}")).collect::<String>();
        let body = case.query.trim();
        let module = format!(
            "package conformance_query\n\nimport rego.v1\n\nrows contains {{{}}} if {{\n{body}{with}\n}}\n",
            vars.join(", ")
        );
        Self { path: vec!["conformance_query".into(), "rows".into()], module: Some(module), var: None }
    }

    fn rows(&self, value: Option<Json>) -> Vec<Json> {
        match (&self.var, value) {
            (Some(var), Some(value)) => vec![Json::Object([(var.clone(), value)].into_iter().collect())],
            (None, Some(Json::Array(rows))) => rows,
            _ => Vec::new(),
        }
    }
}

fn judge(case: &Case, found: Result<Vec<Json>, EvalError>) -> Verdict {
    let code = case.want_error_code.clone().or_else(|| case.want_error.as_deref().map(code_in));
    match (found, code, &case.want_result) {
        (Err(error), Some(code), _) if same_code(&error, &code) => Verdict::Pass,
        (Err(error), _, _) if error.to_string().contains(": limit: ") => Verdict::Ends(error.to_string()),
        (Err(error), Some(code), _) => Verdict::Differs(format!("wanted {code}, found {error}")),
        (Ok(rows), Some(code), _) => Verdict::Differs(format!("wanted {code}, found {}", Json::from(rows))),
        (Err(error), None, _) => Verdict::Differs(format!("{error}")),
        (Ok(rows), None, Some(want)) => {
            let want: Vec<_> = want.iter().cloned().map(Json::Object).collect();
            if comparable(&want, case.sort_bindings) == comparable(&rows, case.sort_bindings) {
                Verdict::Pass
            } else {
                Verdict::Differs(format!("wanted {}, found {}", Json::from(want), Json::from(rows)))
            }
        }
        (Ok(_), None, None) => Verdict::Differs("the case wants nothing".to_owned()),
    }
}

/// The code in a message, if it has one.
fn code_in(message: &str) -> String {
    let codes = ["eval_builtin_error", "eval_type_error", "eval_conflict_error"];
    codes.into_iter().find(|code| message.contains(code)).unwrap_or_default().to_owned()
}

/// Type errors of builtins are builtin errors with another name.
fn same_code(error: &EvalError, code: &str) -> bool {
    match error {
        EvalError::Conflict { .. } => code == "eval_conflict_error" || code.is_empty(),
        EvalError::Builtin { .. } => code != "eval_conflict_error",
        _ => false,
    }
}

fn comparable(rows: &[Json], sort: bool) -> BTreeSet<String> {
    let row = |row: &Json| match plain(row) {
        Json::Object(members) if sort => {
            let sorted = members.into_iter().map(|(name, value)| (name, sorted(value)));
            Json::Object(sorted.collect()).to_string()
        }
        other => other.to_string(),
    };
    rows.iter().map(row).collect()
}

fn sorted(value: Json) -> Json {
    match value {
        Json::Array(mut items) => {
            items.sort_by_key(Json::to_string);
            Json::Array(items)
        }
        other => other,
    }
}
