//! The change that each finding asks for. All findings of one hook are taken together, so that a field that two of them concern gets one
//! value.

use serde_json::{Map, Value as Json, json};

use super::finding::{Advice, Found};

const NAME_LABEL: &str = "kubernetes.io/metadata.name";
const SELECTOR: &str = "namespaceSelector";
const CONDITIONS: &str = "matchConditions";
/// Name of the match condition that is added, unless the hook has one of this name.
const NOT_BUSY: &str = "not-busy";

/// The change that clears a finding.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Change {
    /// The change in words, or as a field with its new value.
    pub(super) text: String,
    /// New values of fields of the hook, by the fields' names.
    pub(super) set: Map<String, Json>,
}

/// Returns the change for each of the findings of a hook, which is given without defaults. Each change may be made alone; all of them
/// together clear every finding but those that a person has to decide.
pub(super) fn of(written: &Json, found: &[Found]) -> Vec<Change> {
    let exempt: Vec<&str> = found.iter().filter_map(exempted).collect();
    found.iter().map(|one| change(written, &exempt, &one.advice)).collect()
}

fn exempted(found: &Found) -> Option<&str> {
    if let Advice::Exempt(namespace) = &found.advice { Some(namespace) } else { None }
}

fn change(written: &Json, exempt: &[&str], advice: &Advice) -> Change {
    let (field, value, besides) = match advice {
        Advice::Say(text) => return Change { text: text.clone(), set: Map::new() },
        Advice::Set(field, value, besides) => (*field, value.clone(), *besides),
        Advice::Exempt(_) => (SELECTOR, selector(written, exempt), ""),
        Advice::LeaveOut(resources) => (CONDITIONS, conditions(written, resources), ", or leave them out of the rules"),
    };
    Change { text: format!("{field}: {}{besides}", flow(&value)), set: Map::from_iter([(field.to_owned(), value)]) }
}

/// Returns the hook's `namespaceSelector`, extended so that it does not select the namespaces in `exempt`.
fn selector(written: &Json, exempt: &[&str]) -> Json {
    let mut selector = written.get(SELECTOR).filter(|selector| selector.is_object()).cloned().unwrap_or_else(|| json!({}));
    let mut expressions = members(&selector, "matchExpressions");
    let is_ours = |one: &Json| one["key"] == NAME_LABEL && one["operator"] == "NotIn";
    let mut names = Vec::new();
    if let Some(at) = expressions.iter().position(is_ours) {
        names = members(&expressions.remove(at), "values");
    }
    for namespace in exempt {
        if !names.contains(&Json::from(*namespace)) {
            names.push((*namespace).into());
        }
    }
    expressions.push(json!({"key": NAME_LABEL, "operator": "NotIn", "values": names}));
    if let Some(fields) = selector.as_object_mut() {
        fields.insert("matchExpressions".to_owned(), expressions.into());
    }
    selector
}

/// Returns the hook's `matchConditions` with one more, which is false for `resources`.
fn conditions(written: &Json, resources: &[&str]) -> Json {
    let mut conditions = members(written, CONDITIONS);
    let is_taken = |name: &str| conditions.iter().any(|one| one["name"] == name);
    let mut name = NOT_BUSY.to_owned();
    while is_taken(&name) {
        name.push_str("-too");
    }
    let quoted: Vec<String> = resources.iter().map(|resource| format!("\"{resource}\"")).collect();
    let expression = format!("!(request.resource.resource in [{}])", quoted.join(", "));
    conditions.push(json!({"name": name, "expression": expression}));
    conditions.into()
}

fn members(object: &Json, field: &str) -> Vec<Json> {
    object.get(field).and_then(Json::as_array).cloned().unwrap_or_default()
}

/// Returns a value as YAML in flow style, on one line.
fn flow(value: &Json) -> String {
    match value {
        Json::Object(fields) => {
            let fields: Vec<String> = fields.iter().map(|(key, value)| format!("{}: {}", scalar(key), flow(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Json::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Json::String(text) => scalar(text),
        other => other.to_string(),
    }
}

/// Returns a text as a YAML scalar, in quotes where YAML would read it as something else than this text.
fn scalar(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c))
        && yaml_serde::from_str::<Json>(text).is_ok_and(|read| read == text);
    if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exempt(namespaces: &[&str]) -> Vec<Found> {
        namespaces.iter().map(|one| Found::new("", "", Advice::Exempt((*one).to_owned()))).collect()
    }

    #[test]
    fn namespaces_of_all_findings_are_in_one_selector_beside_what_it_has() {
        let named = |names: Json| json!({"key": NAME_LABEL, "operator": "NotIn", "values": names});
        let other = json!({"key": "team", "operator": "Exists"});
        let table = [
            (json!({}), json!([named(json!(["own", "kube-system"]))])),
            (json!({"matchExpressions": [other]}), json!([other, named(json!(["own", "kube-system"]))])),
            (
                json!({"matchExpressions": [named(json!(["x", "own"])), other]}),
                json!([other, named(json!(["x", "own", "kube-system"]))]),
            ),
        ];
        for (selector, expected) in table {
            let changes = of(&json!({"namespaceSelector": selector}), &exempt(&["own", "kube-system"]));
            assert_eq!(changes[0], changes[1], "whichever is made");
            assert_eq!(changes[0].set["namespaceSelector"]["matchExpressions"], expected);
        }
        let kept = of(&json!({"namespaceSelector": {"matchLabels": {"a": "b"}}}), &exempt(&["own"]));
        assert_eq!(kept[0].set["namespaceSelector"]["matchLabels"], json!({"a": "b"}));
    }

    #[test]
    fn a_text_is_yaml_of_the_same_value() {
        let values = [
            json!({"a": ["*", "yes", "null", "1", "it's", "", "x: y", "apps/v1", true, 5, null], "b c": {}}),
            json!([{"expression": "!(x in [\"a\"])", "name": "not-busy"}]),
        ];
        for value in values {
            assert_eq!(yaml_serde::from_str::<Json>(&flow(&value)).unwrap(), value, "{}", flow(&value));
        }
    }

    #[test]
    fn a_condition_joins_those_that_are_there() {
        let written = json!({"matchConditions": [{"name": "not-busy", "expression": "true"}]});
        let found = [Found::new("", "", Advice::LeaveOut(vec!["leases", "events"]))];
        let expected = json!([{"name": "not-busy", "expression": "true"},
            {"name": "not-busy-too", "expression": "!(request.resource.resource in [\"leases\", \"events\"])"}]);
        assert_eq!(of(&written, &found)[0].set["matchConditions"], expected);
    }
}
