//! A trace as OPA's command line writes it as JSON (opa `v1/topdown/trace.go`, `Event`).

use super::recorded::{Place, Recorded};
use crate::value::Value;

/// The members of an event, in OPA's order; it must have been kept with places.
pub fn members(event: &Recorded) -> [(&'static str, Value); 9] {
    let (node, locals) = event.json.clone().unwrap_or_else(|| (Value::Null, Value::array([])));
    let metadata = event.metadata.as_ref();
    [
        ("Op", event.op.name().into()),
        ("Node", node),
        ("Location", event.place.as_ref().map_or(Value::Null, place)),
        ("QueryID", number(event.query_id)),
        ("ParentID", number(event.parent_id)),
        ("Locals", metadata.map_or(Value::Null, |_| Value::array(locals.as_array().unwrap_or_default().iter().map(local)))),
        ("LocalMetadata", metadata.map_or(Value::Null, |metadata| Value::object(metadata.variables.iter().map(variable)))),
        ("Message", event.message.as_str().into()),
        ("Ref", metadata.map_or(Value::Null, |metadata| metadata.reference.clone())),
    ]
}

/// A variable that is bound, with its value beside its name (opa `v1/ast/map.go`, `MarshalJSON`).
fn local(binding: &Value) -> Value {
    let member = |name: &str| binding.get(&name.into()).cloned().unwrap_or(Value::Null);
    let name = member("key").get(&"value".into()).cloned().unwrap_or(Value::Null);
    let is_wildcard = name.as_str().is_some_and(|name| name.starts_with('$'));
    let mut members = vec![(Value::from("name"), if is_wildcard { "_".into() } else { name })];
    members.extend(member("value").as_object().into_iter().flat_map(|value| value.iter()).map(|(k, v)| (k.clone(), v.clone())));
    Value::object(members)
}

fn variable((name, (written, at)): (&arcstr::ArcStr, &(arcstr::ArcStr, Option<Place>))) -> (Value, Value) {
    let location = at.as_ref().map_or(Value::Null, place);
    (Value::string(name), Value::object([("name".into(), Value::string(written)), ("location".into(), location)]))
}

fn place(place: &Place) -> Value {
    Value::object([
        ("file".into(), Value::string(&place.file)),
        ("row".into(), i64::from(place.row).into()),
        ("col".into(), i64::from(place.col).into()),
    ])
}

fn number(id: u64) -> Value {
    i64::try_from(id).unwrap_or(i64::MAX).into()
}
