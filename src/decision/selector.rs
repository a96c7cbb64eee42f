//! Cluster selectors of federation v1: requirements on cluster labels, read exactly as its controllers read them.

use serde_json::Value as Json;

use super::output::brief;
use super::syntax::{label_value, qualified_name};

/// A value that the controllers could not read: they would then place the object nowhere (T19).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectorError {
    /// Not JSON.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// A wrong type or a wrong value.
    #[error("{place} is {found}, not {expected}")]
    Shape {
        /// Which part.
        place: String,
        /// What is there.
        found: String,
        /// What is read.
        expected: &'static str,
    },
    /// A key that would be ignored.
    #[error("requirement {index} has the unknown key `{key}`; known are key, operator, values")]
    UnknownKey {
        /// Which requirement, from 0.
        index: usize,
        /// The key.
        key: String,
    },
    /// Too many or too few values.
    #[error("requirement {index}: operator `{operator}` takes {takes}, found {found}")]
    Values {
        /// Which requirement, from 0.
        index: usize,
        /// The operator.
        operator: String,
        /// What it takes.
        takes: &'static str,
        /// How many there are.
        found: usize,
    },
}

/// The number of values that an operator takes.
#[derive(Clone, Copy)]
enum Arity {
    None,
    One,
    OneInteger,
    Some,
}

/// Checks the value of a cluster-selector annotation.
pub fn check(text: &str) -> Result<(), SelectorError> {
    let value: Json = serde_json::from_str(text).map_err(|error| SelectorError::NotJson(error.to_string()))?;
    let requirements = value.as_array().ok_or_else(|| shape("the value".into(), &value, "an array of requirements"))?;
    requirements.iter().enumerate().try_for_each(|(index, requirement)| check_requirement(index, requirement))
}

fn check_requirement(index: usize, requirement: &Json) -> Result<(), SelectorError> {
    let place = |part: &str| format!("requirement {index}{part}");
    let members = requirement.as_object().ok_or_else(|| shape(place(""), requirement, "an object"))?;
    if let Some(key) = members.keys().find(|key| !["key", "operator", "values"].contains(&key.as_str())) {
        return Err(SelectorError::UnknownKey { index, key: key.clone() });
    }
    let part = |name: &str| members.get(name).unwrap_or(&Json::Null);
    let label = part("key");
    if !label.as_str().is_some_and(qualified_name) {
        return Err(shape(place(": `key`"), label, "a label key"));
    }
    let operator = part("operator");
    let (name, arity) = operator
        .as_str()
        .and_then(|name| Some((name, arity_of(name)?)))
        .ok_or_else(|| shape(place(": `operator`"), operator, OPERATORS))?;
    check_values(index, name, arity, part("values"))
}

const OPERATORS: &str = "one of in, In, notin, NotIn, exists, Exists, !, DoesNotExist, =, ==, !=, gt, Gt, >, lt, Lt, <";

fn arity_of(operator: &str) -> Option<Arity> {
    Some(match operator {
        "in" | "In" | "notin" | "NotIn" => Arity::Some,
        "exists" | "Exists" | "!" | "DoesNotExist" => Arity::None,
        "=" | "==" | "!=" => Arity::One,
        "gt" | "Gt" | ">" | "lt" | "Lt" | "<" => Arity::OneInteger,
        _ => return None,
    })
}

fn check_values(index: usize, operator: &str, arity: Arity, values: &Json) -> Result<(), SelectorError> {
    let place = || format!("requirement {index}: `values`");
    let values = match values {
        Json::Null => [].as_slice(),
        Json::Array(values) => values,
        other => return Err(shape(place(), other, "an array of strings")),
    };
    let readable = |value: &&Json| value.as_str().is_some_and(label_value);
    if let Some(value) = values.iter().find(|value| !readable(value)) {
        return Err(shape(place(), value, "a label's value, as a string"));
    }
    let (fits, takes) = match arity {
        Arity::None => (values.is_empty(), "no values"),
        Arity::One => (values.len() == 1, "exactly one value"),
        Arity::Some => (!values.is_empty(), "at least one value"),
        Arity::OneInteger => (matches!(values, [value] if is_integer(value)), "exactly one integer"),
    };
    if fits { Ok(()) } else { Err(SelectorError::Values { index, operator: operator.into(), takes, found: values.len() }) }
}

fn is_integer(value: &Json) -> bool {
    value.as_str().is_some_and(|text| text.parse::<i64>().is_ok())
}

fn shape(place: String, found: &Json, expected: &'static str) -> SelectorError {
    SelectorError::Shape { place, found: brief(found), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_in_both_spellings_is_read() {
        let cases = [
            (r#""values":["eu","us"]"#, &["in", "In", "notin", "NotIn"][..]),
            (r#""values":["eu"]"#, &["=", "==", "!="][..]),
            (r#""values":["7"]"#, &["gt", "Gt", ">", "lt", "Lt", "<"][..]),
            (r#""values":[]"#, &["exists", "Exists", "!", "DoesNotExist"][..]),
        ];
        for (values, operators) in cases {
            for operator in operators {
                let text = format!(r#"[{{"key":"example.com/zone","operator":"{operator}",{values}}}]"#);
                assert_eq!(check(&text), Ok(()), "{text}");
            }
        }
        for text in ["[]", r#"[{"key":"a","operator":"exists"}]"#] {
            assert_eq!(check(text), Ok(()));
        }
    }

    #[test]
    fn t19_a_selector_that_cannot_be_read_is_refused_like_preferences() {
        let cases = [
            ("federation.kubernetes.io/federation-control-plane=true", "not JSON"),
            ("{}", "the value is {}, not an array of requirements"),
            (r#"[1]"#, "requirement 0 is 1, not an object"),
            (r#"[{"key":"on-premises","operator":"=","values":"[true]"}]"#, "`values` is \"[true]\", not an array of strings"),
            (r#"[{"key":"a","operator":"~","values":["x"]}]"#, "`operator` is \"~\", not one of in"),
            (r#"[{"key":"a","values":["x"]}]"#, "`operator` is null"),
            (r#"[{"operator":"exists"}]"#, "`key` is null, not a label key"),
            (r#"[{"key":"a b","operator":"exists"}]"#, "`key` is \"a b\", not a label key"),
            (r#"[{"key":"a","operator":"in","values":[]}]"#, "operator `in` takes at least one value, found 0"),
            (r#"[{"key":"a","operator":"=","values":["x","y"]}]"#, "takes exactly one value, found 2"),
            (r#"[{"key":"a","operator":"exists","values":["x"]}]"#, "takes no values, found 1"),
            (r#"[{"key":"a","operator":"gt","values":["x"]}]"#, "takes exactly one integer"),
            (r#"[{"key":"a","operator":"in","values":[true]}]"#, "`values` is true, not a label's value"),
            (r#"[{"key":"a","operator":"in","values":["a b"]}]"#, "`values` is \"a b\", not a label's value"),
            (r#"[{"Key":"a","operator":"exists"}]"#, "unknown key `Key`"),
        ];
        for (text, expected) in cases {
            let error = check(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
