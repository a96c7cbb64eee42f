//! What lies below a type (`v1/types/types.go`, `Select`, `Keys`, `Values`).

use super::join::{or, or_all};
use super::lattice::{Array, Object, Type, any};
use crate::value::Value;

/// The type of a value.
pub(crate) fn of_value(value: &Value) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::False | Value::True => Type::Boolean,
        Value::Int(_) | Value::Number(_) => Type::Number,
        Value::String(_) => Type::String,
        Value::Array(array) => Type::array(array.items().iter().map(|item| Some(of_value(item))).collect(), None),
        // Where OPA asks for the type of a value, a set is the array of its members.
        Value::Set(set) => Type::array(set.members().iter().map(|item| Some(of_value(item))).collect(), None),
        Value::Object(object) => {
            Type::object(object.iter().map(|(key, value)| (key.clone(), Some(of_value(value)))).collect(), None)
        }
    }
}

/// The type of what a constant key finds.
pub(crate) fn select(of: &Type, key: &Value) -> Option<Type> {
    match of {
        Type::Array(array) => item(array, key),
        Type::Object(object) => member(object, key),
        Type::Set(members) => element(members.0.as_ref()?, key),
        Type::Any(union) if union.0.is_empty() => Some(any()),
        Type::Any(union) => union.0.iter().fold(None, |found, one| or(select(one, key), found)),
        _ => None,
    }
}

/// An index that is written with a fraction finds nothing, though `1.0` is the number 1.
fn item(array: &Array, key: &Value) -> Option<Type> {
    let at: i64 = match key {
        Value::Int(at) => *at,
        Value::Number(number) => number.text().parse().ok()?,
        _ => return None,
    };
    let at = usize::try_from(at).ok()?;
    array.fixed.get(at).unwrap_or(&array.dynamic).clone()
}

/// The type of a member with a constant key.
pub(crate) fn member(object: &Object, key: &Value) -> Option<Type> {
    if let Ok(at) = object.fixed.binary_search_by(|(probe, _)| probe.cmp(key)) {
        return object.fixed.get(at).and_then(|(_, value)| value.clone());
    }
    let dynamic = object.dynamic.as_ref()?;
    if contains(dynamic.key.as_ref(), &of_value(key)) { dynamic.value.clone() } else { None }
}

fn element(of: &Type, key: &Value) -> Option<Type> {
    let found = of_value(key);
    match of {
        Type::Any(union) => union.contains(&found).then_some(found),
        _ => (*of == found).then_some(found),
    }
}

/// Whether a type takes all of another one (`Contains`).
pub(crate) fn contains(of: Option<&Type>, other: &Type) -> bool {
    match of {
        Some(Type::Any(union)) => union.contains(other),
        Some(of) => of == other,
        None => false,
    }
}

/// The type of the keys that can be gone through.
pub(crate) fn keys(of: &Type) -> Option<Type> {
    match of {
        Type::Array(_) => Some(Type::Number),
        Type::Object(object) => {
            let dynamic = object.dynamic.as_ref().and_then(|dynamic| dynamic.key.clone());
            or_all(object.fixed.iter().map(|(key, _)| Some(of_value(key))).chain([dynamic]))
        }
        Type::Set(members) => members.0.clone(),
        Type::Any(union) if union.0.is_empty() => Some(any()),
        Type::Any(union) => or_all(union.0.iter().map(keys)),
        _ => None,
    }
}

/// The type of the values that can be gone through.
pub(crate) fn values(of: &Type) -> Option<Type> {
    match of {
        Type::Array(array) => or_all(array.fixed.iter().cloned().chain([array.dynamic.clone()])),
        Type::Object(object) => {
            let dynamic = object.dynamic.as_ref().and_then(|dynamic| dynamic.value.clone());
            or_all(object.fixed.iter().map(|(_, value)| value.clone()).chain([dynamic]))
        }
        Type::Set(members) => members.0.clone(),
        Type::Any(union) if union.0.is_empty() => Some(any()),
        Type::Any(union) => or_all(union.0.iter().map(values)),
        _ => None,
    }
}

/// Whether it is the type of a collection that can hold nothing (`isEmptyCollectionType`).
pub(crate) fn is_empty_collection(of: &Type) -> bool {
    match of {
        Type::Array(array) => array.fixed.is_empty() && array.dynamic.is_none(),
        Type::Object(object) => object.fixed.is_empty() && object.dynamic.is_none(),
        Type::Set(members) => members.0.is_none(),
        _ => false,
    }
}
