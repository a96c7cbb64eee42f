//! YAML to values, and to text as Go writes it.

use yaml_serde::Value as Yaml;

use super::error::AnnotationError;
use crate::value::Value;

/// A value of YAML as JSON would have it; keys that are no strings are refused.
pub(super) fn value(yaml: &Yaml, path: &str) -> Result<Value, AnnotationError> {
    Ok(match yaml {
        Yaml::Null => Value::Null,
        Yaml::Bool(value) => Value::from(*value),
        Yaml::Number(number) => self::number(number),
        Yaml::String(text) => Value::from(text.as_str()),
        Yaml::Sequence(items) => {
            let items = items.iter().enumerate().map(|(index, item)| value(item, &below(path, &index.to_string())));
            Value::array(items.collect::<Result<Vec<_>, _>>()?)
        }
        Yaml::Mapping(members) => mapping(members, path)?,
        Yaml::Tagged(tagged) => value(&tagged.value, path)?,
    })
}

/// The members of a mapping.
pub(super) fn mapping(members: &yaml_serde::Mapping, path: &str) -> Result<Value, AnnotationError> {
    let member = |(key, item): (&Yaml, &Yaml)| {
        let Yaml::String(key) = key else { return Err(AnnotationError::KeyType(path.to_owned())) };
        Ok((Value::from(key.as_str()), value(item, &below(path, key))?))
    };
    Ok(Value::object(members.iter().map(member).collect::<Result<Vec<_>, _>>()?))
}

fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}/{key}") }
}

/// A number as Go's JSON writes it: whole doubles without a fraction.
fn number(number: &yaml_serde::Number) -> Value {
    if number.is_f64() {
        return number.as_f64().and_then(Value::from_f64).unwrap_or(Value::Null);
    }
    Value::number(&number.to_string()).unwrap_or(Value::Null)
}

/// As Go's `%s` writes what it read.
pub(super) fn shown(yaml: &Yaml) -> String {
    match yaml {
        Yaml::Null => "%!s(<nil>)".to_owned(),
        Yaml::Bool(value) => format!("%!s(bool={value})"),
        Yaml::Number(number) if number.is_f64() => format!("%!s(float64={number})"),
        Yaml::Number(number) => format!("%!s(int={number})"),
        Yaml::String(text) => text.clone(),
        Yaml::Sequence(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(" ")),
        Yaml::Mapping(members) => {
            let mut members: Vec<_> = members.iter().map(|(key, value)| format!("{}:{}", shown(key), shown(value))).collect();
            members.sort();
            format!("map[{}]", members.join(" "))
        }
        Yaml::Tagged(tagged) => shown(&tagged.value),
    }
}
