//! `policies/lib/clusters.rego`.

use plimsoll_rego::value::Value;

use super::words::Words;
use super::{at, at_or, text};

/// Every cluster in one form.
pub(super) fn all(w: &Words, data: &Value) -> Option<Value> {
    let clusters = at(data, &[&w.kubernetes, &w.clusters])?.as_object()?;
    Some(Value::object(clusters.iter().map(|(name, cluster)| (name.clone(), view(w, cluster)))))
}

fn view(w: &Words, cluster: &Value) -> Value {
    Value::object([
        (w.labels.clone(), at_or(cluster, &[&w.metadata, &w.labels], &w.no_object).clone()),
        (w.annotations.clone(), at_or(cluster, &[&w.metadata, &w.annotations], &w.no_object).clone()),
        (w.region.clone(), region(w, cluster)),
        (w.zones.clone(), zones(w, cluster)),
        (w.provider.clone(), at_or(cluster, &[&w.spec, &w.provider], &w.empty).clone()),
        (w.ready.clone(), Value::from(is_ready(w, cluster))),
    ])
}

fn region(w: &Words, cluster: &Value) -> Value {
    let texts = Value::array([
        at_or(cluster, &[&w.spec, &w.region], &w.empty).clone(),
        at_or(cluster, &[&w.status, &w.region], &w.empty).clone(),
        at_or(cluster, &[&w.metadata, &w.labels, &w.topology], &w.empty).clone(),
    ]);
    let said = Value::array(texts.as_array().unwrap_or_default().iter().filter(|text| **text != w.empty).cloned());
    said.as_array().unwrap_or_default().first().unwrap_or(&w.empty).clone()
}

fn zones(w: &Words, cluster: &Value) -> Value {
    let status = at_or(cluster, &[&w.status, &w.zones], &w.no_array);
    at_or(cluster, &[&w.spec, &w.zones], status).clone()
}

fn is_ready(w: &Words, cluster: &Value) -> bool {
    let is = |condition: &Value, key, wanted| condition.get(key).is_some_and(|value| text(value) == wanted);
    let conditions = at(cluster, &[&w.status, &w.conditions]).and_then(Value::as_array).unwrap_or_default();
    conditions.iter().any(|condition| is(condition, &w.kind, "Ready") && is(condition, &w.status, "True"))
}
