//! JSON as the cases mean it: from YAML, and with one form for each number.

use serde_json::{Map, Value as Json};
use yaml_serde::Value as Yaml;

/// YAML as JSON; keys become strings, as in OPA's own reader.
pub(super) fn from_yaml(yaml: &Yaml) -> Json {
    match yaml {
        Yaml::Null => Json::Null,
        Yaml::Bool(b) => Json::Bool(*b),
        Yaml::Number(n) => serde_json::from_str(&n.to_string()).unwrap_or(Json::Null),
        Yaml::String(s) => Json::String(s.clone()),
        Yaml::Sequence(items) => items.iter().map(from_yaml).collect(),
        Yaml::Mapping(members) => Json::Object(members.iter().map(|(k, v)| (key(k), from_yaml(v))).collect::<Map<_, _>>()),
        Yaml::Tagged(tagged) => from_yaml(&tagged.value),
    }
}

fn key(yaml: &Yaml) -> String {
    match from_yaml(yaml) {
        Json::String(s) => s,
        other => other.to_string(),
    }
}

/// `2.0` and `2` are one number in Rego, written either way.
pub(super) fn plain(json: &Json) -> Json {
    match json {
        Json::Number(n) => match n.as_f64() {
            Some(float) if !n.is_i64() && !n.is_u64() && float.fract() == 0.0 && float.abs() < 1e15 => {
                serde_json::from_str(&format!("{float:.0}")).unwrap()
            }
            Some(float) if !n.is_i64() && !n.is_u64() => serde_json::Number::from_f64(float).map_or(Json::Null, Json::Number),
            _ => json.clone(),
        },
        Json::Array(items) => items.iter().map(plain).collect(),
        Json::Object(members) => members.iter().map(|(k, v)| (k.clone(), plain(v))).collect(),
        other => other.clone(),
    }
}
