//! `len`, `index`, `slice`.

use super::super::value::Data;
use super::Fault;
use crate::value::Value;

pub(super) fn len(data: &Data) -> Result<Data, Fault> {
    let length = match data {
        Data::Text(text) | Data::Number(text) => text.len(),
        Data::Collection(Value::Object(object)) => object.len(),
        Data::Collection(other) => other.as_array().unwrap_or_default().len(),
        Data::Missing | Data::Null => {
            return Err("reflect: call of reflect.Value.Type on zero Value".to_owned().into());
        }
        other => return Err(format!("len of type {}", other.type_name()).into()),
    };
    Ok(Data::Int(i64::try_from(length).unwrap_or(i64::MAX)))
}

pub(super) fn index(first: &Data, keys: &[Data]) -> Result<Data, Fault> {
    if matches!(first, Data::Missing | Data::Null) {
        return Err("index of untyped nil".to_owned().into());
    }
    let mut found = first.clone();
    for key in keys {
        found = match (&found, key) {
            (Data::Collection(Value::Object(object)), Data::Text(key)) => {
                object.get(&Value::from(key.as_str())).map_or(Data::Null, |value| Data::of(value.clone()))
            }
            (Data::Collection(Value::Object(_)), Data::Missing | Data::Null) => {
                return Err("value is nil; should be string".to_owned().into());
            }
            (Data::Collection(Value::Object(_)), key) => {
                return Err(format!("value has type {}; should be string", key.type_name()).into());
            }
            (Data::Collection(other), key) => {
                let items = other.as_array().unwrap_or_default();
                items.get(place(key, items.len(), false)?).map_or(Data::Null, |value| Data::of(value.clone()))
            }
            (Data::Text(text) | Data::Number(text), key) => {
                let byte = text.as_bytes().get(place(key, text.len(), false)?).copied();
                Data::Int(byte.unwrap_or_default().into())
            }
            (Data::Missing | Data::Null, _) => return Err("index of nil pointer".to_owned().into()),
            (other, _) => return Err(format!("can't index item of type {}", other.type_name()).into()),
        };
    }
    Ok(found)
}

/// An index within a length; a bound may be the length itself.
pub(super) fn place(key: &Data, length: usize, is_bound: bool) -> Result<usize, Fault> {
    let number = match key {
        Data::Int(number) => *number,
        Data::Missing | Data::Null => return Err("cannot index slice/array with nil".to_owned().into()),
        other => return Err(format!("cannot index slice/array with type {}", other.type_name()).into()),
    };
    let at = usize::try_from(number).ok().filter(|at| *at < length || is_bound && *at == length);
    at.ok_or_else(|| format!("index out of range: {number}").into())
}

pub(super) fn slice(first: &Data, bounds: &[Data]) -> Result<Data, Fault> {
    let length = match first {
        Data::Text(text) | Data::Number(text) => text.len(),
        Data::Collection(value @ Value::Array(_)) => value.as_array().unwrap_or_default().len(),
        Data::Missing | Data::Null => return Err("slice of untyped nil".to_owned().into()),
        other => return Err(format!("can't slice item of type {}", other.type_name()).into()),
    };
    let bound = |at: usize, default: usize| bounds.get(at).map_or(Ok(default), |bound| place(bound, length, true));
    let (from, to) = (bound(0, 0)?, bound(1, length)?);
    if bounds.len() > 3 {
        return Err(format!("too many slice indexes: {}", bounds.len()).into());
    }
    if from > to {
        return Err(format!("invalid slice index: {from} > {to}").into());
    }
    Ok(match first {
        Data::Collection(value) => {
            let items = value.as_array().unwrap_or_default();
            Data::Collection(Value::array(items.get(from..to).unwrap_or_default().iter().cloned()))
        }
        Data::Text(text) | Data::Number(text) => {
            Data::Text(crate::builtins::bytes::text(text.as_bytes().get(from..to).unwrap_or_default().to_vec()))
        }
        other => other.clone(),
    })
}
