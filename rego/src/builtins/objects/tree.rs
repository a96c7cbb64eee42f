//! A document while it is patched, as OPA's `internal/edittree` changes it. Of an array it remembers what it was: the way to an
//! item that no operation has touched leads to the item that stood there at first, whatever was taken out before it.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

use super::super::{BuiltinError, Context};
use super::patch::shown;
use crate::limits::Halt;
use crate::value::{Value, deep};

/// A part of the document: what it was at first, and what became of it.
pub(super) struct Tree {
    first: Value,
    now: Now,
}

/// What became of a part.
enum Now {
    /// As it was.
    Same,
    Object(BTreeMap<Value, Tree>),
    Set(BTreeSet<Value>),
    /// Items, and whether an operation has touched them.
    Array(Vec<(Tree, bool)>),
}

/// What is done at the end of a path.
type Act<'a> = &'a mut dyn FnMut(&mut Context, &mut Tree) -> Result<(), BuiltinError>;

impl Tree {
    pub(super) fn new(value: Value) -> Self {
        Self { first: value, now: Now::Same }
    }

    /// What it has become.
    pub(super) fn render(&self, context: &mut Context) -> Result<Value, Halt> {
        context.account.charge(size_of::<(Value, Value)>())?;
        Ok(match &self.now {
            Now::Same => self.first.clone(),
            Now::Set(members) => Value::set(members.iter().cloned()),
            Now::Object(members) => deep::level(deep::SHALLOW, || {
                let rendered = members.iter().map(|(key, tree)| Ok((key.clone(), tree.render(context)?)));
                rendered.collect::<Result<Vec<_>, Halt>>().map(Value::object)
            })?,
            Now::Array(items) => deep::level(deep::SHALLOW, || {
                items.iter().map(|(tree, _)| tree.render(context)).collect::<Result<Vec<_>, Halt>>().map(Value::array)
            })?,
        })
    }

    /// Takes a collection apart.
    fn open(&mut self, context: &mut Context) -> Result<(), Halt> {
        if !matches!(self.now, Now::Same) {
            return Ok(());
        }
        let count = self.first.as_collection().unwrap_or(0);
        context.account.charge(count.saturating_mul(size_of::<(Value, Self)>()))?;
        self.now = match &self.first {
            Value::Object(object) => {
                Now::Object(object.iter().map(|(key, value)| (key.clone(), Self::new(value.clone()))).collect())
            }
            Value::Set(set) => Now::Set(set.members().iter().cloned().collect()),
            Value::Array(array) => Now::Array(array.items().iter().map(|item| (Self::new(item.clone()), false)).collect()),
            _ => Now::Same,
        };
        Ok(())
    }

    /// Goes along a path.
    pub(super) fn at(&mut self, context: &mut Context, path: &[Value], act: Act<'_>) -> Result<(), BuiltinError> {
        let Some((key, rest)) = path.split_first() else { return act(context, self) };
        context.account.step(1)?;
        self.open(context)?;
        let first = &self.first;
        deep::level(deep::SHALLOW, || match &mut self.now {
            Now::Same => Err(scalar(context, Some(key), first)?),
            Now::Object(members) => match members.get_mut(key) {
                Some(tree) => tree.at(context, rest, act),
                None => Err(missing(context, "object", key, first)?),
            },
            Now::Set(members) => {
                let Some(member) = members.take(key) else {
                    return Err(missing(context, "set", &Value::array([key.clone()]), first)?);
                };
                let mut member = Self::new(member);
                let done = member.at(context, rest, act);
                members.insert(member.render(context)?);
                done
            }
            Now::Array(items) => at_item(context, items, first, (key, rest), act),
        })
    }

    /// Sets a member, or makes room for an item.
    pub(super) fn insert(&mut self, context: &mut Context, key: &Value, value: &Value) -> Result<(), BuiltinError> {
        self.open(context)?;
        match &mut self.now {
            Now::Same => return Err(scalar(context, None, &self.first)?),
            Now::Object(members) => {
                // The key as the operation writes it.
                members.remove(key);
                members.insert(key.clone(), Self::new(value.clone()));
            }
            Now::Set(_) if key != value => {
                let (key, value) = (shown(context, key)?, shown(context, value)?);
                return Err(BuiltinError::failed(format!("set key {key} does not equal value to be inserted {value}")));
            }
            Now::Set(members) => {
                members.insert(value.clone());
            }
            Now::Array(items) => {
                let at = index(items.len(), key)?.filter(|at| *at <= items.len());
                let at = at.ok_or_else(|| BuiltinError::failed("index for array insertion out of bounds"))?;
                context.account.step(u64::try_from(items.len() / 16).unwrap_or(u64::MAX))?;
                items.insert(at, (Self::new(value.clone()), true));
            }
        }
        Ok(())
    }

    /// Takes a member or an item out.
    pub(super) fn delete(&mut self, context: &mut Context, key: &Value) -> Result<(), BuiltinError> {
        self.open(context)?;
        let deleted = match &mut self.now {
            Now::Same => return Err(scalar(context, None, &self.first)?),
            Now::Object(members) => members.remove(key).is_some(),
            Now::Set(members) => members.remove(key),
            Now::Array(items) => {
                let at = index(items.len(), key)?.filter(|at| *at < items.len());
                let at = at.ok_or_else(|| BuiltinError::failed("index for array delete out of bounds"))?;
                context.account.step(u64::try_from(items.len() / 16).unwrap_or(u64::MAX))?;
                items.remove(at);
                true
            }
        };
        if deleted {
            return Ok(());
        }
        let key = shown(context, key)?;
        Err(BuiltinError::failed(format!("cannot delete child key {key} that does not exist")))
    }

    fn hand_over(&mut self, pending: &mut Vec<Self>) {
        match &mut self.now {
            Now::Same | Now::Set(_) => {}
            Now::Object(members) => pending.extend(take(members).into_values()),
            Now::Array(items) => pending.extend(take(items).into_iter().map(|(tree, _)| tree)),
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let mut pending = Vec::new();
        self.hand_over(&mut pending);
        while let Some(mut tree) = pending.pop() {
            tree.hand_over(&mut pending);
        }
    }
}

fn at_item(
    context: &mut Context,
    items: &mut [(Tree, bool)],
    first: &Value,
    (key, rest): (&Value, &[Value]),
    act: Act<'_>,
) -> Result<(), BuiltinError> {
    let at = index(items.len(), key)?;
    let place = at.and_then(|at| items.get_mut(at));
    if let Some((tree, true)) = place {
        return tree.at(context, rest, act);
    }
    let Some(value) = at.and_then(|at| first.as_array()?.get(at)) else {
        let shown = at.map_or_else(|| key.clone(), Value::from);
        return Err(missing(context, "array", &shown, first)?);
    };
    let Some((tree, touched)) = place else {
        return Err(BuiltinError::failed("index for array delete out of bounds"));
    };
    *tree = Tree::new(value.clone());
    *touched = true;
    tree.at(context, rest, act)
}

/// The error of a way that leads nowhere.
fn missing(context: &mut Context, kind: &str, key: &Value, first: &Value) -> Result<BuiltinError, BuiltinError> {
    let (key, first) = (shown(context, key)?, shown(context, first)?);
    Ok(BuiltinError::failed(format!("path {key} does not exist in {kind} term {first}")))
}

/// The error of something inside a scalar.
fn scalar(context: &mut Context, key: Option<&Value>, found: &Value) -> Result<BuiltinError, BuiltinError> {
    let kind = match found {
        Value::Null => "Null",
        Value::False | Value::True => "Boolean",
        Value::String(_) => "String",
        _ => "Number",
    };
    let path = match key {
        Some(key) => format!(" for path {}", shown(context, key)?),
        None => String::new(),
    };
    let found = shown(context, found)?;
    Ok(BuiltinError::failed(format!("expected composite type{path}, found value: {found} (type: ast.{kind})")))
}

/// Where a key is in an array: a number, its text, or `-`, which is behind the last; nothing below 0.
fn index(length: usize, key: &Value) -> Result<Option<usize>, BuiltinError> {
    let at = match key {
        Value::String(text) if text.as_str() == "-" => return Ok(Some(length)),
        Value::String(text) => {
            let at = Value::number(text).and_then(|number| number.as_i64());
            let at = at.ok_or_else(|| BuiltinError::failed("invalid string for indexing"))?;
            if text.starts_with('0') && text.len() > 1 {
                return Err(BuiltinError::failed("leading zeros are not allowed in JSON paths"));
            }
            at
        }
        number if number.is_number() => {
            number.as_i64().ok_or_else(|| BuiltinError::failed("invalid number type for indexing"))?
        }
        _ => return Err(BuiltinError::failed("invalid type for indexing")),
    };
    Ok(usize::try_from(at).ok())
}
