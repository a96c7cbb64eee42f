//! What is known of one object: its row, how writes of it fared, and what the API server showed of it since.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::placement::Placement;
use plimsoll_contract::version::ResourceVersion;

use super::super::note::Note;
use super::super::row::{Patch, Plan, Withheld};
use super::counts::Condition;
use super::due::{Lane, Place};

#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    pub(super) plan: Plan,
    /// The version that the row was decided on.
    decided_on: Option<Version>,
    /// In the queue's `due` under these.
    pub(super) due: Option<Place>,
    /// In the queue's `unsaid` under this.
    pub(super) unsaid: Option<u64>,
    pub(super) is_under_way: bool,
    /// The brake holds it back; said anew of each row.
    pub(super) is_parked: bool,
    /// The note that was said last.
    pub(super) said: Option<Note>,
    /// As the queue counted it last.
    pub(super) counted: Condition,
    /// Since when it asks for a patch that no answer has shown to be written.
    asked: Option<Duration>,
    known: Option<Known>,
    /// Not due before.
    until: Duration,
    failures: u32,
    reverts: u32,
    /// It was said that the patch is undone each time.
    is_told: bool,
}

/// One version of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    uid: String,
    version: String,
}

/// The object as the last answer to a patch showed it: rows on older versions are passed over.
#[derive(Clone, Debug)]
struct Known {
    asked_on: Version,
    annotations: Arc<BTreeMap<String, Option<String>>>,
    /// The object's version after the answer, if it is known.
    now: Option<String>,
    confirmed: Option<Confirmed>,
}

/// The answer showed the object as asked.
#[derive(Clone, Debug)]
struct Confirmed {
    at: Duration,
    asked: Option<Duration>,
}

/// Two notes of one content: a newer version of the object is no news.
fn is_same(one: &Note, other: &Note) -> bool {
    (&one.subject.uid, one.reason, &one.message) == (&other.subject.uid, other.reason, &other.message)
}

// === Entry ===

impl Entry {
    /// A row takes the place of the one before.
    pub(super) fn observe(&mut self, row: &Placement, plan: Plan) {
        let is_same = matches!((&self.plan.patch, &plan.patch), (Some(old), Some(new)) if old.wants_the_same(new));
        if !is_same {
            self.start_again();
        }
        if plan.note.is_none() {
            // When it comes again, it is news again.
            self.said = None;
        }
        self.decided_on = Some(Version { uid: row.uid.clone(), version: row.resource_version.clone() });
        self.is_parked = false;
        self.plan = plan;
    }

    /// The object is gone; a write of it may still be under way.
    pub(super) fn forget(&mut self) {
        self.plan = Plan::default();
        self.decided_on = None;
        self.said = None;
        self.start_again();
    }

    /// A whole list is at hand: what it shows counts from now on, unless the object was written less than `grace` ago.
    pub(super) fn doubt(&mut self, grace: Duration, now: Duration) {
        let is_fresh = |known: &Known| known.confirmed.as_ref().is_some_and(|confirmed| now < confirmed.at + grace);
        if let Some(known) = self.known.take_if(|known| !is_fresh(known)) {
            self.asked = self.asked.or(known.confirmed.and_then(|confirmed| confirmed.asked));
        }
    }

    /// Whether the row still wants what `patch` wanted.
    pub(super) fn wants(&self, patch: &Patch) -> bool {
        self.plan.patch.as_ref().is_some_and(|wanted| wanted.wants_the_same(patch))
    }

    pub(super) fn confirmed(&mut self, patch: &Patch, version: &str, now: Duration) {
        self.start_again();
        let confirmed = Confirmed { at: now, asked: self.asked.take() };
        self.known = Some(Known { confirmed: Some(confirmed), ..Known::new(patch, Some(version.to_owned())) });
    }

    pub(super) fn outdated(&mut self, patch: &Patch, version: Option<String>) {
        self.known = Some(Known::new(patch, version));
    }

    /// Undone once more.
    pub(super) fn reverted(&mut self, now: Duration, wait: impl Fn(u32) -> Duration) {
        self.until = now + wait(self.reverts);
        self.reverts = self.reverts.saturating_add(1);
    }

    /// Returns how often in a row the patch was undone, if that is at least `enough` and was not reported yet.
    pub(super) fn tell(&mut self, enough: u32) -> Option<u32> {
        let is_news = self.reverts >= enough && !self.is_told;
        self.is_told |= is_news;
        is_news.then_some(self.reverts)
    }

    pub(super) fn failed(&mut self, now: Duration, wait: impl Fn(u32) -> Duration) {
        self.until = now + wait(self.failures);
        self.failures = self.failures.saturating_add(1);
    }

    /// Takes back that the last note was reported.
    pub(super) fn unsay(&mut self) {
        self.said = None;
        self.is_told = false;
    }

    fn start_again(&mut self) {
        self.until = Duration::ZERO;
        self.failures = 0;
        self.reverts = 0;
        self.is_told = false;
    }

    /// Brings what is derived in line with the row.
    pub(super) fn settle(&mut self, now: Duration) {
        let Self { known, decided_on, plan, .. } = self;
        known.take_if(|known| {
            !decided_on
                .as_ref()
                .is_some_and(|version| known.covers(version, plan.patch.as_ref().map(|patch| &*patch.annotations)))
        });
        match (&self.plan.patch, &self.known) {
            (None, _) => self.asked = None,
            (Some(_), Some(Known { confirmed: Some(_), .. })) => {}
            (Some(_), _) => {
                self.asked.get_or_insert(now);
            }
        }
    }

    /// When a write may begin; `None`: not before something newer is known.
    pub(super) fn due_at(&self) -> Option<Duration> {
        let waits = self.plan.patch.is_none() || self.is_under_way || self.is_parked || self.known.is_some();
        (!waits).then_some(self.until)
    }

    /// Whether its write goes before others.
    pub(super) fn lane(&self) -> Lane {
        if self.failures > 0 || self.reverts > 0 {
            return Lane::Again;
        }
        if self.plan.patch.as_ref().is_some_and(|patch| patch.urgent) { Lane::Urgent } else { Lane::First }
    }

    pub(super) fn owes_note(&self) -> bool {
        match (&self.plan.note, &self.said) {
            (Some(note), Some(said)) => !is_same(note, said),
            (note, _) => note.is_some(),
        }
    }

    pub(super) fn condition(&self) -> Condition {
        Condition {
            asked: self.asked,
            suggested: self.plan.withheld == Some(Withheld::Suggested),
            held: self.plan.withheld == Some(Withheld::Held),
            reverted: self.asked.is_some() && self.reverts > 0,
        }
    }

    /// Nothing is to be done, said or remembered.
    pub(super) fn is_over(&self) -> bool {
        !self.is_under_way && self.known.is_none() && self.plan == Plan::default()
    }
}

// === Known ===

impl Known {
    fn new(patch: &Patch, now: Option<String>) -> Self {
        let subject = &patch.subject;
        let asked_on = Version { uid: subject.uid.clone(), version: subject.resource_version.clone() };
        Self { asked_on, annotations: patch.annotations.clone(), now, confirmed: None }
    }

    /// Whether a row that was decided on `version`, asking for `annotations`, says nothing newer.
    fn covers(&self, version: &Version, annotations: Option<&BTreeMap<String, Option<String>>>) -> bool {
        if version.uid != self.asked_on.uid {
            return false;
        }
        if version.version == self.asked_on.version {
            // A patch that changed nothing left the version: another one may still be good for it.
            return self.now.as_ref() != Some(&version.version) || annotations == Some(&*self.annotations);
        }
        let now = self.now.as_deref().and_then(ResourceVersion::parse);
        now.is_some_and(|now| ResourceVersion::parse(&version.version).is_some_and(|version| version < now))
    }
}
