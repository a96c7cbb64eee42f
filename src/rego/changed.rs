//! Members of a base document that changed, and whether answers are the same all the same.

use plimsoll_rego::program;

use super::prepared::{guarded, request, step};
use super::{EvalError, Limits, Prepared, Value};

/// A change of members of one base document; see [`program::ChangedMembers`].
#[derive(Debug)]
pub struct ChangedMembers(program::ChangedMembers);

impl Prepared {
    /// Returns what changed since `older` in the members of the base document at `collection`, for the document at `path`; `None` where
    /// that cannot be told by those members alone.
    pub fn changed_members(&self, older: &Self, path: &[String], collection: &[&str], limits: &Limits) -> Option<ChangedMembers> {
        let path: Vec<_> = path.iter().map(|segment| step(segment)).collect();
        let collection: Vec<_> = collection.iter().map(|name| (*name).into()).collect();
        let found = || Ok(self.bound.changed_members(&older.bound, &path, &collection, &limits.of_evaluation()));
        told(guarded("what changed members make", found))?.map(ChangedMembers)
    }
}

impl ChangedMembers {
    /// Whether the document is certainly the same before and after, for an input of which one of them met nothing unusual (see
    /// [`super::Evaluated`]).
    pub fn is_same(&self, input: &Value, limits: &Limits) -> bool {
        told(guarded("what changed members make", || Ok(self.0.is_same(&request(Some(input), limits))))).unwrap_or_default()
    }
}

/// What cannot be told is evaluated as a whole.
fn told<T>(found: Result<T, EvalError>) -> Option<T> {
    found.inspect_err(|error| tracing::error!(%error, "changed members are not compared")).ok()
}
