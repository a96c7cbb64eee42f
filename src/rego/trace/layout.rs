//! JSON of steps. They nest as deep as policies do, so they are written by who minds the stack.

use plimsoll_rego::value::json::{self, Layout};
use plimsoll_rego::value::{Free, Value};
use serde_json::value::RawValue;

/// On one line.
pub(super) fn compact(value: &Value) -> Box<RawValue> {
    raw(text(value, None))
}

/// An array of objects, in lines.
pub(super) fn events<const N: usize>(events: impl Iterator<Item = [(&'static str, Value); N]>, prefix: &str) -> Box<RawValue> {
    let event = |members: [(&'static str, Value); N]| {
        let members = members.map(|(name, value)| member(name, &value, &format!("{prefix}    "))).join(",");
        format!("\n{prefix}  {{{members}\n{prefix}  }}")
    };
    let events: Vec<_> = events.map(event).collect();
    raw(if events.is_empty() { "[]".to_owned() } else { format!("[{}\n{prefix}]", events.join(",")) })
}

fn member(name: &str, value: &Value, prefix: &str) -> String {
    format!("\n{prefix}\"{name}\": {}", text(value, Some(Layout { prefix, indent: "  " })))
}

fn text(value: &Value, layout: Option<Layout<'_>>) -> String {
    // Numbers of policies and of data are JSON: there is none that cannot be written.
    json::write_within(value, layout, usize::MAX, &mut Free).unwrap_or_else(|_| "null".to_owned())
}

fn raw(text: String) -> Box<RawValue> {
    RawValue::from_string(text).unwrap_or_default()
}
