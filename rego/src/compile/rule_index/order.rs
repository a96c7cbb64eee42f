//! Which references become levels, and in which order (opa `v1/ast/index.go`, `Sorted`, `partition`).

use foldhash::HashSet;

use super::constraint::{Constraint, Stats};
use super::references::References;
use crate::ir::ReferenceNumber;

/// References that take part: first those of which nobody wants one of several values, and of them those that more rules have; then
/// those that are written first.
pub(super) fn sorted(references: &References, stats: &Stats) -> Vec<ReferenceNumber> {
    let mut found: Vec<_> = stats.each().filter(|(_, count, _)| *count > 0).collect();
    found.sort_by_key(|(reference, count, alternation)| {
        let at = references.get(*reference).and_then(|located| located.at);
        (*alternation, std::cmp::Reverse(*count), at.is_none(), at, *reference)
    });
    found.into_iter().map(|(reference, ..)| reference).collect()
}

/// Those that some definition compares with a value, and the others.
pub(super) fn partition<'p>(
    sorted: &[ReferenceNumber],
    paths: impl Iterator<Item = &'p Vec<Constraint>>,
) -> (Vec<ReferenceNumber>, Vec<ReferenceNumber>) {
    let valued: HashSet<_> =
        paths.flatten().filter(|constraint| !constraint.is_var()).map(|constraint| constraint.reference).collect();
    sorted.iter().partition(|reference| valued.contains(reference))
}
