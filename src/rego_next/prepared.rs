//! A program with its data: documents as OPA shows them, base and virtual merged.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use plimsoll_rego::eval::PrintHook;
use plimsoll_rego::program::{Bound, Definition, Request};
use plimsoll_rego::value::{self, Object, json};
use serde_json::{Map, Value as Json};

use super::{EvalError, Limits, Program, Value, exact};

/// Deeper answers are refused: no client could parse them.
const DEPTH: u32 = 128;

/// From here on doubles are whole numbers, and not each of them.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Why a value has no JSON form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Inencodable {
    #[error("an answer of {0} bytes")]
    Size(usize),
    #[error("an answer nested {DEPTH} levels deep")]
    Depth,
    #[error("the number {0} has more digits than an answer can hold")]
    Number(String),
}

/// A program with its data, ready to evaluate from many threads.
#[derive(Debug)]
pub struct Prepared {
    program: Arc<Program>,
    pub(super) bound: Bound,
}

impl Prepared {
    pub(super) fn new(program: Arc<Program>, data: value::Value) -> Self {
        let bound = program.program.bind(data);
        Self { program, bound }
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Nothing is left to be made.
    pub fn warm(&self, _path: &[String]) -> Result<(), EvalError> {
        Ok(())
    }

    /// The document at `data.<path>`; `None` when undefined. Panics inside are caught.
    pub fn document(&self, path: &[String], input: Option<&Value>, limits: &Limits) -> Result<Option<Json>, EvalError> {
        let name = display(path);
        guarded(&name, || {
            if self.program.defines(path) == Definition::Nothing
                && !self.program.packages().any(|package| package.starts_with(path))
            {
                return walk(self.bound.data(), path).map(|value| answer(value, &name, limits)).transpose();
            }
            let path: Vec<_> = path.iter().map(|segment| step(segment)).collect();
            let value = self.bound.document(&path, &request(input, limits));
            let value = value.map_err(|error| EvalError::of(&name, error, self.program.program.sources()))?;
            value.map(|value| answer(&value, &name, limits)).transpose()
        })
    }
}

/// Runs an evaluation so that a panic inside ends only this one.
pub(super) fn guarded<T>(document: &str, evaluation: impl FnOnce() -> Result<T, EvalError>) -> Result<T, EvalError> {
    // What the closure touches is dropped with the panic, or immutable.
    catch_unwind(AssertUnwindSafe(evaluation)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        let message = format!("the evaluator panicked: {}", said.unwrap_or("no message"));
        Err(EvalError::Failed { document: document.to_owned(), message })
    })
}

/// What is asked for under these limits.
pub(super) fn request<'a>(input: Option<&'a Value>, limits: &Limits) -> Request<'a> {
    let note = limits.notes.clone().map(|notes| -> PrintHook { Arc::new(Mutex::new(move |_, message| notes.add(message))) });
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Request {
        input: input.map(|input| &input.0),
        limits: limits.of_evaluation(),
        strict_builtin_errors: limits.strict_builtin_errors,
        note,
        now_ns: i64::try_from(now.as_nanos()).unwrap_or(i64::MAX),
        ..Request::default()
    }
}

/// A value for an answer.
pub(super) fn answer(value: &value::Value, document: &str, limits: &Limits) -> Result<Json, EvalError> {
    let document = || document.to_owned();
    encode(value, limits.output).map_err(|error| match error {
        Inencodable::Number(_) => EvalError::Failed { document: document(), message: error.to_string() },
        Inencodable::Size(_) | Inencodable::Depth => EvalError::Limit { document: document(), limit: error.to_string() },
    })
}

/// The JSON of a value; `limit` counts its bytes.
pub(super) fn encode(value: &value::Value, limit: usize) -> Result<Json, Inencodable> {
    if value.depth() > DEPTH {
        return Err(Inencodable::Depth);
    }
    Encoder { limit, used: 0 }.value(value)
}

/// Makes JSON of values.
struct Encoder {
    limit: usize,
    used: usize,
}

impl Encoder {
    fn value(&mut self, value: &value::Value) -> Result<Json, Inencodable> {
        Ok(match value {
            value::Value::Null => self.charge(4, Json::Null)?,
            value::Value::Bool(truth) => self.charge(5, Json::Bool(*truth))?,
            value::Value::String(text) => self.charge(text.len().saturating_add(2), Json::String(text.to_string()))?,
            value::Value::Array(items) => self.array(items.items())?,
            value::Value::Set(members) => self.array(members.members())?,
            value::Value::Object(members) => self.object(members)?,
            number => self.number(number)?,
        })
    }

    fn array(&mut self, items: &[value::Value]) -> Result<Json, Inencodable> {
        self.charge(items.len().saturating_add(2), ())?;
        Ok(Json::Array(items.iter().map(|item| self.value(item)).collect::<Result<_, _>>()?))
    }

    fn object(&mut self, members: &Object) -> Result<Json, Inencodable> {
        self.charge(2, ())?;
        let mut object = Map::new();
        for (key, value) in members.iter() {
            let key = self.key(key)?;
            self.charge(key.len().saturating_add(4), ())?;
            object.insert(key, self.value(value)?);
        }
        Ok(Json::Object(object))
    }

    /// Keys that are no strings are written as their JSON text, as OPA does.
    fn key(&self, key: &value::Value) -> Result<String, Inencodable> {
        match key.as_str() {
            Some(text) => Ok(text.to_string()),
            None => json::write(key, self.limit).map_err(|_| Inencodable::Size(self.limit)),
        }
    }

    fn number(&mut self, number: &value::Value) -> Result<Json, Inencodable> {
        if let Some(small) = number.as_i64() {
            return self.charge(8, small.into());
        }
        let text = json::write(number, self.limit).map_err(|_| Inencodable::Size(self.limit))?;
        self.charge(text.len(), ())?;
        // Never another number: the policy decided on this one.
        if let Some(whole) = number.as_f64().filter(|double| double.fract() == 0.0 && double.abs() < WHOLE) {
            return self.charge(text.len(), format!("{whole:.0}").parse::<i64>().map_or(Json::Null, Json::from));
        }
        let held = exact::is_held(&text).then(|| serde_json::from_str(&text).ok()).flatten();
        held.ok_or(Inencodable::Number(text))
    }

    fn charge<T>(&mut self, bytes: usize, value: T) -> Result<T, Inencodable> {
        self.used = self.used.saturating_add(bytes);
        if self.used > self.limit { Err(Inencodable::Size(self.limit)) } else { Ok(value) }
    }
}

/// The name for messages.
pub(super) fn display(path: &[String]) -> String {
    std::iter::once("data").chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join(".")
}

/// What OPA takes a segment of a path for: a number if it is one.
fn step(segment: &str) -> value::Value {
    integer(segment).map_or_else(|| segment.into(), value::Value::from)
}

/// The number that a segment of a path is for OPA: `7`, `+7`, `07` and `7.0` are one (`v1/util/performance.go`, `Atoi64`).
pub fn integer(segment: &str) -> Option<i64> {
    let digits = segment.strip_prefix(['-', '+']).unwrap_or(segment);
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if !whole.bytes().all(|byte| byte.is_ascii_digit()) || !fraction.bytes().all(|byte| byte == b'0') {
        return None;
    }
    let number = if whole.is_empty() { 0 } else { whole.parse::<i64>().ok()? };
    Some(if segment.starts_with('-') { number.checked_neg()? } else { number })
}

/// Follows names through objects, and indexes through arrays.
fn walk<'a>(value: &'a value::Value, path: &[String]) -> Option<&'a value::Value> {
    path.iter().try_fold(value, |value, name| match value {
        value::Value::Object(members) => members.member(name),
        value::Value::Array(items) => items.get(name.parse().ok()?),
        _ => None,
    })
}
