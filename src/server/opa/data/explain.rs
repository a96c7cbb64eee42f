//! `?explain`: how an answer was found, step by step (`v1/server/types/types.go` of OPA's sources, `TraceV1`).

use std::time::Instant;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::budget::{BudgetError, Charge};
use crate::rego::trace::{self, Form, Steps, Trace};
use crate::rego::{EvalError, Limits};
use crate::server::Engine;
use crate::server::pool::Lane;
use crate::server::request::Params;
use crate::snapshot::QueryError;

/// More than anybody reads.
const MOST: usize = 50_000;
/// What they take at most, and as much again what variables are bound to.
const BYTES: usize = 8 << 20;
/// While they are kept and written.
const COST: u64 = 4 * BYTES as u64;

/// The explanation that the request asks for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Explain {
    mode: Option<trace::Explain>,
    pretty: bool,
}

/// The explanation of an answer.
#[derive(Debug)]
pub struct Explained {
    /// The steps.
    pub explanation: Explanation,
    /// What is not among them.
    pub warning: Option<String>,
}

/// Steps as OPA writes them.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Explanation {
    /// For people.
    Lines(Vec<String>),
    /// For programs.
    Events(Box<RawValue>),
}

impl Explain {
    /// Of a request: of several modes the first counts, and what is none counts for nothing, as in OPA.
    pub fn of(params: &Params) -> Self {
        Self { mode: params.all("explain").find_map(trace::Explain::of), pretty: params.flag("pretty") }
    }

    /// Whether anything was asked for.
    pub fn is_wanted(self) -> bool {
        self.mode.is_some()
    }

    /// Charges the memory of the explanation to the budget; `None` where none is wanted.
    pub fn charge(self, engine: &Engine, lane: Lane) -> Result<Option<Charge>, BudgetError> {
        self.mode.map(|_| engine.charge(lane, COST)).transpose()
    }

    /// Whether a document is explained: as in OPA only in one mode if it is undefined.
    pub fn explains(self, is_defined: bool) -> bool {
        self.mode.is_some_and(|mode| is_defined || mode == trace::Explain::Full)
    }

    /// Evaluates once more and listens, if that is wanted, in what is left of the time.
    pub fn explained(
        self,
        limits: &Limits,
        started: Instant,
        evaluate: impl FnOnce(&Limits, Steps) -> Result<Trace, QueryError>,
    ) -> Option<Explained> {
        let form = if self.pretty { Form::Lines } else { Form::Api };
        let steps = Steps { explain: self.mode?, form, most: MOST, bytes: BYTES };
        let limits = Limits { time: limits.time.saturating_sub(started.elapsed()), ..limits.clone() };
        let (trace, failed) = match evaluate(&limits, steps) {
            Ok(trace) => (trace, None),
            Err(error) => (Trace::default(), Some(format!("explain: nothing is told: {}", cause(&error)))),
        };
        Some(Explained {
            explanation: self.explanation(&trace),
            warning: failed.or_else(|| missing([trace.left_out, trace.without_values], trace.ended.as_deref())),
        })
    }

    fn explanation(self, trace: &Trace) -> Explanation {
        // As in OPA there is always a line.
        let lines = || trace.lines().trim_matches('\n').split('\n').map(str::to_owned).collect();
        if self.pretty { Explanation::Lines(lines()) } else { Explanation::Events(trace.for_api()) }
    }
}

fn cause(error: &QueryError) -> String {
    match error {
        QueryError::Parse(found) | QueryError::Compile(found) => {
            found.first().map_or_else(|| error.to_string(), |first| first.message.clone())
        }
        QueryError::Eval(error) => EvalError::to_string(error),
    }
}

/// Returns a sentence that says what a trace has left out; `None` where it is whole.
fn missing([events, values]: [u64; 2], ended: Option<&str>) -> Option<String> {
    let events = (events > 0).then(|| format!("explain: {events} more events are left out"));
    let values = (values > 0).then(|| format!("explain: the values of variables are left out of {values} events"));
    let ended = ended.map(|why| format!("explain: the events end before the evaluation does: {why}"));
    let missing: Vec<_> = events.into_iter().chain(values).chain(ended).collect();
    (!missing.is_empty()).then(|| missing.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_opas() {
        let table = [
            ("", None),
            ("explain", None),
            ("explain=off", None),
            ("explain=bogus", None),
            ("explain=notes", Some(trace::Explain::Notes)),
            ("explain=off&explain=full&explain=notes", Some(trace::Explain::Full)),
            ("explain=debug", Some(trace::Explain::Debug)),
            ("explain=fails", Some(trace::Explain::Fails)),
        ];
        for (query, mode) in table {
            assert_eq!(Explain::of(&Params::parse(query).unwrap()).mode, mode, "{query}");
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let expected = "explain: 3 more events are left out; explain: the values of variables are left out of 2 events; \
                        explain: the events end before the evaluation does: no time";
        assert_eq!(missing([3, 2], Some("no time")).as_deref(), Some(expected));
        assert_eq!(missing([0, 0], None), None);
    }
}
