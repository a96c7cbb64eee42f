//! Terms in OPA's order, as keys.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::syntax::order::compare;
use crate::syntax::tree::Term;

/// A term: equal to others that are written elsewhere.
pub(super) struct Ordered<'t>(pub(super) Cow<'t, Term>);

impl PartialEq for Ordered<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered<'_> {}

impl PartialOrd for Ordered<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.0, &other.0)
    }
}
