//! `?explain`: what an evaluation said of itself.
//!
//! The interpreter records no events of its own. What policies say with `trace("...")` is all there is: OPA's `note` events. That
//! is the whole of what `explain=notes` is asked for; the other modes get it with a warning, for who leaves one of them on in
//! production still wants the decision.

use serde_json::{Value as Json, json};

use crate::rego::Notes;
use crate::server::request::Params;

/// OPA's modes. Others are the same as `off`, as in OPA.
const MODES: [&str; 4] = ["notes", "fails", "full", "debug"];

/// What was asked for, and what was said.
#[derive(Clone, Debug, Default)]
pub struct Explain {
    mode: Option<&'static str>,
    notes: Notes,
    pretty: bool,
}

impl Explain {
    /// Of a request.
    pub fn of(params: &Params) -> Self {
        // As OPA: of several the last.
        let mode = params.get("explain").and_then(|asked| MODES.into_iter().find(|mode| *mode == asked));
        Self { mode, notes: Notes::default(), pretty: params.flag("pretty") }
    }

    /// For the evaluation, if it is wanted.
    pub fn notes(&self) -> Option<Notes> {
        self.mode.map(|_| self.notes.clone())
    }

    /// The events, as OPA writes them: objects, or lines of text when the answer is for people.
    pub fn events(&self) -> Option<Json> {
        self.mode?;
        let event = |message: String| match self.pretty {
            true => Json::String(format!("Note {message:?}")),
            false => json!({
                "op": "note", "query_id": 0, "parent_id": 0, "type": "", "node": null, "locals": [], "message": message,
            }),
        };
        Some(self.notes.take().into_iter().map(event).collect())
    }

    /// What the caller does not get.
    pub fn warning(&self) -> Option<String> {
        let mode = self.mode.filter(|mode| *mode != "notes")?;
        Some(format!("explain={mode}: this engine records no evaluation events, only notes made with trace() are shown"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_opas() {
        let table = [
            ("", false, false),
            ("explain", false, false),
            ("explain=off", false, false),
            ("explain=bogus", false, false),
            ("explain=notes", true, false),
            ("explain=full", true, true),
            ("explain=full&explain=notes", true, false),
            ("explain=debug", true, true),
            ("explain=fails", true, true),
        ];
        for (query, events, warning) in table {
            let explain = Explain::of(&Params::parse(query).unwrap());
            assert_eq!((explain.events().is_some(), explain.warning().is_some()), (events, warning), "{query}");
        }
    }
}
