//! Annotations (`v1/ast/annotations_json.go`).

use super::{Members, Style, location};
use crate::syntax::parse::{Options, parse_term};
use crate::syntax::source::Source;
use crate::syntax::span::SourceId;
use crate::syntax::tree::{Annotations, Kind};
use crate::value::{Object, Value};

/// A block as OPA shows it: its fields, but references as terms.
pub(super) fn annotations(style: Style<'_>, annotations: &Annotations) -> Value {
    let fields = annotations.fields.as_object().into_iter().flat_map(Object::iter);
    let shown = fields.map(|(key, value)| {
        let value = match key.as_str().map(|name| name.as_str()) {
            Some("schemas") => each(value, |schema| with_references(schema, &["path", "schema"], steps)),
            Some("compile") => with_references(value, &["mask_rule", "unknowns"], references),
            _ => value.clone(),
        };
        (key.clone(), value)
    });
    let place = style.locations.then(|| location(style, annotations.span));
    Members(shown.collect()).with_some("location", place).finish()
}

fn each(value: &Value, show: impl Fn(&Value) -> Value) -> Value {
    Value::array(value.as_array().unwrap_or_default().iter().map(show))
}

fn with_references(value: &Value, names: &[&str], show: fn(&Value) -> Value) -> Value {
    let members = value.as_object().into_iter().flat_map(Object::iter);
    Value::object(members.map(|(key, value)| {
        let named = key.as_str().is_some_and(|key| names.contains(&key.as_str()));
        (key.clone(), if named { show(value) } else { value.clone() })
    }))
}

/// Parts of a reference: a variable, then strings.
fn steps(parts: &Value) -> Value {
    let part = |(index, part): (usize, &Value)| {
        let kind = if index == 0 { "var" } else { "string" };
        Members::new().with("type", kind).with("value", part.clone()).finish()
    };
    Value::array(parts.as_array().unwrap_or_default().iter().enumerate().map(part))
}

/// A reference that is kept as text, or an array of them.
fn references(value: &Value) -> Value {
    if value.as_array().is_some() {
        return each(value, references);
    }
    let source = Source::new("", value.as_str().map_or("", |text| text.as_str()));
    let style = Style { source: &source, locations: false };
    match parse_term(&source, SourceId::default(), &Options::default()) {
        Ok(term) => match &term.kind {
            Kind::Ref(parts) => super::term::terms(style, parts),
            _ => Value::array([super::term::term(style, &term)]),
        },
        Err(_) => value.clone(),
    }
}
