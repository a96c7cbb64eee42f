//! What is wrong with a document, and where (`internal/gojsonschema`, `errors.go`, `locales.go`, `jsonContext.go`).

use crate::value::Value;

/// Where something is in a document.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) name: &'p str,
    pub(super) above: Option<&'p Self>,
}

/// What is wrong.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    kind: &'static str,
    field: String,
    description: String,
}

/// All findings of a part, and how well it fits: of several the best is shown.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) list: Vec<Finding>,
    pub(super) score: i64,
}

impl Place<'_> {
    /// The names from the root on, which is only named if it is all.
    pub(super) fn field(&self) -> String {
        let (mut names, mut at) = (Vec::new(), Some(self));
        while let Some(place) = at {
            names.push(place.name);
            at = place.above;
        }
        if names.len() > 1 {
            names.pop();
        }
        names.reverse();
        names.join(".")
    }
}

impl Finding {
    /// As OPA gives it.
    pub(super) fn value(self) -> Value {
        let error = format!("{}: {}", self.field, self.description);
        let members = [("desc", self.description), ("error", error), ("field", self.field), ("type", self.kind.to_owned())];
        Value::object(members.map(|(name, text)| (Value::from(name), Value::from(text))))
    }
}

impl Findings {
    pub(super) fn is_valid(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn add(&mut self, kind: &'static str, place: &Place<'_>, description: impl Into<String>) {
        self.list.push(Finding { kind, field: place.field(), description: description.into() });
        // One is added at the end.
        self.score = self.score.saturating_sub(2);
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.list.extend(other.list);
        self.score = self.score.saturating_add(other.score);
    }

    /// One more thing was looked at.
    pub(super) fn count(&mut self) {
        self.score = self.score.saturating_add(1);
    }
}
