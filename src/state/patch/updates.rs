//! A list of operations as OPA's store takes them (`v1/storage/inmem/txn.go`): each is checked against what was there before the
//! list, unless an earlier one wrote at or above its path.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::state::incoming::Incoming;
use crate::state::pointer::{self, Op};
use crate::state::tree::{Found, Node, Tree, WriteError};

/// The sum of the operations so far: no path is above another.
#[derive(Debug)]
pub(super) struct Updates<'t> {
    before: &'t Tree,
    /// The new value of a path, or nothing where it is removed.
    list: BTreeMap<Vec<String>, Option<Now>>,
}

/// The new content of a path.
#[derive(Debug)]
enum Now {
    /// As it came.
    Came(Incoming),
    /// With changes inside of it.
    Open(Json),
}

impl Now {
    /// To change what is inside.
    fn open(&mut self) -> Result<&mut Json, WriteError> {
        if let Self::Came(value) = self {
            *self = Self::Open(read(value)?);
        }
        match self {
            Self::Open(value) => Ok(value),
            Self::Came(_) => Err(WriteError::Invalid("a value of the list cannot be opened: send the list again".into())),
        }
    }

    fn into_json(self) -> Result<Json, WriteError> {
        match self {
            Self::Came(value) => read(&value),
            Self::Open(value) => Ok(value),
        }
    }

    /// Whether it is a scalar, and this one.
    fn is_scalar(&self, value: &Incoming) -> bool {
        match self {
            Self::Came(now) => now.levels() == 0 && value.levels() == 0 && now.decode().ok() == value.decode().ok(),
            // Nothing is changed inside of a scalar.
            Self::Open(_) => false,
        }
    }
}

fn read(value: &Incoming) -> Result<Json, WriteError> {
    value.decode().map_err(|error| WriteError::Invalid(error.to_string()))
}

impl<'t> Updates<'t> {
    /// Of a tree.
    pub(super) fn of(before: &'t Tree) -> Self {
        Self { before, list: BTreeMap::new() }
    }

    /// Takes one more operation.
    pub(super) fn take(&mut self, op: Op, path: Vec<String>, value: &Incoming) -> Result<(), WriteError> {
        match self.list.get(&path) {
            Some(None) if op != Op::Add && !path.is_empty() => return Err(pointer::missing(&path)),
            // A scalar is there already: OPA looks no further, whatever is to be done with it.
            Some(Some(now)) if now.is_scalar(value) => return Ok(()),
            Some(_) => drop(self.list.remove(&path)),
            None => {
                if let Some((above, now)) = self.above(&path) {
                    let Some(now) = now else { return Err(pointer::missing(&path)) };
                    return pointer::apply(now.open()?, op, &path, above, &read(value)?);
                }
            }
        }
        self.checked(op, &path, value)?;
        match self.elements(&path) {
            Some(elements) => self.element(op, &path, elements, &read(value)?),
            None => {
                self.forget_below(&path);
                self.list.insert(path, (op != Op::Remove).then(|| Now::Came(value.clone())));
                Ok(())
            }
        }
    }

    /// Writes all of them; says whether anything changed.
    pub(super) fn write(self, tree: &mut Tree) -> Result<bool, WriteError> {
        let write = |changed: bool, (path, now): (Vec<String>, Option<Now>)| {
            let value = match now {
                None => return Ok(changed | tree.write(Op::Remove, &path, Json::Null)?),
                Some(Now::Came(value)) => value,
                Some(Now::Open(value)) => Incoming::of(&value, path.len()),
            };
            Ok(changed | set(|op| tree.write(op, &path, &value))?)
        };
        self.list.into_iter().try_fold(false, write)
    }

    /// The update above a path, and the length of its own.
    fn above(&mut self, path: &[String]) -> Option<(usize, &mut Option<Now>)> {
        let length = (0..path.len()).find(|length| path.get(..*length).is_some_and(|above| self.list.contains_key(above)))?;
        self.list.get_mut(path.get(..length)?).map(|now| (length, now))
    }

    fn checked(&self, op: Op, path: &[String], value: &Incoming) -> Result<(), WriteError> {
        self.before.clone().write(op, path, value).map(drop)
    }

    /// The array that a path leads into, before the list.
    fn elements(&self, path: &[String]) -> Option<Json> {
        let (_, parent) = path.split_last()?;
        let document = match self.before.find(parent)? {
            (Found::Node(Node::Branch(_)), _) => return None,
            (Found::Node(Node::Leaf(leaf)), _) => leaf.decode().ok()?,
            (Found::Inside(leaf), used) => crate::state::inside(leaf.decode().ok()?, parent.get(used..)?)?,
        };
        Some(document).filter(Json::is_array)
    }

    /// An element is written with its whole array. Updates inside of it are at places that must not move meanwhile: OPA would
    /// write them into the wrong elements.
    fn element(&mut self, op: Op, path: &[String], mut array: Json, value: &Json) -> Result<(), WriteError> {
        let parent = path.split_last().map(|(_, parent)| parent).unwrap_or_default();
        pointer::apply(&mut array, op, path, parent.len(), value)?;
        self.forget_below(path);
        let inside = self.below(parent);
        let place = |path: &[String]| path.get(parent.len()).and_then(|name| name.parse::<usize>().ok());
        if op != Op::Replace && inside.iter().any(|inside| place(inside) >= place(path) && place(path).is_some()) {
            let what = "elements move that an earlier operation of the list has changed: send them in two lists";
            return Err(WriteError::Invalid(format!("{}: {what}", pointer::show(path))));
        }
        for path in inside {
            match self.list.remove(&path).flatten().map(Now::into_json).transpose()? {
                Some(value) => set(|op| pointer::apply(&mut array, op, &path, parent.len(), &value))?,
                None => pointer::apply(&mut array, Op::Remove, &path, parent.len(), &Json::Null)?,
            }
        }
        self.list.insert(parent.to_vec(), Some(Now::Open(array)));
        Ok(())
    }

    fn below(&self, path: &[String]) -> Vec<Vec<String>> {
        let from = self.list.range(path.to_vec()..).map(|(below, _)| below);
        from.take_while(|below| below.starts_with(path)).filter(|below| below.len() > path.len()).cloned().collect()
    }

    fn forget_below(&mut self, path: &[String]) {
        for below in self.below(path) {
            self.list.remove(&below);
        }
    }
}

/// Puts a value where there is one or none; what an update is of is no new element.
fn set<T>(mut write: impl FnMut(Op) -> Result<T, WriteError>) -> Result<T, WriteError> {
    match write(Op::Replace) {
        Err(WriteError::NotFound(_)) => write(Op::Add),
        written => written,
    }
}
