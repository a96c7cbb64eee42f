//! A document while it is patched, as OPA's `internal/edittree` changes it. Of an array it remembers what it was: the way to an
//! element that no operation has touched leads to the element that stood there at first, whatever was taken out before it.

use std::collections::{BTreeMap, BTreeSet};

use regorus::Value;
use regorus::value::{Object, Set};

use super::super::error::BuiltinError;
use super::super::operand;

/// A part of the document.
pub(super) enum Tree {
    /// As it was.
    Whole(Value),
    Object(BTreeMap<Value, Tree>),
    Set(BTreeSet<Value>),
    Array {
        first: Vec<Value>,
        now: Vec<Element>,
    },
}

/// An element of an array.
pub(super) enum Element {
    First(Value),
    Touched(Tree),
}

/// What is done at the end of a path.
type Act<'a> = &'a mut dyn FnMut(&mut Tree) -> Result<(), BuiltinError>;

impl Tree {
    pub(super) fn new(value: Value) -> Self {
        Self::Whole(value)
    }

    pub(super) fn render(&self) -> Value {
        match self {
            Self::Whole(value) => value.clone(),
            Self::Object(members) => members.iter().map(|(key, tree)| (key.clone(), tree.render())).collect::<Object>().into(),
            Self::Set(members) => members.iter().cloned().collect::<Set>().into(),
            Self::Array { now, .. } => now.iter().map(Element::render).collect::<Vec<_>>().into(),
        }
    }

    /// Takes a collection apart.
    fn open(&mut self) {
        let Self::Whole(value) = self else { return };
        *self = match value {
            Value::Object(members) => {
                Self::Object(members.iter_sorted().map(|(key, value)| (key.clone(), Self::new(value.clone()))).collect())
            }
            Value::Set(members) => Self::Set(members.iter_sorted().cloned().collect()),
            Value::Array(items) => {
                Self::Array { first: items.iter().cloned().collect(), now: items.iter().cloned().map(Element::First).collect() }
            }
            _ => return,
        };
    }

    /// Goes along a path.
    pub(super) fn at(&mut self, path: &[Value], act: Act<'_>) -> Result<(), BuiltinError> {
        let Some((key, rest)) = path.split_first() else { return act(self) };
        self.open();
        match self {
            Self::Whole(_) => Err(BuiltinError::other("expected composite type")),
            Self::Object(members) => members.get_mut(key).ok_or_else(|| missing("object"))?.at(rest, act),
            Self::Set(members) => {
                let mut member = Self::new(members.take(key).ok_or_else(|| missing("set"))?);
                let done = member.at(rest, act);
                members.insert(member.render());
                done
            }
            Self::Array { first, now } => {
                let at = index(now.len(), key)?;
                if let Some(Element::Touched(tree)) = now.get_mut(at) {
                    return tree.at(rest, act);
                }
                let value = first.get(at).ok_or_else(|| missing("array"))?;
                let element = now.get_mut(at).ok_or_else(|| BuiltinError::other("index for array delete out of bounds"))?;
                let mut tree = Self::new(value.clone());
                let done = tree.at(rest, act);
                *element = Element::Touched(tree);
                done
            }
        }
    }

    pub(super) fn insert(&mut self, key: &Value, value: Value) -> Result<(), BuiltinError> {
        self.open();
        match self {
            Self::Whole(_) => Err(BuiltinError::other("expected composite type")),
            Self::Object(members) => {
                members.insert(key.clone(), Self::new(value));
                Ok(())
            }
            Self::Set(_) if *key != value => Err(BuiltinError::other("set key does not equal value to be inserted")),
            Self::Set(members) => {
                members.insert(value);
                Ok(())
            }
            Self::Array { now, .. } => {
                let at = index(now.len(), key)?;
                if at > now.len() {
                    return Err(BuiltinError::other("index for array insertion out of bounds"));
                }
                now.insert(at, Element::Touched(Self::new(value)));
                Ok(())
            }
        }
    }

    pub(super) fn delete(&mut self, key: &Value) -> Result<(), BuiltinError> {
        self.open();
        let deleted = match self {
            Self::Whole(_) => return Err(BuiltinError::other("expected composite type")),
            Self::Object(members) => members.remove(key).is_some(),
            Self::Set(members) => members.remove(key),
            Self::Array { now, .. } => {
                let at = index(now.len(), key)?;
                if at >= now.len() {
                    return Err(BuiltinError::other("index for array delete out of bounds"));
                }
                now.remove(at);
                true
            }
        };
        if deleted { Ok(()) } else { Err(BuiltinError::other("cannot delete child key that does not exist")) }
    }
}

impl Element {
    fn render(&self) -> Value {
        match self {
            Self::First(value) => value.clone(),
            Self::Touched(tree) => tree.render(),
        }
    }
}

fn missing(kind: &str) -> BuiltinError {
    BuiltinError::other(format!("path does not exist in {kind} term"))
}

/// Where a key is in an array: a number, its text, or `-`, which is behind the last.
fn index(length: usize, key: &Value) -> Result<usize, BuiltinError> {
    let at = match key {
        Value::String(text) if text.as_ref() == "-" => return Ok(length),
        Value::String(text) => {
            let at = number(text).ok_or_else(|| BuiltinError::other("invalid string for indexing"))?;
            if text.starts_with('0') && text.as_ref() != "0" {
                return Err(BuiltinError::other("leading zeros are not allowed in JSON paths"));
            }
            at
        }
        _ => operand::integer(std::slice::from_ref(key), 1).map_err(|_| BuiltinError::other("invalid type for indexing"))?,
    };
    usize::try_from(at).map_err(|_| BuiltinError::other("index is out of bounds"))
}

/// As OPA's `util.Atoi64`: digits, and nothing but zeros behind a point.
fn number(text: &str) -> Option<i64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, zeros) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let is_number =
        (1..=19).contains(&unsigned.len()) && whole.bytes().all(|c| c.is_ascii_digit()) && zeros.bytes().all(|c| c == b'0');
    if !is_number {
        return None;
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    format!("{sign}0{whole}").parse().ok()
}
