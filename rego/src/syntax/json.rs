//! The tree as JSON, as `opa parse --format json` shows it (`v1/ast/policy_json.go`, `v1/ast/term_json.go`), and with places as
//! with `--json-include locations`. `rego.parse_module` answers the same.

mod annotations;
mod body;
mod module;
mod term;

pub(crate) use body::{body, expr};
pub use module::module;
pub(crate) use module::rule;
pub(crate) use term::term;

use super::source::Source;
use super::span::Span;
use crate::value::Value;

/// How the tree is shown.
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
    /// The text that it comes from: comments always show their place.
    pub source: &'a Source,
    /// Every node shows its place.
    pub locations: bool,
}

/// Members of an object.
struct Members(Vec<(Value, Value)>);

impl Members {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.push((key.into(), value.into()));
        self
    }

    fn with_some(self, key: &str, value: Option<Value>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// A flag, shown only when it is set.
    fn with_flag(self, key: &str, flag: bool) -> Self {
        self.with_some(key, flag.then_some(Value::True))
    }

    /// The place of a node, if places are shown and the node has one.
    fn at(self, style: Style<'_>, span: Span) -> Self {
        self.with_some("location", (style.locations && span.end > 0).then(|| location(style, span)))
    }

    fn finish(self) -> Value {
        Value::object(self.0)
    }
}

/// File, row and column (`v1/ast/location/location_json.go`).
fn location(style: Style<'_>, span: Span) -> Value {
    let position = style.source.position(span.start);
    Members::new()
        .with("file", style.source.name.as_str())
        .with("row", i64::from(position.row))
        .with("col", i64::from(position.col))
        .finish()
}
