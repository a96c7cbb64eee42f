//! What people let go: moves that they were shown, or a cause by its text, before or after it moves anything.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use plimsoll_contract::moves::Cause;

use super::id::{self, Id};
use super::record::{Record, ReleasedRecord, seconds};

/// Causes that are released by their text, and what such a text may take, in bytes.
pub(super) const MOST_TEXTS: usize = 100;
pub(super) const LONGEST_TEXT: usize = 1_024;

/// Everything that was released.
#[derive(Clone, Debug, Default)]
pub(super) struct Passes {
    /// By the name under which they were shown: when, and which moves.
    shown: BTreeMap<Id, (Duration, HashSet<Id>)>,
    /// All of these moves.
    moves: HashSet<Id>,
    /// By the text of a cause: until when, once it has moved something.
    texts: BTreeMap<String, Option<Duration>>,
}

impl Passes {
    /// Returns those of a record.
    pub(super) fn of(record: &Record) -> Self {
        let moves = |released: &ReleasedRecord| {
            let name = id::read(&released.id)?.pop()?;
            Some((name, (Duration::from_secs(released.at), id::read(&released.ids)?.into_iter().collect())))
        };
        let texts = record.texts.iter().map(|(text, until)| (text.clone(), until.map(Duration::from_secs)));
        let shown: BTreeMap<Id, (Duration, HashSet<Id>)> = record.released.iter().filter_map(moves).collect();
        let moves = shown.values().flat_map(|(_, moves)| moves.iter().copied()).collect();
        Self { shown, moves, texts: texts.collect() }
    }

    /// Writes them down, of the moves those that are `left` to be made; returns how many these are.
    pub(super) fn write(&self, record: &mut Record, left: &HashSet<Id>) -> usize {
        let mut count = 0;
        let released = |(name, (at, moves)): (&Id, &(Duration, HashSet<Id>))| {
            let moves: BTreeSet<Id> = moves.intersection(left).copied().collect();
            count += moves.len();
            ReleasedRecord { id: name.text(), at: seconds(*at), ids: id::write(moves) }
        };
        record.released = self.shown.iter().map(released).collect();
        record.texts = self.texts.iter().map(|(text, until)| (text.clone(), until.map(seconds))).collect();
        count
    }

    /// Returns how many texts let something go.
    pub(super) fn live_texts(&self, now: Duration) -> usize {
        self.texts.values().filter(|until| until.is_none_or(|until| now < until)).count()
    }

    /// Releases what was shown under a name; returns whether that is new. A record that was read names only those of its moves that were
    /// left to be made when it was written: one that is wanted again since then was released all the same.
    pub(super) fn release(&mut self, name: Id, moves: impl IntoIterator<Item = Id>, now: Duration) -> bool {
        let (_, known) = self.shown.entry(name).or_insert_with(|| (now, HashSet::new()));
        let before = known.len();
        known.extend(moves);
        self.moves.extend(known.iter().copied());
        known.len() > before
    }

    /// Whether something was released under a name.
    pub(super) fn knows(&self, name: Id) -> bool {
        self.shown.contains_key(&name)
    }

    /// Exactly these texts are released, of those that are new as many as there is room for; returns whether there is one.
    pub(super) fn release_texts(&mut self, texts: BTreeSet<&str>) -> bool {
        self.texts.retain(|text, _| texts.contains(text.as_str()));
        let before = self.texts.len();
        for text in texts.into_iter().filter(|text| text.len() <= LONGEST_TEXT) {
            if self.texts.len() < MOST_TEXTS {
                self.texts.entry(text.to_owned()).or_default();
            }
        }
        self.texts.len() > before
    }

    /// Whether a move may be made, by its name or by the text of its cause.
    pub(super) fn let_go(&self, movement: Id, cause: &Cause, now: Duration) -> bool {
        let until = (!self.texts.is_empty()).then(|| self.texts.get(&cause.to_string())).flatten();
        until.is_some_and(|until| until.is_none_or(|until| now < until)) || self.moves.contains(&movement)
    }

    /// A move is made: the time of a text runs from its first one.
    pub(super) fn used(&mut self, cause: &Cause, until: Duration) -> bool {
        match self.texts.get_mut(&cause.to_string()) {
            Some(unused @ None) => {
                *unused = Some(until);
                true
            }
            _ => false,
        }
    }

    /// Ends all ids that were shown, and returns them: nothing is released by them any more. The text of a cause stays known as long as
    /// it stands in the annotation: it releases once.
    pub(super) fn end(&mut self) -> Vec<Id> {
        self.moves.clear();
        std::mem::take(&mut self.shown).into_keys().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_shown_is_let_go_and_nothing_else() {
        let (name, one, other) = (Id::of(["shown"]), Id::of(["one"]), Id::of(["other"]));
        let (mut passes, now) = (Passes::default(), Duration::from_secs(100));
        assert!(passes.release(name, [one], now) && !passes.release(name, [one], now));
        let cause = Cause::Unknown;
        assert!(passes.let_go(one, &cause, now) && !passes.let_go(other, &cause, now));
        let mut record = Record::default();
        assert_eq!(passes.write(&mut record, &[one, other].into()), 1);
        assert!(Passes::of(&record).let_go(one, &cause, now));
        assert_eq!(passes.write(&mut record, &HashSet::new()), 0, "it was made");
        let mut next = Passes::of(&record);
        assert!(next.release(name, [one], now) && next.let_go(one, &cause, now), "and is wanted again");
        assert_eq!(passes.end(), [name]);
        assert!(!passes.let_go(one, &cause, now) && !passes.knows(name));
    }

    #[test]
    fn a_text_is_good_once() {
        let (mut passes, at) = (Passes::default(), Duration::from_secs);
        let (text, cause) = ("policy a -> b", Cause::Policy { from: "a".into(), to: "b".into() });
        assert!(passes.release_texts([text].into()) && !passes.release_texts([text].into()));
        let go = |passes: &Passes, now| passes.let_go(Id::of(["m"]), &cause, now);
        assert!(go(&passes, at(1_000)), "whenever it begins");
        assert!(passes.used(&cause, at(1_600)) && !passes.used(&cause, at(2_000)));
        assert!(go(&passes, at(1_599)) && !go(&passes, at(1_600)));
        let mut record = Record::default();
        passes.write(&mut record, &HashSet::new());
        assert!(!go(&Passes::of(&record), at(1_600)), "a new leader does not begin again");
        passes.release_texts([text].into());
        assert!(!go(&passes, at(1_700)), "the annotation still stands there");
        passes.release_texts(BTreeSet::new());
        assert!(!go(&passes, at(1)));
    }
}
