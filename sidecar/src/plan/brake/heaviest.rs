//! The cause that makes the most moves stand still: whoever made that change is told.

use std::collections::BTreeMap;
use std::time::Duration;

use plimsoll_contract::moves::Cause;

use super::Brake;

impl Brake {
    /// Returns the cause of most moves that stand still, and how many these are; nothing where none does.
    pub fn heaviest(&self, now: Duration) -> Option<(Cause, usize)> {
        let mut counts: BTreeMap<&Cause, usize> = BTreeMap::new();
        for (_, wanted) in self.standing(now) {
            *counts.entry(&wanted.cause).or_default() += 1;
        }
        let (cause, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
        Some((cause.clone(), count))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Stored;
    use super::super::record::Record;
    use super::super::tests::{moving, rules};
    use super::*;

    #[test]
    fn the_cause_of_most_moves_that_stand_still_is_named_and_none_where_nothing_does() {
        let at = |seconds: u64| Duration::from_secs(1_000_000 + seconds);
        let drift = |number: usize| if number < 3 { Cause::Unknown } else { Cause::Drift };
        let rows = |moves: usize| -> Vec<_> {
            (0..10)
                .map(|number| moving(&number.to_string(), "a", if number < moves { "b" } else { "a" }, drift(number)))
                .collect()
        };
        for (moves, heaviest) in [(2, None), (5, Some((Cause::Unknown, 3))), (8, Some((Cause::Drift, 5)))] {
            let mut brake = Brake::new(rules(), "me");
            brake.observe_all(&rows(moves), at(0));
            brake.stored(Stored::Read { record: Record::default().into(), requests: Default::default() }, at(0));
            brake.settle(true, at(1));
            assert_eq!(brake.heaviest(at(1)), heaviest, "{moves}");
        }
    }
}
