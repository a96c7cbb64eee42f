//! One object on one snapshot: its row, if it has one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use plimsoll_contract::annotations::{Applied, HOLD};
use plimsoll_contract::kind::{Gvr, Kind, Mode};
use plimsoll_contract::outcome::{Outcome, Unavailable};
use plimsoll_contract::placement::{self, Placement};
use plimsoll_contract::source::ObjectName;
use serde_json::Value as Json;

use super::course::{self, Interners, Look, Past};
use super::history::Span;
use super::queue::Ticket;
use crate::decision::ahead::{self, Ahead, View};
use crate::decision::change;
use crate::decision::class::{Class, Said};
use crate::decision::intent::Patch;
use crate::decision::owner::{self, Presence};
use crate::decision::skim::{skim, suffices_again};
use crate::decision::{
    Config, Decision, FleetChange, Hold, Last, Reading, Readings, Sight, Stands, Subject, Way, Writer, decide_again,
    decide_seeing, exempt,
};
use crate::placements::rows::{Course, Key, Known, Rows, Verdict};
use crate::snapshot::{Knowledge, Snapshot};
use crate::state::Leaf;

/// Whether existing objects of a kind are looked at.
pub(super) fn looked_at(kind: &Kind) -> bool {
    kind.place && kind.mode != Mode::Off
}

/// Resyncs that a claimed owner's absence is left to garbage collection, or to a mirror that lags: the one under way when it is
/// first seen, and a whole one.
const PATIENCE: u64 = 2;

/// The results of earlier passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory<'a> {
    pub(super) rows: &'a Rows,
    /// Resyncs until now.
    pub(super) resyncs: u64,
    /// What is known beside the snapshot.
    pub(super) knowledge: &'a Knowledge,
    /// What changed since then, by revision.
    pub(super) spans: &'a HashMap<u64, Span>,
    /// What annotations say.
    pub(super) readings: &'a Readings,
    /// Where equal values of objects that move are found.
    pub(super) interners: &'a Interners,
}

impl<'a> Memory<'a> {
    /// The last decision about an object, given what is known of one of its name: it is most often the same.
    fn last(self, uid: &str, known: Option<&'a Known>) -> Option<&'a Arc<Last>> {
        self.of(uid, known)?.last.as_ref()
    }

    /// Since which resync the object says that it has an owner that is not there.
    fn orphaned(self, uid: &str, known: Option<&'a Known>) -> Option<u64> {
        self.of(uid, known)?.orphaned
    }

    fn of(self, uid: &str, known: Option<&'a Known>) -> Option<&'a Known> {
        // Who says no uid may be another one each time.
        let known = known.filter(|known| *known.uid == *uid && !uid.is_empty());
        known.or_else(|| self.rows.known_by_uid(uid))
    }
}

/// One object that is decided, as it is stored.
#[derive(Clone, Copy)]
struct Case<'a> {
    snapshot: &'a Snapshot,
    config: &'a Config,
    ticket: &'a Ticket,
    memory: Memory<'a>,
    kind: &'a Kind,
    leaf: &'a Leaf,
    /// Of an object of this name, which may have been another one.
    known: Option<&'a Known>,
    last: Option<&'a Arc<Last>>,
}

/// Decides one object, given the memory of earlier decisions by uid.
pub(super) fn verdict(snapshot: &Snapshot, config: &Config, ticket: &Ticket, memory: Memory<'_>) -> Verdict {
    let Some((kind, name, leaf)) = stored(snapshot, &ticket.key) else { return Verdict::Gone };
    let known = memory.rows.known(&ticket.key);
    let case = Case { snapshot, config, ticket, memory, kind, leaf, known, last: memory.last(&leaf.uid, known) };
    let row = blank(snapshot, Arc::clone(&ticket.key.gvr), (kind, name, leaf));
    if let Some((object, decision)) = case.again() {
        return case.judged(row, (&object, true), || decision);
    }
    match serde_json::from_slice(&leaf.json) {
        Ok(object) => {
            case.judged(row, (&object, false), || decide_seeing(snapshot, case.subject(&object), config, &case.sight()))
        }
        Err(error) => unreadable(row, &error),
    }
}

impl<'a> Case<'a> {
    /// Decides an object that has not changed since its row was decided, and reads only the part that decides. Returns that part and the
    /// decision; `None` where the whole object has to be read.
    fn again(self) -> Option<(Json, Decision)> {
        let last = self.unchanged().filter(|last| suffices_again(last, self.config))?;
        let object = skim(&self.leaf.json, &self.snapshot.basis(&self.config.placement_path))?;
        let decision = decide_again(self.snapshot, self.subject(&object), self.config, &self.sight(), &last.intent)?;
        Some((object, decision))
    }

    /// Returns the last decision of an object that has not changed since, if it is the one that its row shows.
    fn unchanged(self) -> Option<&'a Last> {
        let known = self.known.filter(|known| self.ticket.doubted && *known.uid == *self.leaf.uid && !known.uid.is_empty())?;
        let (row, said) = known.row()?;
        let is_doubted = known.course.pending.as_ref().is_some_and(|pending| pending.doubt.is_some());
        // Where policy was not asked, what is remembered is an older decision.
        let is_of_row = said.is_some() && !is_doubted && *row.resource_version == *self.leaf.resource_version;
        known.last.as_deref().filter(|_| is_of_row)
    }

    fn subject<'o>(self, object: &'o Json) -> Subject<'o>
    where
        'a: 'o,
    {
        let last = self.last.map(AsRef::as_ref);
        Subject { object, kind: Some(self.kind), way: Way::Stored, writer: Writer::Unknown, last }
    }

    fn sight(self) -> Sight {
        Sight { grace: self.memory.knowledge.grace, ..Sight::default() }
    }

    /// Returns the verdict on an object that was read; calls `decide` unless the object is left alone.
    fn judged(self, mut row: Placement, (object, unchanged): (&Json, bool), decide: impl FnOnce() -> Decision) -> Verdict {
        let Self { snapshot, config, ticket, memory, kind, leaf, known, last } = self;
        let target = kind.effective_target();
        let allowed = config.allowed_keys(target.as_ref());
        let reading = Reading { allowed: &allowed, target: target.as_ref(), readings: memory.readings };
        let stands = Stands::of(object, reading);
        row.stands = stands.digest().to_owned();
        let look = Look { object, uid: &leaf.uid, kind, reading, stands: &stands, unchanged };
        let past = Past { ticket, known, last, spans: memory.spans, interners: memory.interners };
        if let Some(verdict) = self.left_alone(&row, look, past) {
            return verdict;
        }
        let decision = decide();
        let course = match decision.outcome {
            Outcome::Exempt => return Verdict::Unplaced { uid: Arc::from(&*leaf.uid), orphaned: None },
            Outcome::Unavailable { .. } | Outcome::Denied { .. } | Outcome::Undefined => course::undecided(look, past),
            _ => {
                let (course, moves) = course::decided(look, &decision, &snapshot.policies.digest, past);
                row.moves = moves;
                course
            }
        };
        filled((row, known.and_then(Known::row)), (kind, object), (decision, course), config)
    }

    /// Returns the verdict on an object about which nothing is decided: its owner is not there, or whoever placed it has seen more.
    fn left_alone(self, row: &Placement, look: Look<'_>, past: Past<'_>) -> Option<Verdict> {
        let Self { snapshot, config, memory, leaf, known, .. } = self;
        let since = || memory.orphaned(&leaf.uid, known).unwrap_or(memory.resyncs);
        let orphaned = has_absent_owner(look.object, snapshot).then(since);
        if orphaned.is_some_and(|since| memory.resyncs < since.saturating_add(PATIENCE)) {
            return Some(Verdict::Unplaced { uid: Arc::from(&*leaf.uid), orphaned });
        }
        let view = View { snapshot, knowledge: memory.knowledge };
        let message = known_better(view, self.subject(look.object), config, &leaf.resource_version)?;
        let outcome = Outcome::Unavailable { reason: Unavailable::Stale, message };
        let row = Box::new(Placement { outcome, ..row.clone() });
        Some(Verdict::Row { row, last: None, said: None, course: course::undecided(look, past) })
    }
}

/// Whether policy certainly says of an object what it said before a change of some clusters. Its row stays as it is, as those of its class
/// do: the object itself has not changed since.
pub(super) fn is_confirmed(
    snapshot: &Snapshot,
    config: &Config,
    ticket: &Ticket,
    memory: Memory<'_>,
    (change, before): (&FleetChange, Said),
) -> bool {
    let Some((kind, _, leaf)) = stored(snapshot, &ticket.key) else { return false };
    let Some((object, extent)) = change::of_text(&leaf.json, &snapshot.basis(&config.placement_path)) else { return false };
    let last = memory.last(&leaf.uid, memory.rows.known(&ticket.key)).map(AsRef::as_ref);
    let subject = Subject { object: &object, kind: Some(kind), way: Way::Stored, writer: Writer::Unknown, last };
    change.is_same(snapshot, (subject, extent), before, config)
}

/// Returns an object that is looked at, with its kind and name; `None` where there is none any more.
fn stored<'s>(snapshot: &'s Snapshot, key: &Key) -> Option<(&'s Kind, ObjectName, &'s Leaf)> {
    let kind = snapshot.state.kind(&key.gvr).filter(|kind| looked_at(kind))?;
    let name = ObjectName { namespace: key.namespace.to_string(), name: key.name.to_string() };
    let leaf = snapshot.state.object(kind, &name)?;
    Some((kind, name, leaf))
}

/// Why the object is left to whoever placed it: he had seen more than this engine has.
fn known_better(view: View<'_>, subject: Subject<'_>, config: &Config, version: &str) -> Option<String> {
    let record = ahead::record(|key| annotation(subject.object, key))?;
    let ahead = view.ahead_of_stored(&record, version).filter(|_| is_believed(&record, subject, config))?;
    exempt::exempt(subject, &view.snapshot.state, config).is_none().then(|| match ahead {
        Ahead::Fleet(changed) => {
            format!("placed on version {changed} of the fleet, which this engine has not seen yet: left as it is until then")
        }
        Ahead::Policy => {
            let policy = &record.policy;
            format!("placed by the policies of the Lease's holder ({policy}), which are not those in force here: left as it is")
        }
    })
}

/// Where records are signed, one that is not has come past the reviews: by a subresource, or while a webhook was away.
fn is_believed(record: &Applied, subject: Subject<'_>, config: &Config) -> bool {
    let target = subject.kind.and_then(Kind::effective_target);
    let allowed = config.allowed_keys(target.as_ref());
    ahead::is_signed(record, subject.object, subject.kind, &allowed, config).unwrap_or(true)
}

/// Whether the object says that it has an owner which is not there, and was not placed itself.
fn has_absent_owner(object: &Json, snapshot: &Snapshot) -> bool {
    let owner = owner::owner(object, &snapshot.state);
    owner.is_some_and(|owner| owner.presence == Presence::Absent) && !exempt::has_own_record(object)
}

fn blank(snapshot: &Snapshot, gvr: Arc<Gvr>, (kind, name, leaf): (&Kind, ObjectName, &Leaf)) -> Placement {
    Placement {
        gvr,
        kind: kind.kind.clone(),
        namespace: name.namespace,
        name: name.name,
        uid: leaf.uid.to_string(),
        resource_version: leaf.resource_version.to_string(),
        seen: None,
        outcome: Outcome::Exempt,
        mode: kind.mode,
        hold: false,
        kept: false,
        unproven: false,
        letting_go: false,
        patch: Default::default(),
        stands: String::new(),
        moves: None,
        clusters: Arc::default(),
        rejected: Default::default(),
        warnings: Vec::new(),
        revision: snapshot.revision,
    }
}

fn unreadable(row: Placement, error: &serde_json::Error) -> Verdict {
    let message = format!("the replicated object {} cannot be read: {error}", row.object());
    let outcome = Outcome::Unavailable { reason: Unavailable::Failed, message };
    Verdict::Row { row: Box::new(Placement { outcome, ..row }), last: None, said: None, course: Course::default() }
}

fn filled(
    (row, before): (Placement, Option<Before<'_>>),
    (kind, object): (&Kind, &Json),
    (decision, course): (Decision, Course),
    config: &Config,
) -> Verdict {
    let (clusters, rejected) = named(&decision, before);
    let (patch, last) = shared(decision.class.as_deref(), decision.patch, decision.last);
    let asks = annotation(object, HOLD) == Some("true");
    let hold = asks && config.hold != Hold::Ignored;
    let mut warnings = decision.warnings;
    if asks && !hold {
        warnings.push(format!("annotation `{HOLD}` has no effect here: the engine runs with --hold=ignore"));
    }
    let row = Placement {
        seen: if patch.is_empty() { None } else { seen(kind, object) },
        outcome: decision.outcome,
        hold,
        kept: decision.kept,
        unproven: decision.unproven,
        letting_go: decision.letting_go,
        patch,
        clusters,
        rejected,
        warnings,
        ..row
    };
    Verdict::Row { row: Box::new(row), last: Some(last), said: decision.said, course }
}

/// Returns the patch and the memory of a decision, in the memory of another row of the class where they are equal.
fn shared(class: Option<&Class>, patch: Patch, last: Last) -> (Arc<Patch>, Last) {
    match class.and_then(|class| class.answer.as_ref()) {
        Some(answer) => (answer.shared_patch(patch), Last { keys: answer.shared_keys(last.keys), ..last }),
        None => (Arc::new(patch), last),
    }
}

/// An object's row so far, and what policy said of it then.
type Before<'a> = (&'a Placement, Option<Said>);

/// The clusters of a decision, and why not elsewhere. Where policy says what it said before, the row has both: they need not be read
/// out of its answer again.
fn named(decision: &Decision, before: Option<Before<'_>>) -> (Arc<Vec<String>>, Arc<BTreeMap<String, String>>) {
    let is_same = |(row, said): &Before<'_>| {
        said.is_some() && *said == decision.said && row.outcome == decision.outcome && !row.kept && !decision.kept
    };
    match before.filter(is_same) {
        Some((row, _)) => (Arc::clone(&row.clusters), Arc::clone(&row.rejected)),
        None => (decision.clusters(), decision.rejected()),
    }
}

/// Returns a digest of what a later version of the object must be equal in for the decision to hold: all but `status`, unless policies of
/// the kind see that. `None` if metadata are not replicated whole.
fn seen(kind: &Kind, object: &Json) -> Option<String> {
    let is_metadata = |pointer: &String| {
        let mut names = pointer.split('/').skip(1);
        matches!(names.next(), Some("metadata" | "*")) && names.next() != Some("managedFields")
    };
    let is_whole = !kind.keep_status && !kind.prune.iter().any(is_metadata);
    if is_whole { placement::seen(object.get("metadata")?) } else { None }
}

pub(super) fn annotation<'a>(object: &'a Json, key: &str) -> Option<&'a str> {
    object.get("metadata")?.get("annotations")?.get(key)?.as_str()
}
