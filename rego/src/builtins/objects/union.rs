//! `object.union` and `object.union_n` (`v1/topdown/object.go`).

use std::sync::Arc;

use hashbrown::HashTable;
use smallvec::SmallVec;

use super::super::operand::{array, at, object, wrong_member};
use super::super::{BuiltinError, Context};
use crate::limits::{Account, Halt};
use crate::value::{Object, ObjectBuilder, Value, deep};

type Answer = Result<Option<Value>, BuiltinError>;

pub(super) fn union(context: &mut Context, operands: &[&Value]) -> Answer {
    let (a, b) = (object(operands, 0)?, object(operands, 1)?);
    let (first, second) = (at(operands, 0)?, at(operands, 1)?);
    if a.is_empty() {
        return Ok(Some(second.clone()));
    }
    if b.is_empty() || first.equal_within(second, &mut context.account)? {
        return Ok(Some(first.clone()));
    }
    Ok(Some(Value::Object(Arc::new(a.union(b, &mut context.account)?))))
}

/// The last value of a key counts. Objects are merged with those before them, up to one that is none.
pub(super) fn union_n(context: &mut Context, operands: &[&Value]) -> Answer {
    let items = array(operands, 0)?;
    let objects: Vec<&Arc<Object>> = items
        .iter()
        .rev()
        .map(|item| if let Value::Object(object) = item { Ok(object) } else { Err(item) })
        .collect::<Result<_, _>>()
        .map_err(|_| not_an_object(operands, items))?;
    match items {
        [] => Ok(Some(Value::object([]))),
        [one] => Ok(Some(one.clone())),
        _ => Ok(Some(merged(context, &objects)?)),
    }
}

/// The error of the first that is none.
fn not_an_object(operands: &[&Value], items: &[Value]) -> BuiltinError {
    let other = items.iter().find(|item| item.as_object().is_none()).unwrap_or(&Value::Null);
    wrong_member(0, operands.first().copied().unwrap_or(&Value::Null), other, "object")
}

/// Of these objects, the last first.
fn merged(context: &mut Context, objects: &[&Arc<Object>]) -> Result<Value, Halt> {
    if let [one] = objects {
        return Ok(Value::Object((*one).clone()));
    }
    let depth = objects.iter().map(|object| object.depth()).max().unwrap_or(0);
    deep::level(depth, || {
        let mut by_key = ByKey::default();
        for (key, value) in objects.iter().flat_map(|object| object.iter()) {
            by_key.add(key, value, &mut context.account)?;
        }
        let mut result = ObjectBuilder::with_capacity(by_key.members.len());
        for (key, values) in by_key.members {
            result.insert(key.clone(), last(context, values.into_iter())?);
        }
        result.finish_within(&mut context.account)
    })
}

/// The values of several objects, by their keys.
#[derive(Default)]
struct ByKey<'v> {
    members: Vec<(&'v Value, SmallVec<[&'v Value; 2]>)>,
    /// Where they are, by the hashes of the keys.
    places: HashTable<(u64, usize)>,
}

impl<'v> ByKey<'v> {
    fn add(&mut self, key: &'v Value, value: &'v Value, account: &mut Account) -> Result<(), Halt> {
        account.charge(size_of::<(Value, Value)>())?;
        let hash = key.hash_within(account)?;
        // Keys with one hash are equal but by chance: comparing them costs what they hold.
        account.step(if key.as_collection().is_some() { u64::from(key.nodes()) } else { 0 })?;
        let is_it = |(known, at): &(u64, usize)| *known == hash && self.members.get(*at).is_some_and(|(other, _)| *other == key);
        match self.places.find(hash, is_it).and_then(|(_, at)| self.members.get_mut(*at)) {
            Some((_, values)) => values.push(value),
            None => {
                self.places.insert_unique(hash, (hash, self.members.len()), |(hash, _)| *hash);
                self.members.push((key, SmallVec::from_iter([value])));
            }
        }
        Ok(())
    }
}

/// What comes of the values of one key, the last first.
fn last<'v>(context: &mut Context, mut values: impl Iterator<Item = &'v Value>) -> Result<Value, Halt> {
    let Some(first) = values.next() else { return Ok(Value::Null) };
    let Value::Object(first) = first else { return Ok(first.clone()) };
    let mut objects = vec![first];
    for value in values {
        context.account.step(1)?;
        let Value::Object(object) = value else { break };
        objects.push(object);
    }
    merged(context, &objects)
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{answer, call, context, limited};
    use crate::limits::Limits;
    use crate::value::Value;

    /// As OPA 1.22 answers with `--strict-builtin-errors`.
    #[test]
    fn unions_are_those_of_opa() {
        let mut context = context();
        for (name, operands, expected) in [
            ("object.union", r#"[{"a": 1.0}, {"a": 1}]"#, r#"{"a": 1.0}"#),
            ("object.union", r#"[{"a": 1.0, "b": 1}, {"a": 1}]"#, r#"{"a": 1, "b": 1}"#),
            ("object.union", r#"[{"a": {"b": 1}}, {"a": {"c": 2}, "d": 3}]"#, r#"{"a": {"b": 1, "c": 2}, "d": 3}"#),
            ("object.union", r#"[{"a": {"b": 1}}, {"a": 2}]"#, r#"{"a": 2}"#),
            ("object.union", "[{}, []]", "eval_type_error: object.union: operand 2 must be object but got array"),
            ("object.union_n", r#"[[{"a": {"b": 2}}, {"a": 4}, {"a": {"c": 3}}]]"#, r#"{"a": {"c": 3}}"#),
            (
                "object.union_n",
                r#"[[{"a": {"b": 2}}, {"a": {"c": {"d": 1}}}, {"a": {"c": {"e": 2}}, "b": 1}]]"#,
                r#"{"a": {"b": 2, "c": {"d": 1, "e": 2}}, "b": 1}"#,
            ),
            (
                "object.union_n",
                r#"[[{"a": {"x": {"p": 1}}}, {"a": {"x": 1}}, {"a": {"x": {"q": 1}}}]]"#,
                r#"{"a": {"x": {"q": 1}}}"#,
            ),
            ("object.union_n", "[[]]", "{}"),
            ("object.union_n", r#"[[{"a": 1}]]"#, r#"{"a": 1}"#),
            (
                "object.union_n",
                r#"[[{"a": 1}, "x", 1]]"#,
                "eval_type_error: object.union_n: operand 1 must be array of objects but got array containing string",
            ),
        ] {
            assert_eq!(answer(&mut context, name, operands), expected, "{name} {operands}");
        }
    }

    #[test]
    fn shared_and_deep_objects_end_within_limits() {
        let nested = |times: u32, both: bool, end: i64| {
            (0..times).fold(Value::Int(end), |value, _| {
                let mut members = vec![("a".into(), value.clone())];
                if both {
                    members.push(("b".into(), value));
                }
                Value::object(members)
            })
        };
        let mut context = limited(Limits { steps: 100_000, ..Limits::default() });
        for (name, operands) in [
            ("object.union", vec![nested(60, true, 1), nested(60, true, 2)]),
            ("object.union_n", vec![Value::array([nested(60, true, 1), nested(60, true, 2)])]),
        ] {
            assert!(call(&mut context, name, &operands).is_err(), "{name}");
        }
        let mut context = limited(Limits::default());
        let pair = [nested(5_000, false, 1), nested(5_000, false, 2)];
        assert_eq!(call(&mut context, "object.union", &pair), Ok(Some(pair[1].clone())));
        assert_eq!(call(&mut context, "object.union_n", &[Value::array(pair.clone())]), Ok(Some(pair[1].clone())));
    }
}
