//! What is computed once (opa `v1/topdown/cache.go`, `virtualCache`).

use foldhash::HashMap;

use crate::ir::GroupId;
use crate::value::Value;

/// What is known: the document of a group, or what is below some keys, or the answer to some operands; `None` is undefined.
pub(super) type Cache = HashMap<Key, Option<Value>>;

/// Of what.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) group: GroupId,
    /// Keys, or operands.
    pub(super) keys: Vec<Value>,
    /// The rest of the reference, by which rules were left out: what is kept is then only a part of what lies below the keys. `None` is a
    /// variable; a pattern with variables in it is what [`super::Traced::sketch`] returns.
    pub(super) scope: Vec<Option<Value>>,
    /// Whether it is an answer: what a rule answers that is called, `r()`, and its document are not known from each other.
    pub(super) is_answer: bool,
}

impl Key {
    pub(super) fn group(group: GroupId) -> Self {
        Self { group, keys: Vec::new(), scope: Vec::new(), is_answer: false }
    }
}
