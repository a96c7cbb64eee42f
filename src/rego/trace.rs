//! What evaluations did, step by step, as OPA tells it: in lines for people, and as JSON.

mod layout;
mod query;
mod test;

use std::sync::Arc;

use plimsoll_rego::program::Asked;
use plimsoll_rego::trace::{self, Detail, Keep, Recorded};
pub use plimsoll_rego::trace::{Explain, ProfileOrder};
pub use query::{Profile, QueryReport, StackFrame, Stats, Wanted};
use serde_json::value::RawValue;

use super::prepared::step;

/// Steps of one evaluation, as far as they are kept.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    events: Vec<Arc<Recorded>>,
    /// How many more steps of the kind that was wanted there were.
    pub left_out: u64,
    /// How many of the steps are without the values of their variables, because those would have taken too much.
    pub without_values: u64,
    /// Which limit ended the evaluation before its time.
    pub ended: Option<String>,
}

/// The format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In lines.
    Lines,
    /// As OPA's API shows it in JSON.
    Api,
    /// As OPA's command line shows it in JSON.
    CommandLine,
}

/// The steps that are kept, and how much of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Which.
    pub explain: Explain,
    /// How they shall be shown.
    pub form: Form,
    /// How many at most.
    pub most: usize,
    /// How many bytes they take at most, about; the values of variables may take as much again.
    pub bytes: usize,
}

impl From<Steps> for Keep {
    fn from(Steps { explain, form, most, bytes }: Steps) -> Self {
        let detail = match form {
            Form::Lines => Detail::Lines,
            Form::Api => Detail::Nodes,
            Form::CommandLine => Detail::Places,
        };
        Self { explain, detail, events: most, bytes }
    }
}

impl From<trace::Trace> for Trace {
    fn from(trace::Trace { events, left_out, without_values }: trace::Trace) -> Self {
        Self { events, left_out, without_values, ended: None }
    }
}

/// The document at a path below `data`, as a query.
pub fn reference(path: &[String]) -> String {
    Asked::document(&path.iter().map(|segment| step(segment)).collect::<Vec<_>>()).text
}

impl Trace {
    /// Whether it has no steps.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// A line for each step, places first.
    pub fn lines(&self) -> String {
        trace::pretty(&self.events)
    }

    /// Returns the steps in two columns, the first of the same width everywhere.
    pub fn rows(&self) -> Vec<(String, String)> {
        trace::rows(&self.events)
    }

    /// As OPA's API writes it; the steps must have been kept for that.
    pub fn for_api(&self) -> Box<RawValue> {
        layout::compact(&trace::raw(&self.events))
    }

    /// As OPA's command line writes it, in lines of which all but the first begin with `prefix`; the steps must have been kept for
    /// that.
    pub fn for_command_line(&self, prefix: &str) -> Box<RawValue> {
        layout::events(self.events.iter().map(|event| trace::members(event)), prefix)
    }
}
