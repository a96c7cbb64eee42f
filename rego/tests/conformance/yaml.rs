//! YAML as the values that OPA's own reader of the cases makes of it, and values as JSON has them.

use plimsoll_rego::value::Value;
use plimsoll_rego::value::json::write;
use yaml_serde::Value as Yaml;

/// The value; keys become strings, and floating-point numbers the shortest that are read back.
pub(super) fn value(yaml: &Yaml) -> Value {
    match yaml {
        Yaml::Null => Value::Null,
        Yaml::Bool(value) => Value::from(*value),
        Yaml::Number(number) => {
            let whole = number.as_i64().map(Value::Int).or_else(|| number.as_u64().and_then(|n| Value::number(&n.to_string())));
            whole.or_else(|| number.as_f64().and_then(Value::from_f64)).unwrap_or(Value::Null)
        }
        Yaml::String(text) => Value::from(text.as_str()),
        Yaml::Sequence(items) => Value::array(items.iter().map(value)),
        Yaml::Mapping(members) => Value::object(members.iter().map(|(key, member)| (text(value(key)), value(member)))),
        Yaml::Tagged(tagged) => value(&tagged.value),
    }
}

/// As `ast.JSON` has it: sets are arrays, keys are strings.
pub(super) fn plain(of: &Value) -> Value {
    match of {
        Value::Array(items) => Value::array(items.items().iter().map(plain)),
        Value::Set(members) => Value::array(members.members().iter().map(plain)),
        Value::Object(members) => Value::object(members.iter().map(|(key, member)| (text(plain(key)), plain(member)))),
        other => other.clone(),
    }
}

fn text(key: Value) -> Value {
    match key {
        Value::String(_) => key,
        other => Value::from(write(&other, usize::MAX).unwrap()),
    }
}
