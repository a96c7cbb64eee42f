//! `object.get`, `keys`, `remove` and `filter` (`v1/topdown/object.go`).

use std::sync::Arc;

use super::super::operand::{at, object, wrong};
use super::super::{BuiltinError, Context};
use crate::limits::Halt;
use crate::value::{Object, ObjectBuilder, Set, Value};

type Answer = Result<Option<Value>, BuiltinError>;

pub(super) fn get(context: &mut Context, operands: &[&Value]) -> Answer {
    Ok(select(context, operands)?.cloned())
}

/// An array is a path.
pub(super) fn select<'v>(context: &mut Context, operands: &[&'v Value]) -> Result<Option<&'v Value>, BuiltinError> {
    let object = object(operands, 0)?;
    let (path, default) = (at(operands, 1)?, at(operands, 2)?);
    let Value::Array(path) = path else {
        return Ok(Some(object.get_within(path, &mut context.account)?.unwrap_or(default)));
    };
    let mut found = at(operands, 0)?;
    for key in path.items() {
        context.account.step(1)?;
        let next = match found {
            // A member is found as the path writes it.
            Value::Set(set) => set.get_within(key, &mut context.account)?.map(|_| key),
            other => other.get_within(key, &mut context.account)?,
        };
        let Some(next) = next else { return Ok(Some(default)) };
        found = next;
    }
    Ok(Some(found))
}

pub(super) fn keys(context: &mut Context, operands: &[&Value]) -> Answer {
    let keys = object(operands, 0)?.keys();
    context.account.charge(size_of_val(keys))?;
    Ok(Some(Value::Set(Arc::new(Set::new_within(keys.to_vec(), &mut context.account)?))))
}

pub(super) fn remove(context: &mut Context, operands: &[&Value]) -> Answer {
    let (object, unwanted) = (object(operands, 0)?, listed(context, operands)?);
    pay(context, object)?;
    let left = object.try_filtered(|key| Ok::<_, Halt>(unwanted.get_within(key, &mut context.account)?.is_none()))?;
    Ok(Some(Value::Object(Arc::new(left))))
}

/// Of keys that are equal, those of the larger collection are kept (`v1/ast/term.go`, `filterObject`).
pub(super) fn filter(context: &mut Context, operands: &[&Value]) -> Answer {
    let (object, wanted) = (object(operands, 0)?, listed(context, operands)?);
    pay(context, object)?;
    if object.len() >= wanted.len() {
        let kept = object.try_filtered(|key| Ok::<_, Halt>(wanted.get_within(key, &mut context.account)?.is_some()))?;
        return Ok(Some(Value::Object(Arc::new(kept))));
    }
    let mut kept = ObjectBuilder::default();
    for key in wanted.members() {
        if let Some(value) = object.get_within(key, &mut context.account)? {
            kept.insert(key.clone(), value.clone());
        }
    }
    Ok(Some(kept.finish_within(&mut context.account)?))
}

fn pay(context: &mut Context, object: &Object) -> Result<(), BuiltinError> {
    Ok(context.account.charge(object.len().saturating_add(1).saturating_mul(size_of::<(Value, Value)>()))?)
}

/// Keys that an array, a set, or an object names.
fn listed(context: &mut Context, operands: &[&Value]) -> Result<Arc<Set>, BuiltinError> {
    let keys = match at(operands, 1)? {
        Value::Set(set) => return Ok(set.clone()),
        Value::Array(array) => array.items(),
        Value::Object(object) => object.keys(),
        other => return Err(wrong(1, other, &["object", "set", "array"])),
    };
    context.account.charge(size_of_val(keys))?;
    Ok(Arc::new(Set::new_within(keys.to_vec(), &mut context.account)?))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{answer, context};

    /// As OPA 1.22 answers with `--strict-builtin-errors`.
    #[test]
    fn keys_are_those_of_opa() {
        let mut context = context();
        for (name, operands, expected) in [
            ("object.get", r#"[{"a": {"b": [1, 2]}}, "a", 0]"#, r#"{"b": [1, 2]}"#),
            ("object.get", r#"[{"a": {"b": [1, 2]}}, ["a", "b", 1.0], 0]"#, "2"),
            ("object.get", r#"[{"a": {"b": [1, 2]}}, ["a", "b", 1e0], 0]"#, "0"),
            ("object.get", r#"[{"a": {"b": [1, 2]}}, ["a", "c"], 0]"#, "0"),
            ("object.get", r#"[{"a": 1}, ["a", "c"], 0]"#, "0"),
            ("object.get", r#"[{"a": 1}, [], 0]"#, r#"{"a": 1}"#),
            ("object.get", r#"[{"a": false}, "a", 0]"#, "false"),
            ("object.get", r#"[[1], 0, 0]"#, "eval_type_error: object.get: operand 1 must be object but got array"),
            ("object.keys", r#"[{"b": 1, "a": 2}]"#, r#"{"a", "b"}"#),
            ("object.keys", "[{}]", "set()"),
            ("object.remove", r#"[{"a": 1, "b": 2}, ["a", "c"]]"#, r#"{"b": 2}"#),
            ("object.remove", r#"[{"a": 1, "b": 2}, {"b": 1}]"#, r#"{"a": 1}"#),
            (
                "object.remove",
                r#"[{"a": 1}, "a"]"#,
                "eval_type_error: object.remove: operand 2 must be one of {object, set, array} but got string",
            ),
            ("object.filter", r#"[{"a": 1, "b": {"c": 2}}, ["b", "c"]]"#, r#"{"b": {"c": 2}}"#),
            ("object.filter", r#"[{"a": 1}, {"a": 2, "c": 1}]"#, r#"{"a": 1}"#),
            ("object.filter", "[{}, []]", "{}"),
        ] {
            assert_eq!(answer(&mut context, name, operands), expected, "{name} {operands}");
        }
    }

    #[test]
    fn equal_keys_are_written_as_in_opa() {
        use super::super::super::testing::call;
        use crate::value::Value;
        let one = |text: &str| Value::number(text).unwrap();
        let object = Value::object([(one("1"), Value::Null)]);
        let found = call(&mut context(), "object.filter", &[object.clone(), Value::array([one("1.0"), one("2")])]);
        assert_eq!(found.map(|value| value.unwrap().to_string()), Ok("{1.0: null}".to_owned()));
        let found = call(&mut context(), "object.filter", &[object, Value::array([one("1.0")])]);
        assert_eq!(found.map(|value| value.unwrap().to_string()), Ok("{1: null}".to_owned()));
        let sets = Value::object([("a".into(), Value::set([one("1.0")]))]);
        let found = call(&mut context(), "object.get", &[sets, Value::array(["a".into(), one("1")]), Value::Null]);
        assert_eq!(found.map(|value| value.unwrap().to_string()), Ok("1".to_owned()));
    }
}
