//! What is kept for one version of base documents, taken over by the next one as far as nothing has changed that it was made of.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::Program;
use super::bound::Bound;
use super::changes::Changes;
use super::prepared;
use crate::depend::Reads;
use crate::eval::{Place, unusual};
use crate::ir::GroupId;
use crate::value::Value;

/// To find what rules read may take so long while base documents are bound: the rest is found another time.
const FINDING: Duration = Duration::from_millis(20);

/// What the documents of groups depend on, each found when it is asked for.
#[derive(Debug, Default)]
pub(super) struct GroupReads(OnceLock<Box<[OnceLock<Reads>]>>);

/// How many numbers of base documents may be written in another way, once somebody has counted them.
pub(super) type Unusual = Arc<OnceLock<usize>>;

impl GroupReads {
    /// What the whole document of a group depends on; `None` if it is not known yet and there is no time to find it.
    fn of(&self, program: &Program, id: GroupId, until: Instant) -> Option<&Reads> {
        let groups = &program.policy().groups;
        let all = self.0.get_or_init(|| groups.iter().map(|_| OnceLock::new()).collect());
        let place = all.get(id.index())?;
        if place.get().is_none() && Instant::now() >= until {
            return None;
        }
        let path = groups.get(id.index())?.path.get(1..)?;
        Some(place.get_or_init(|| program.dependencies().entry(program.policy(), path)))
    }
}

impl Bound {
    /// Keeps, as after [`Self::keeping`], and begins with what an older version of the base documents has kept and what is the same now:
    /// documents that are made of nothing that has changed, if both are of one program.
    ///
    /// Where numbers are written in an unusual way nothing is taken over: what is equal to them is written as they are.
    #[must_use]
    pub fn succeeding(self, older: &Self) -> Self {
        if !Arc::ptr_eq(self.program(), older.program()) || older.prepared.is_empty() {
            return self.keeping();
        }
        let Some(changes) = Changes::between(older.data(), self.data()) else { return self.keeping() };
        let before = older.unusual();
        let after = changes.unusual(before);
        let mut places = prepared::places(self.program());
        if before == 0 && after == 0 {
            let until = Instant::now() + FINDING;
            let is_read = |id, path: &[Value]| {
                let reads = self.program().group_reads.of(self.program(), id, until);
                reads.is_none_or(|reads| reads.data.touches(path))
            };
            older.parts.renew(changes.paths(), [older.data(), self.data()], &is_read);
            for ((number, place), known) in (0..).zip(&mut places).zip(older.prepared.iter()) {
                if let Some(place) = place.as_mut() {
                    *place = taken_over(known, || changes.paths().iter().any(|path| is_read(GroupId(number), path)));
                }
            }
        }
        Self {
            prepared: prepared::all(places),
            parts: older.parts.clone(),
            calls: older.calls.clone(),
            unusual: Arc::new(after.into()),
            ..self
        }
    }

    /// Keeps, and begins with what `older` has kept that is made of nothing at or below a path, where all other base documents are the same
    /// and no number of them may be written in another way.
    #[must_use]
    pub(super) fn keeping_beside(self, older: &Self, path: &[Value]) -> Self {
        let (until, mut places) = (Instant::now() + FINDING, prepared::places(self.program()));
        for ((number, place), known) in (0..).zip(&mut places).zip(older.prepared.iter()) {
            let reads = || self.program().group_reads.of(self.program(), GroupId(number), until);
            if let Some(place) = place.as_mut()
                && let Some(filled) = known.filled().filter(|filled| filled.plain)
                && reads().is_some_and(|reads| !reads.data.touches(path))
            {
                *place = Place::of(filled.clone());
            }
        }
        Self { prepared: prepared::all(places), calls: older.calls.clone(), ..self }
    }

    /// Whether no number of its base documents may be written in another way.
    pub(super) fn is_plain(&self) -> bool {
        self.unusual() == 0
    }

    /// How many numbers of its base documents may be written in another way.
    fn unusual(&self) -> usize {
        *self.unusual.get_or_init(|| unusual(self.data()).count())
    }
}

/// The place of a group for changed base documents.
fn taken_over(known: &Place, is_changed: impl FnOnce() -> bool) -> Place {
    match known.filled() {
        Some(filled) if filled.plain && !is_changed() => Place::of(filled.clone()),
        Some(filled) => Place::again(filled.took),
        None => Place::default(),
    }
}

#[cfg(test)]
mod tests;
