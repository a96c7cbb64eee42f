//! Label selectors. Source: `apimachinery/pkg/apis/meta/v1/validation`.

use serde_json::Value as Json;

use super::metadata;
use super::peek::{entries, field, list, map, text};
use crate::names;
use crate::status::field::{Faults, Path};

/// Every fault of a LabelSelector.
pub(super) fn validate(selector: &Json, path: &Path<'_>, faults: &mut Faults) {
    if let Some(labels) = map(selector, "matchLabels") {
        metadata::labels(labels, &path.child("matchLabels"), faults);
    }
    let expressions = path.child("matchExpressions");
    for (index, expression) in list(selector, "matchExpressions").iter().enumerate() {
        requirement(expression, &expressions.index(index), faults);
    }
}

fn requirement(expression: &Json, path: &Path<'_>, faults: &mut Faults) {
    let values = list(expression, "values");
    let at = path.child("values");
    match text(expression, "operator") {
        "In" | "NotIn" if values.is_empty() => {
            faults.required(&at, "must be specified when `operator` is 'In' or 'NotIn'");
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            faults.forbidden(&at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        other => faults.invalid_text(&path.child("operator"), other, "not a valid selector operator"),
    }
    let (key, at_key) = (text(expression, "key"), path.child("key"));
    names::label_key(key).iter().for_each(|fault| faults.invalid_text(&at_key, key, fault));
    for (index, value) in values.iter().enumerate() {
        let value = value.as_str().unwrap_or_default();
        names::label_value(value).iter().for_each(|fault| faults.invalid_text(&at.index(index), value, fault));
    }
}

/// Whether it selects everything.
pub fn is_empty(selector: &Json) -> bool {
    entries(selector, "matchLabels").next().is_none() && list(selector, "matchExpressions").is_empty()
}

/// Whether Kubernetes can read it: what breaks a rule cannot be matched against labels.
pub(super) fn is_readable(selector: &Json) -> bool {
    let mut faults = Faults::default();
    validate(selector, &Path::ROOT, &mut faults);
    faults.is_empty()
}

/// Whether it selects something with these labels.
pub fn matches(selector: &Json, labels: &Json) -> bool {
    let expressions = list(selector, "matchExpressions");
    entries(selector, "matchLabels").all(|(key, value)| labels.get(key) == Some(value))
        && expressions.iter().all(|expression| {
            let found = labels.get(text(expression, "key"));
            let among = found.is_some_and(|value| list(expression, "values").contains(value));
            match text(expression, "operator") {
                "In" => among,
                "NotIn" => !among,
                "Exists" => found.is_some(),
                _ => found.is_none(),
            }
        })
}

/// Faults of a selector and of the labels that it must select.
pub(super) fn for_template(spec: &Json, template: &Json, path: &Path<'_>, faults: &mut Faults) {
    let (selector, labels) = (field(spec, "selector"), super::peek::below(template, "metadata.labels"));
    let at = path.child("template");
    let at = at.child("metadata");
    if is_readable(selector) && !matches(selector, labels) {
        faults.invalid(&at.child("labels"), labels, "`selector` does not match template `labels`");
    }
}
