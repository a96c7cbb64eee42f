//! The rows and what is remembered beside them, as one persistent value.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use imbl::OrdMap;
use plimsoll_contract::kind::Gvr;
use plimsoll_contract::moves::Move;
use plimsoll_contract::placement::Placement;

use super::log::Log;
use super::reconcile::Pending;
use crate::decision::Last;
use crate::decision::class::Said;

/// Names an object. Cloning is cheap. Objects of one kind and namespace share these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) gvr: Arc<Gvr>,
    pub(super) namespace: Arc<str>,
    pub(super) name: Arc<str>,
}

/// The number of rows of each sort, for metrics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By outcome name.
    pub outcomes: BTreeMap<&'static str, usize>,
    /// With something left to write.
    pub pending: usize,
    /// Whose objects ask not to be repaired.
    pub held: usize,
    /// Whose last placement is kept although policy has no opinion any more.
    pub kept: usize,
    /// Of these, those whose placement nothing shows to be policy's own.
    pub unproven: usize,
    /// Which are to be let go when the policies have been the same for long enough.
    pub letting_go: usize,
}

/// The result of a sweep for one object.
#[derive(Clone, Debug)]
pub(super) enum Verdict {
    /// The object is not there, or no longer of a placed kind.
    Gone,
    /// The object is there but has no row; since the resync of this number it says that it has an owner that is not there.
    Unplaced { uid: Arc<str>, orphaned: Option<u64> },
    /// A row, and what the next decision has to know of this one, if there was one.
    Row { row: Box<Placement>, last: Option<Last>, said: Option<Said>, course: Course },
}

/// Where an object was, and where it is to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Course {
    /// It was placed once.
    pub(super) placed: bool,
    /// It is not where it is wanted, or nothing can be decided of it.
    pub(super) pending: Option<Arc<Pending>>,
}

/// Everything that readers see. Cloning is cheap.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    objects: OrdMap<Key, Known>,
    uids: OrdMap<Arc<str>, Key>,
    pub(super) log: Log,
    pub(super) counts: Counts,
    /// The revision up to which every row has been decided.
    pub(super) swept: u64,
}

/// One object of a placed kind.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) uid: Arc<str>,
    /// The last decision about it.
    pub(super) last: Option<Arc<Last>>,
    said: Option<Said>,
    /// Where it last was and is to be.
    pub(super) course: Course,
    /// Since which resync it says that it has an owner that is not there.
    pub(super) orphaned: Option<u64>,
    shown: Option<Shown>,
}

#[derive(Clone, Debug)]
struct Shown {
    at: u64,
    row: Arc<Placement>,
}

impl Ord for Key {
    /// By kind, namespace and name. What is shared is not compared: a key is sought among 100,000 by some 17 others.
    fn cmp(&self, other: &Self) -> Ordering {
        let kind = || if Arc::ptr_eq(&self.gvr, &other.gvr) { Ordering::Equal } else { self.gvr.cmp(&other.gvr) };
        let is_one = Arc::ptr_eq(&self.namespace, &other.namespace);
        let namespace = || if is_one { Ordering::Equal } else { self.namespace.cmp(&other.namespace) };
        kind().then_with(namespace).then_with(|| self.name.cmp(&other.name))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Key {
    /// Objects of one namespace and name are few, whatever their kind.
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.namespace, &self.name).hash(state);
    }
}

impl Known {
    /// The object's row, with what policy said of it.
    pub(super) fn row(&self) -> Option<(&Placement, Option<Said>)> {
        Some((&self.shown.as_ref()?.row, self.said))
    }
}

impl Verdict {
    /// Returns the uid of the object, if it is there.
    fn uid(&self) -> Option<&str> {
        match self {
            Self::Row { row, .. } => Some(&row.uid),
            Self::Unplaced { uid, .. } => Some(uid),
            Self::Gone => None,
        }
    }

    /// Returns the digests of policy's answer for the object; `None` where policy was not asked.
    pub(super) fn said(&self) -> Option<Said> {
        match self {
            Self::Row { said, .. } => *said,
            Self::Gone | Self::Unplaced { .. } => None,
        }
    }
}

// === Rows ===

impl Rows {
    pub(super) fn new(log: Log) -> Self {
        Self { objects: OrdMap::new(), uids: OrdMap::new(), log, counts: Counts::default(), swept: 0 }
    }

    /// Every object that is known, with or without a row.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.objects.keys()
    }

    /// Returns the key of an object without a name, with kind and namespace as those that are known there share them.
    pub(super) fn shared(&self, gvr: &Gvr, namespace: &str) -> Key {
        let sought = Key { gvr: Arc::new(gvr.clone()), namespace: namespace.into(), name: Arc::default() };
        let known = self.objects.get_next(&sought).map(|(known, _)| Key { name: Arc::default(), ..known.clone() });
        known.filter(|known| *known == sought).unwrap_or(sought)
    }

    /// Every row, in the order of kind, namespace and name.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&Key, &Arc<Placement>)> {
        self.objects.iter().filter_map(|(key, known)| Some((key, &known.shown.as_ref()?.row)))
    }

    /// Every object that is known, in the same order, with its row and what policy said of it, if it has both.
    pub(super) fn classified(&self) -> impl Iterator<Item = (&Key, Option<(&Placement, Said)>)> {
        self.objects.iter().map(|(key, known)| (key, known.row().and_then(|(row, said)| Some((row, said?)))))
    }

    /// Every row of which it is not known what policy said, in the same order.
    pub(super) fn unclassified(&self) -> impl Iterator<Item = (&Key, &Placement)> {
        let without = self.objects.iter().filter(|(_, known)| known.said.is_none());
        without.filter_map(|(key, known)| Some((key, &*known.shown.as_ref()?.row)))
    }

    /// What is known of an object of this name.
    pub(super) fn known(&self, key: &Key) -> Option<&Known> {
        self.objects.get(key)
    }

    /// What is known of the object of this uid, whatever its name.
    pub(super) fn known_by_uid(&self, uid: &str) -> Option<&Known> {
        self.objects.get(self.uids.get(uid)?)
    }

    /// The last decision about an object, by its uid.
    pub(super) fn last(&self, uid: &str) -> Option<&Arc<Last>> {
        self.known_by_uid(uid)?.last.as_ref()
    }

    /// Gets to know all objects of these verdicts, every other one first. They come sorted when the table is first filled, and a tree to which
    /// all is added at its end stays half empty: so those that come second fill the leaves of the others.
    pub(super) fn meet(&mut self, verdicts: &[(Key, Verdict)]) {
        let every_other = |from: usize| verdicts.iter().skip(from).step_by(2);
        for (key, verdict) in every_other(0).chain(every_other(1)) {
            if let Some(uid) = verdict.uid() {
                self.know(key, uid);
            }
        }
    }

    /// Takes over a verdict; says whether it made an event.
    pub(super) fn apply(&mut self, key: Key, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Gone => self.forget(&key),
            Verdict::Unplaced { uid, orphaned } => {
                self.know(&key, &uid);
                self.orphan(&key, orphaned);
                self.hide(&key)
            }
            Verdict::Row { row, last, said, course } => self.show(&key, *row, (last, said, course)),
        }
    }

    /// An object of this identity is there; another one's memory goes.
    fn know(&mut self, key: &Key, uid: &str) {
        let shown = match self.objects.get(key) {
            Some(known) if &*known.uid == uid => return,
            Some(known) => {
                let (before, shown) = (Arc::clone(&known.uid), known.shown.clone());
                self.unlink(&before, key);
                shown
            }
            None => None,
        };
        let uid: Arc<str> = uid.into();
        self.uids.insert(Arc::clone(&uid), key.clone());
        self.objects.insert(key.clone(), Known { uid, last: None, said: None, course: Course::default(), orphaned: None, shown });
    }

    fn orphan(&mut self, key: &Key, since: Option<u64>) {
        let is_news = self.objects.get(key).is_some_and(|known| known.orphaned != since);
        if let Some(known) = self.objects.get_mut(key).filter(|_| is_news) {
            known.orphaned = since;
        }
    }

    /// An object has this row, and this is remembered of it; its last decision stays what it was where there is none. Looked for
    /// once, and written only where something differs: to find a row takes longer than to compare it.
    fn show(&mut self, key: &Key, row: Placement, (last, said, course): (Option<Last>, Option<Said>, Course)) -> bool {
        let known = match self.objects.get(key) {
            Some(known) if *known.uid == *row.uid => known,
            _ => {
                self.know(key, &row.uid);
                let Some(known) = self.objects.get(key) else { return false };
                known
            }
        };
        let last = last.filter(|last| known.last.as_deref() != Some(last));
        let (shown, is_event) = shown(known.shown.as_ref(), row, (&mut self.log, &mut self.counts));
        if last.is_none() && shown.is_none() && known.said == said && known.course == course {
            return false;
        }
        if let Some(known) = self.objects.get_mut(key) {
            known.last = last.map(Arc::new).or_else(|| known.last.take());
            known.shown = shown.or_else(|| known.shown.take());
            (known.said, known.course) = (said, course);
        }
        is_event
    }

    fn hide(&mut self, key: &Key) -> bool {
        let shown = match self.objects.get(key) {
            Some(known) if known.shown.is_some() => self.objects.get_mut(key).and_then(|known| known.shown.take()),
            _ => None,
        };
        let Some(shown) = shown else { return false };
        self.counts.remove(&shown.row);
        self.log.removed(shown.at, key.clone());
        true
    }

    fn forget(&mut self, key: &Key) -> bool {
        let removed = self.hide(key);
        if let Some(known) = self.objects.remove(key) {
            self.unlink(&known.uid, key);
        }
        removed
    }

    /// Forgets whose uid this was, unless it is another object's by now.
    fn unlink(&mut self, uid: &str, key: &Key) {
        if self.uids.get(uid).is_some_and(|of| of == key) {
            self.uids.remove(uid);
        }
    }
}

/// Returns the row in the place of the one before, if it is to be there, and whether that is an event.
fn shown(before: Option<&Shown>, row: Placement, (log, counts): (&mut Log, &mut Counts)) -> (Option<Shown>, bool) {
    match before {
        Some(before) if !worth_an_event(&before.row, &row) => {
            if before.row.resource_version == row.resource_version {
                return (None, false);
            }
            let row = Arc::new(row);
            log.refreshed(before.at, Arc::clone(&row));
            (Some(Shown { at: before.at, row }), false)
        }
        before => {
            if let Some(before) = before {
                counts.remove(&before.row);
            }
            counts.add(&row);
            let row = Arc::new(row);
            (Some(Shown { at: log.changed(before.map(|before| before.at), Arc::clone(&row)), row }), true)
        }
    }
}

/// Everything counts but the revision, what moves an object, and, where nothing is left to write, the version that nothing was left to
/// write on.
fn worth_an_event(before: &Placement, now: &Placement) -> bool {
    // In full, so that a new field is thought of.
    #[rustfmt::skip]
    let Placement {
        gvr, kind, namespace, name, uid, resource_version, seen, outcome, mode, hold, kept, unproven, letting_go, patch, stands, moves,
        clusters, rejected, warnings, revision: _,
    } = before;
    let is_settled = patch.is_empty() && now.patch.is_empty();
    let is_same = (is_settled || *resource_version == now.resource_version)
        && (uid, name, namespace, gvr, kind) == (&now.uid, &now.name, &now.namespace, &now.gvr, &now.kind)
        && (seen, outcome, mode, stands, warnings) == (&now.seen, &now.outcome, &now.mode, &now.stands, &now.warnings)
        && (hold, kept, unproven, letting_go) == (&now.hold, &now.kept, &now.unproven, &now.letting_go)
        && (patch, clusters, rejected) == (&now.patch, &now.clusters, &now.rejected)
        && is_same_move(moves.as_deref(), now.moves.as_deref());
    !is_same
}

fn is_same_move(before: Option<&Move>, now: Option<&Move>) -> bool {
    match (before, now) {
        (Some(Move { from, cause: _, urgent }), Some(now)) => (from, urgent) == (&now.from, &now.urgent),
        (before, now) => before.is_none() && now.is_none(),
    }
}

// === Counts ===

impl Counts {
    fn add(&mut self, row: &Placement) {
        *self.outcomes.entry(row.outcome.name()).or_default() += 1;
        self.pending += usize::from(!row.patch.is_empty());
        self.held += usize::from(row.hold);
        self.kept += usize::from(row.kept);
        self.unproven += usize::from(row.unproven);
        self.letting_go += usize::from(row.letting_go);
    }

    fn remove(&mut self, row: &Placement) {
        if let Some(count) = self.outcomes.get_mut(row.outcome.name()) {
            *count = count.saturating_sub(1);
        }
        self.pending = self.pending.saturating_sub(usize::from(!row.patch.is_empty()));
        self.held = self.held.saturating_sub(usize::from(row.hold));
        self.kept = self.kept.saturating_sub(usize::from(row.kept));
        self.unproven = self.unproven.saturating_sub(usize::from(row.unproven));
        self.letting_go = self.letting_go.saturating_sub(usize::from(row.letting_go));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use plimsoll_contract::kind::Mode;
    use plimsoll_contract::moves::{Cause, Move};
    use plimsoll_contract::outcome::Outcome;

    use super::*;

    pub(in crate::placements) fn gvr() -> Gvr {
        Gvr::try_from("apps/v1/replicasets".to_owned()).unwrap()
    }

    pub(in crate::placements) fn key(name: &str) -> Key {
        Key { gvr: Arc::new(gvr()), namespace: "shop".into(), name: name.into() }
    }

    pub(in crate::placements) fn row(name: &str) -> Placement {
        Placement {
            gvr: gvr().into(),
            kind: "ReplicaSet".into(),
            namespace: "shop".into(),
            name: name.into(),
            uid: format!("uid-{name}"),
            resource_version: "1".into(),
            seen: None,
            outcome: Outcome::Place,
            mode: Mode::Auto,
            hold: false,
            kept: false,
            unproven: false,
            letting_go: false,
            patch: Arc::default(),
            stands: String::new(),
            moves: None,
            clusters: Arc::new(vec!["east".into()]),
            rejected: Arc::default(),
            warnings: Vec::new(),
            revision: 1,
        }
    }

    pub(in crate::placements) fn verdict(row: Placement) -> Verdict {
        let last = Last { policy: "p".into(), intent: "i".into(), ..Last::default() };
        Verdict::Row { row: Box::new(row), last: Some(last), said: None, course: Course::default() }
    }

    fn rows() -> Rows {
        Rows::new(Log::new(0, 4))
    }

    fn moved() -> Move {
        Move { from: Vec::new(), cause: Cause::First, urgent: false }
    }

    #[test]
    fn keys_are_in_the_order_of_their_texts_whatever_they_share() {
        let gvr = |text: &str| Gvr::try_from(text.to_owned()).unwrap();
        let mut rows = rows();
        for kind in ["apps/v1/deployments", "apps/v1/replicasets", "v1/pods"] {
            for (namespace, name) in [("a", "z"), ("b", "a"), ("", "c"), ("b", "b")] {
                let key = Key { name: name.into(), ..rows.shared(&gvr(kind), namespace) };
                rows.apply(key, Verdict::Unplaced { uid: format!("{kind} {namespace} {name}").into(), orphaned: None });
            }
        }
        let texts = |key: &Key| (Gvr::clone(&key.gvr), key.namespace.to_string(), key.name.to_string());
        let found: Vec<_> = rows.keys().map(texts).collect();
        let mut expected = found.clone();
        expected.sort();
        assert_eq!((found.len(), &found), (12, &expected));
        let [one, other] = [rows.shared(&gvr("v1/pods"), "b"), rows.shared(&gvr("v1/pods"), "b")];
        assert!(Arc::ptr_eq(&one.gvr, &other.gvr) && Arc::ptr_eq(&one.namespace, &other.namespace));
        let [one, other] = [rows.shared(&gvr("v1/pods"), "aa"), rows.shared(&gvr("v1/none"), "b")];
        assert_eq!((&*one.namespace, &*other.namespace, one.gvr == other.gvr), ("aa", "b", false));
    }

    #[test]
    fn only_what_a_reader_would_miss_is_an_event() {
        let patch = Arc::new(BTreeMap::from([("k".to_owned(), Some("v".to_owned()))]));
        let cases = [
            ("the same row at a later revision", Placement { revision: 9, ..row("a") }, false),
            ("a settled object's next version", Placement { resource_version: "2".into(), ..row("a") }, false),
            ("another outcome", Placement { outcome: Outcome::Nowhere, ..row("a") }, true),
            ("something to write", Placement { patch: patch.clone(), ..row("a") }, true),
            ("another object of this name", Placement { uid: "other".into(), ..row("a") }, true),
            ("somebody moved it", Placement { stands: "elsewhere".into(), ..row("a") }, true),
            ("another digest", Placement { seen: Some("s".into()), ..row("a") }, true),
            ("another mode", Placement { mode: Mode::Suggest, ..row("a") }, true),
            ("it is held", Placement { hold: true, ..row("a") }, true),
            ("it is kept", Placement { kept: true, ..row("a") }, true),
            ("nothing shows whose it is", Placement { unproven: true, ..row("a") }, true),
            ("it is let go soon", Placement { letting_go: true, ..row("a") }, true),
            ("other clusters", Placement { clusters: Arc::new(vec!["west".into()]), ..row("a") }, true),
            ("the same clusters", Placement { clusters: Arc::new(vec!["east".into()]), ..row("a") }, false),
            ("another reason", Placement { rejected: Arc::new([("w".into(), "no".into())].into()), ..row("a") }, true),
            ("a warning", Placement { warnings: vec!["w".into()], ..row("a") }, true),
            ("another kind", Placement { kind: "Other".into(), ..row("a") }, true),
            ("it is moved", Placement { moves: Some(Box::new(moved())), ..row("a") }, true),
        ];
        for (name, next, event) in cases {
            let mut rows = rows();
            assert!(rows.apply(key("a"), verdict(row("a"))));
            assert_eq!(rows.apply(key("a"), verdict(next.clone())), event, "{name}");
            assert_eq!(rows.rows().next().unwrap().1.resource_version, next.resource_version, "{name}");
        }
        let mut rows = rows();
        rows.apply(key("a"), verdict(Placement { patch: patch.clone(), ..row("a") }));
        let newer = Placement { patch, resource_version: "2".into(), ..row("a") };
        assert!(rows.apply(key("a"), verdict(newer)), "a patch is only good for its version");
    }

    #[test]
    fn another_cause_of_the_same_move_is_no_event() {
        let moves = |cause, urgent| Placement {
            patch: Arc::new([("k".to_owned(), Some("v".to_owned()))].into()),
            moves: Some(Box::new(Move { from: Vec::new(), cause, urgent })),
            ..row("a")
        };
        let mut rows = rows();
        assert!(rows.apply(key("a"), verdict(moves(Cause::First, false))));
        assert!(!rows.apply(key("a"), verdict(moves(Cause::Unknown, false))));
        assert_eq!(rows.rows().next().unwrap().1.moves.as_ref().map(|moves| &moves.cause), Some(&Cause::First));
        assert!(rows.apply(key("a"), verdict(moves(Cause::First, true))), "now it cannot wait");
    }

    #[test]
    fn memory_survives_the_row_and_goes_with_the_object() {
        let mut rows = rows();
        rows.apply(key("a"), verdict(row("a")));
        assert!(rows.apply(key("a"), Verdict::Unplaced { uid: "uid-a".into(), orphaned: None }));
        assert!(rows.last("uid-a").is_some());
        assert_eq!(rows.rows().count(), 0);
        assert!(!rows.apply(key("a"), Verdict::Gone), "it had no row");
        assert!(rows.last("uid-a").is_none());
    }

    #[test]
    fn another_object_of_the_same_name_starts_without_memory() {
        let mut rows = rows();
        rows.apply(key("a"), verdict(row("a")));
        let next = Placement { uid: "other".into(), ..row("a") };
        rows.apply(key("a"), Verdict::Row { row: Box::new(next), last: None, said: None, course: Course::default() });
        assert!(rows.last("uid-a").is_none() && rows.last("other").is_none());
    }

    #[test]
    fn a_decision_that_is_not_remembered_leaves_the_memory() {
        let mut rows = rows();
        rows.apply(key("a"), verdict(row("a")));
        rows.apply(key("a"), Verdict::Row { row: Box::new(row("a")), last: None, said: None, course: Course::default() });
        assert!(rows.last("uid-a").is_some());
    }

    #[test]
    fn counts_follow_the_rows() {
        let mut rows = rows();
        rows.apply(key("a"), verdict(Placement { hold: true, ..row("a") }));
        rows.apply(key("b"), verdict(row("b")));
        assert_eq!((rows.counts.outcomes["place"], rows.counts.held), (2, 1));
        rows.apply(key("a"), verdict(Placement { outcome: Outcome::Nowhere, ..row("a") }));
        rows.apply(key("b"), Verdict::Gone);
        assert_eq!(rows.counts.outcomes, BTreeMap::from([("nowhere", 1), ("place", 0)]));
        assert_eq!(rows.counts.held, 0);
    }
}
