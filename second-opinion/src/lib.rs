//! The same tests on regorus, another implementation of Rego, as it comes: no text is rewritten, and what it refuses is said to be
//! refused. Where the two differ, one of them is wrong, or they mean different languages.

mod message;

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use regorus::Engine;
use regorus::utils::limits::ExecutionTimerConfig;

use plimsoll_rego::program::Program;
use plimsoll_rego::syntax::tree::Version;
use plimsoll_rego::testing::{Case, Cases, Shape, Test, cases_of, tests};
use plimsoll_rego::value::{Value, json};

/// Each further level of brackets takes regorus twice as long to read.
const DEPTH: u32 = 20;

/// A set on regorus.
#[derive(Debug)]
pub struct SecondOpinion {
    engine: Engine,
    /// How many rules have the name of a test.
    shared: HashMap<Vec<Value>, usize>,
}

/// What regorus makes of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// The same.
    Agrees,
    /// Something else: `PASS`, `FAIL`, which cases pass and fail, or `ERROR` and why.
    Differs(String),
    /// It cannot be asked, and why.
    Unasked(&'static str),
}

/// Why regorus gives no answer.
#[derive(Debug, thiserror::Error)]
enum RegorusError {
    /// It refuses the text, the data or the query, or fails while it evaluates.
    #[error("{}", message::short(&.0.to_string()))]
    Refused(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A defect of regorus.
    #[error("regorus panicked")]
    Panicked,
}

impl SecondOpinion {
    /// A set that was compiled for its tests, with data. Fails with what regorus refuses: of each text the first thing, or of all of
    /// them together.
    pub fn new(program: &Program, data: &Value, time: Duration) -> Result<Self, Vec<String>> {
        let mut engine = Engine::new();
        engine.set_strict_builtin_errors(false);
        // Nothing but what it answers counts.
        engine.set_gather_prints(true);
        let refused = program.compiled().modules.iter().filter_map(|module| {
            let source = program.sources().get(module.source)?;
            if module.depth > DEPTH {
                return Some(format!("{}: nested deeper than {DEPTH} levels", source.name));
            }
            engine.set_rego_v0(module.version == Version::V0);
            let added = guarded(|| engine.add_policy(source.name.to_string(), source.text.to_string()));
            added.err().map(|error| error.to_string())
        });
        let refused: Vec<_> = refused.collect();
        if !refused.is_empty() {
            return Err(refused);
        }
        engine.set_execution_timer_config(ExecutionTimerConfig {
            limit: time,
            check_interval: NonZeroU32::MIN.saturating_add(999),
        });
        let ready = guarded(|| {
            engine.add_data(regorus::Value::from_json_str(&json::write(data, usize::MAX).unwrap_or_default())?)?;
            engine.eval_query("true".to_owned(), false)
        });
        let mut shared = HashMap::<_, usize>::new();
        for test in tests(program) {
            let rules = shared.entry(named(&test)).or_default();
            *rules = rules.saturating_add(1);
        }
        ready.map(|_| Self { engine, shared }).map_err(|error| vec![error.to_string()])
    }

    /// What it makes of a test that has run here, and has passed or not (or, with `None`, could not be evaluated), with these cases.
    pub fn of(&self, test: &Test, passed: Option<bool>, cases: &Cases) -> Opinion {
        if let Some(why) = self.unasked(test) {
            return Opinion::Unasked(why);
        }
        let query = test.to_string();
        let mut engine = self.engine.clone();
        let answer = guarded(|| engine.eval_query(query, false));
        let value = answer.map(|mut answer| answer.result.pop().and_then(|mut result| Some(result.expressions.pop()?.value)));
        match (passed, value) {
            (None, Err(_)) => Opinion::Agrees,
            (_, Err(error)) => Opinion::Differs(format!("ERROR {error}")),
            (passed, Ok(value)) => judge(test, (passed, cases), value.as_ref()),
        }
    }

    fn unasked(&self, test: &Test) -> Option<&'static str> {
        match self.shared.get(&named(test)) {
            _ if test.todo => Some("it is not run"),
            _ if test.shape() == Shape::Function => Some("it is a function"),
            Some(2..) => Some("regorus takes rules of one name together"),
            _ => None,
        }
    }
}

/// The document of a test under the name that it was written with.
fn named(test: &Test) -> Vec<Value> {
    let mut path = test.rule_path().to_vec();
    if let Some(name) = path.last_mut()
        && let Some((written, number)) = name.as_str().and_then(|name| name.rsplit_once('#'))
        && number.bytes().all(|digit| digit.is_ascii_digit())
    {
        *name = Value::from(written);
    }
    path
}

/// Returns what `run` gets from regorus. Fails when regorus does, even by a panic, which ends nothing but this call.
fn guarded<T, E>(run: impl FnOnce() -> Result<T, E>) -> Result<T, RegorusError>
where
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result.map_err(|error| RegorusError::Refused(error.into())),
        Err(_) => Err(RegorusError::Panicked),
    }
}

fn judge(test: &Test, (passed, cases): (Option<bool>, &Cases), value: Option<&regorus::Value>) -> Opinion {
    if test.shape() == Shape::Cases {
        let (ours, theirs) = (Leaves::of(cases), Leaves::of(&read(value)));
        // It does not say to which cases it has come without passing them.
        let agrees = passed.is_some() && ours.passed == theirs.passed && theirs.failed.is_subset(&ours.failed);
        return if agrees { Opinion::Agrees } else { Opinion::Differs(theirs.shown()) };
    }
    let passes = value == Some(&regorus::Value::Bool(true));
    match passed == Some(passes) {
        true => Opinion::Agrees,
        false => Opinion::Differs(if passes { "PASS" } else { "FAIL" }.to_owned()),
    }
}

/// The cases that a value has.
fn read(value: Option<&regorus::Value>) -> Cases {
    value.map(|value| cases_of(&own(value))).unwrap_or_default()
}

/// Its value as ours.
fn own(value: &regorus::Value) -> Value {
    match value {
        regorus::Value::Object(members) => Value::object(members.iter().map(|(key, value)| (own(key), own(value)))),
        regorus::Value::Array(items) => Value::array(items.iter().map(own)),
        regorus::Value::Set(members) => Value::set(members.iter().map(own)),
        scalar => {
            let text = scalar.to_json_str().unwrap_or_default();
            json::read(text.as_bytes(), 1).unwrap_or(Value::Null)
        }
    }
}

/// Cases without cases below them, by their paths.
#[derive(Debug, Default, PartialEq)]
struct Leaves {
    passed: BTreeSet<String>,
    failed: BTreeSet<String>,
}

impl Leaves {
    fn of(cases: &Cases) -> Self {
        let mut leaves = Self::default();
        let mut waiting: Vec<(String, &Case)> = cases.iter().map(|(key, case)| (key.clone(), case)).collect();
        while let Some((path, case)) = waiting.pop() {
            let below = case.cases.iter().map(|(key, case)| (format!("{path} / {key}"), case));
            match (case.cases.is_empty(), case.fail) {
                (false, _) => waiting.extend(below),
                (true, true) => _ = leaves.failed.insert(path),
                (true, false) => _ = leaves.passed.insert(path),
            }
        }
        leaves
    }

    fn shown(&self) -> String {
        let list = |names: &BTreeSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        match (self.passed.is_empty(), self.failed.is_empty()) {
            (true, true) => "no case passes".to_owned(),
            (false, true) => format!("passes {}", list(&self.passed)),
            (true, false) => format!("fails {}", list(&self.failed)),
            (false, false) => format!("passes {}, fails {}", list(&self.passed), list(&self.failed)),
        }
    }
}
