//! What a builtin may use of the evaluation that calls it.

use std::any::{Any, TypeId};
use std::collections::HashMap;

use crate::limits::Account;
use crate::value::Value;

/// One evaluation, as builtins see it.
#[derive(Debug)]
pub struct Context {
    /// What the evaluation may cost.
    pub account: Account,
    /// The time that `time.now_ns` says, in nanoseconds since 1970: one for all of an evaluation.
    pub now_ns: i64,
    /// What `opa.runtime` says.
    pub runtime: Value,
    /// What random builtins start from; `None` is the system's.
    pub seed: Option<u64>,
    /// What builtins keep until the evaluation ends, such as patterns that are compiled: one for each type.
    pub kept: Kept,
}

/// One thing of each type.
#[derive(Default)]
pub struct Kept(HashMap<TypeId, Box<dyn Any + Send>, foldhash::fast::RandomState>);

impl Kept {
    /// What is kept of this type; an empty one at first.
    pub fn get<T: Any + Send + Default>(&mut self) -> &mut T {
        let slot = self.0.entry(TypeId::of::<T>()).or_insert_with(|| Box::<T>::default());
        if !slot.is::<T>() {
            *slot = Box::<T>::default();
        }
        slot.downcast_mut::<T>().unwrap_or_else(|| unreachable!("just made with this type"))
    }
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Kept").field(&self.0.len()).finish()
    }
}
