//! Label selectors as text. Source: apimachinery's `labels.Selector.String` and `metav1.FormatLabelSelector`.

use serde_json::Value as Json;

use crate::table::object::{list, present, text};

/// The operators of a selector are not known.
struct Unknown;

/// The selector of a set or job; of a cron job, that of its jobs. `<none>` for one that selects all or nothing.
pub(super) fn of_workload(object: &Json) -> String {
    let selector = present(object, "/spec/selector").or_else(|| present(object, "/spec/jobTemplate/spec/selector"));
    match selector.map(requirements) {
        None => "<none>".into(),
        Some(Err(Unknown)) => "<error>".into(),
        Some(Ok(text)) if text.is_empty() => "<none>".into(),
        Some(Ok(text)) => text,
    }
}

/// A map of labels; `<none>` if there are none.
pub(super) fn labels(map: Option<&Json>) -> String {
    let pairs = map.and_then(Json::as_object).into_iter().flatten();
    let shown = pairs.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect::<Vec<_>>();
    if shown.is_empty() { "<none>".into() } else { shown.join(",") }
}

/// All requirements, ordered by key.
fn requirements(selector: &Json) -> Result<String, Unknown> {
    let equal = selector.get("matchLabels").and_then(Json::as_object).into_iter().flatten();
    let mut all: Vec<(&str, String)> =
        equal.map(|(key, value)| (key.as_str(), format!("{key}={}", value.as_str().unwrap_or_default()))).collect();
    for expression in list(selector, "/matchExpressions") {
        all.push((text(expression, "/key"), requirement(expression)?));
    }
    all.sort_by_key(|(key, _)| *key);
    Ok(all.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(","))
}

fn requirement(expression: &Json) -> Result<String, Unknown> {
    let key = text(expression, "/key");
    let mut values: Vec<&str> = list(expression, "/values").iter().filter_map(Json::as_str).collect();
    values.sort_unstable();
    match text(expression, "/operator") {
        "In" => Ok(format!("{key} in ({})", values.join(","))),
        "NotIn" => Ok(format!("{key} notin ({})", values.join(","))),
        "Exists" => Ok(key.into()),
        "DoesNotExist" => Ok(format!("!{key}")),
        _ => Err(Unknown),
    }
}
