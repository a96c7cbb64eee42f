//! A review of an object that somebody has placed who knows more: this engine waits for its mirror, and then leaves alone what it
//! cannot judge.
//!
//! | whose claim | managed keys in the request | after waiting |
//! |---|---|---|
//! | a sidecar's, or a mac's | any | as they are |
//! | the stored object's | as stored | as they are; a refusal by policy stands |
//! | | dropped by a PUT | put back |
//! | | the developer's new wish | 409, try again; decided here, if only policies differ |

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use plimsoll_contract::annotations::{APPLIED, Applied, HOLD};
use plimsoll_contract::outcome::Outcome;
use plimsoll_contract::version::ResourceVersion;
use serde_json::Value as Json;

use super::culprit::Culprit;
use super::frozen;
use super::judge::{Judge, Review, Undecided};
use super::patch;
use super::verdict::{self, Denial, Verdict};
use crate::decision::ahead::{self, Ahead, View};
use crate::decision::normal_form::NormalForm;
use crate::decision::{Previous, Subject, exempt};
use crate::server::Engine;

/// Longest wait for the mirror.
const PATIENCE: Duration = Duration::from_secs(1);

/// Why an object is left to somebody else.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Claim {
    ahead: Ahead,
    witness: Witness,
}

/// Whose record shows that this engine is behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Witness {
    /// A sidecar's, or that of whoever could sign the record.
    Engine,
    /// The stored object's.
    Stored,
}

/// The result of such a review; a closed set of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Respected {
    /// The mirror caught up in time.
    CaughtUp,
    /// Left as it came.
    Kept,
    /// What was dropped was put back.
    PutBack,
    /// Refused with 409.
    Refused,
}

impl Respected {
    /// Every end.
    pub const ALL: [Self; 4] = [Self::CaughtUp, Self::Kept, Self::PutBack, Self::Refused];

    /// The label.
    pub fn name(self) -> &'static str {
        match self {
            Self::CaughtUp => "caught_up",
            Self::Kept => "kept",
            Self::PutBack => "put_back",
            Self::Refused => "refused",
        }
    }
}

/// Waits until the fleet has been seen up to `version`, or it is known that there is no such version: at most a second, and a quarter
/// of the caller's time. Only so many wait at once; others do not wait at all.
pub async fn catch_up(engine: &Engine, version: &ResourceVersion, received: Duration, timeout: Duration) {
    let Ok(_seat) = engine.waiting.try_acquire() else { return };
    let end = Instant::now() + PATIENCE.min(timeout / 4);
    let mut proofs = engine.store.proofs();
    loop {
        let (knowledge, snapshot) = engine.store.informed();
        let view = View { snapshot: &snapshot, knowledge: &knowledge };
        let seen = knowledge.fleet.proved.as_ref().is_some_and(|proved| proved >= version);
        if seen || view.is_void(version, received) {
            return engine.metrics.respected(Respected::CaughtUp);
        }
        if !matches!(tokio::time::timeout_at(end.into(), proofs.changed()).await, Ok(Ok(()))) {
            return;
        }
    }
}

impl Review<'_> {
    /// The verdict, if the object is left to somebody who knows more.
    pub(super) fn respected(
        &self,
        judge: Judge,
        subject: Subject<'_>,
        previous: Option<&Previous<'_>>,
    ) -> Option<Result<Verdict, Undecided>> {
        let is_ours = self.snapshot.ready() && exempt::exempt(subject, &self.snapshot.state, &self.engine.config).is_none();
        let claim = is_ours.then(|| self.claim(subject.object, previous)).flatten()?;
        if self.is_brief {
            return Some(Err(Undecided::Long));
        }
        match &claim.ahead {
            Ahead::Fleet(version) if self.is_patient => return Some(Err(Undecided::Behind(version.clone()))),
            // It was waited for, and does not exist.
            Ahead::Fleet(version) if self.view().is_void(version, self.received) => return None,
            Ahead::Fleet(_) | Ahead::Policy => (),
        }
        match (claim.witness, previous) {
            (Witness::Stored, Some(previous)) => self.as_stored(judge, &claim.ahead, subject, previous),
            _ => Some(Ok(self.end(Respected::Kept, Verdict::untouched()))),
        }
    }

    /// Says what this engine knows more, if a denial is for what another one decided that knows less.
    pub(super) fn explained(&self, object: &Json, verdict: Verdict) -> Verdict {
        let Some(denied) = &verdict.denied else { return verdict };
        let behind = record_of(object).and_then(|record| self.view().behind(&record));
        let Some(behind) = behind else { return verdict };
        let message = format!("the placement was decided {behind}: try again ({})", denied.message);
        Verdict { denied: Some(Denial::conflict(message)), ..verdict }
    }

    fn view(&self) -> View<'_> {
        View { snapshot: &self.snapshot, knowledge: &self.knowledge }
    }

    fn claim(&self, object: &Json, previous: Option<&Previous<'_>>) -> Option<Claim> {
        let record = record_of(object);
        if let Some((ahead, record)) = record.and_then(|record| Some((self.view().ahead(&record)?, record)))
            && (self.engine.config.sidecars.contains(&self.request.user_info.username) || self.is_signed(object, &record))
        {
            return Some(Claim { ahead, witness: Witness::Engine });
        }
        let previous = previous?;
        let stored = previous.annotations();
        let record = ahead::record(|key| stored.get(key).map(String::as_str))?;
        let ahead = self.view().ahead_of_stored(&record, previous.resource_version())?;
        Some(Claim { ahead, witness: Witness::Stored })
    }

    /// Whether an object carries a record of an engine's that is of this object.
    pub(super) fn has_mac(&self, object: &Json) -> bool {
        record_of(object).is_some_and(|record| self.is_signed(object, &record))
    }

    fn is_signed(&self, object: &Json, record: &Applied) -> bool {
        ahead::is_signed(record, object, self.row_of(object), &self.allowed(), &self.engine.config) == Some(true)
    }

    fn as_stored(
        &self,
        judge: Judge,
        ahead: &Ahead,
        subject: Subject<'_>,
        previous: &Previous<'_>,
    ) -> Option<Result<Verdict, Undecided>> {
        let mut keys = self.managed();
        // Whoever may set a hold, may set it.
        keys.remove(HOLD);
        let (stored, new) = (previous.annotations(), annotations(subject.object));
        if stored.get(APPLIED).and_then(|text| nobodys(text)).is_some_and(|marked| new.get(APPLIED) == Some(&marked)) {
            // What the mutating side leaves.
            keys.remove(APPLIED);
        }
        let mut changes = frozen::changes(&stored, &new, &keys);
        if changes.is_empty() {
            let undecided = self.undecided(subject, previous);
            return Some(self.unless_refused(judge, subject, undecided));
        }
        let dropped = is_dropped(&changes, &new, &previous.intent(&keys, &BTreeMap::new()));
        changes.extend(self.undecided(subject, previous));
        if judge == Judge::Mutate && dropped {
            let patch = patch::operations(subject.object, &changes);
            return Some(Ok(self.end(Respected::PutBack, Verdict { patch, ..Verdict::default() })));
        }
        match ahead {
            Ahead::Policy => None,
            Ahead::Fleet(version) => {
                let message = format!(
                    "the placement of this object was decided on version {version} of the fleet, which this engine has not seen \
                     yet: it cannot be decided anew just now; try again"
                );
                Some(Ok(self.end(Respected::Refused, Verdict::denied(Denial::conflict(message)))))
            }
        }
    }

    /// Another wish than the stored object's is not what its record's policies decided: the record names none from then on, so that
    /// whoever decides next does not take it for theirs.
    fn undecided(&self, subject: Subject<'_>, previous: &Previous<'_>) -> Option<(String, Option<String>)> {
        let (allowed, known) = (self.allowed(), BTreeMap::new());
        let before = previous.form(subject.kind, &allowed, &known)?;
        let after = NormalForm::of(subject.object, subject.kind, &allowed, &known).ok()?;
        let marked = nobodys(before.current.get(APPLIED)?).filter(|_| after.digest() != before.digest())?;
        Some((APPLIED.to_owned(), Some(marked)))
    }

    /// What policy refuses, it refuses by what is known here as well.
    fn unless_refused(
        &self,
        judge: Judge,
        subject: Subject<'_>,
        undecided: Option<(String, Option<String>)>,
    ) -> Result<Verdict, Undecided> {
        let decision = self.decided(subject, self.knowledge.grace);
        if matches!(decision.outcome, Outcome::Denied { .. } | Outcome::Undefined | Outcome::Unavailable { .. }) {
            return match judge {
                Judge::Mutate => Ok(verdict::mutate(subject.object, &decision)?),
                Judge::Validate => Ok(verdict::verify(subject.object, &decision, |_| Culprit::Unknown)?),
            };
        }
        let changes = undecided.into_iter().filter(|_| judge == Judge::Mutate).collect();
        Ok(self.end(Respected::Kept, Verdict { patch: patch::operations(subject.object, &changes), ..Verdict::default() }))
    }

    fn end(&self, end: Respected, verdict: Verdict) -> Verdict {
        self.engine.metrics.respected(end);
        verdict
    }
}

/// A record by nobody's policies.
fn nobodys(record: &str) -> Option<String> {
    Some(Applied { policy: String::new(), ..Applied::parse(record).ok()? }.encode())
}

/// Whether all that differs is as the developer wrote it before: a PUT of what he keeps in his files.
fn is_dropped(
    changes: &BTreeMap<String, Option<String>>,
    new: &BTreeMap<String, String>,
    intent: &BTreeMap<String, String>,
) -> bool {
    let keys: BTreeSet<&String> = changes.keys().filter(|key| *key != APPLIED).collect();
    keys.into_iter().all(|key| new.get(key) == intent.get(key)) && !new.contains_key(APPLIED)
}

fn record_of(object: &Json) -> Option<Applied> {
    let annotations = object.pointer("/metadata/annotations")?;
    ahead::record(|key| annotations.get(key)?.as_str())
}

pub(super) fn annotations(object: &Json) -> BTreeMap<String, String> {
    let annotations = object.pointer("/metadata/annotations").and_then(Json::as_object);
    let text = |(key, value): (&String, &Json)| Some((key.clone(), value.as_str()?.to_owned()));
    annotations.into_iter().flatten().filter_map(text).collect()
}
