//! The table: one writer (the sweep), many readers.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;
use plimsoll_contract::kind::Gvr;
use plimsoll_contract::placement::{Placement, PlacementEvent, PlacementList};
use plimsoll_contract::status::Decided;
use tokio::sync::watch;

use super::log::{Entry, Log, REMOVALS};
use super::passes::{Passes, Tally};
use super::reconcile::PassReport;
use super::rows::{Counts, Key, Rows, Verdict};
use crate::decision::Last;

/// Events that one [`Table::events_after`] returns at most.
const BATCH: usize = 1_024;

/// Every placed object's row, and the recent changes. Reading never waits for the sweep.
#[derive(Debug)]
pub struct Table {
    epoch: Arc<str>,
    rows: ArcSwap<Rows>,
    newest: watch::Sender<u64>,
    tally: Tally,
}

/// The one that may write; made together with its [`Table`].
#[derive(Debug)]
pub(super) struct Writer {
    table: Arc<Table>,
}

/// A filter of the rows to list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only this kind.
    pub gvr: Option<Gvr>,
    /// Only this namespace.
    pub namespace: Option<String>,
    /// Only rows whose outcome is called so.
    pub outcome: Option<String>,
    /// Only rows that name this cluster.
    pub cluster: Option<String>,
    /// Only rows with something left to write.
    pub pending: bool,
}

/// The position is too old or of another epoch: list again (HTTP 410).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("position {0} is too old or of another epoch: list placements again")]
pub struct Gone(pub u64);

// === Table ===

impl Table {
    /// The rows that match.
    pub fn list(&self, filter: &Filter) -> PlacementList {
        let rows = self.rows.load();
        let decided = |row: &Arc<Placement>| Placement { revision: rows.swept.max(row.revision), ..Placement::clone(row) };
        PlacementList {
            epoch: self.epoch.to_string(),
            revision: rows.swept,
            since: rows.log.newest(),
            items: rows.rows().map(|(_, row)| row).filter(|row| filter.matches(row)).map(decided).collect(),
        }
    }

    /// Returns the last decision about an object, by its uid.
    pub fn last(&self, uid: &str) -> Option<Last> {
        self.rows.load().last(uid).map(|last| Last::clone(last))
    }

    /// The next events after `since`, oldest first; empty when there are none yet. At most a batch: ask again after the
    /// position of the last one until nothing comes. A row that changed several times comes once, as it is now.
    pub fn events_after(&self, since: u64) -> Result<Vec<PlacementEvent>, Gone> {
        let rows = self.rows.load();
        let events = rows.log.after(since).ok_or(Gone(since))?;
        Ok(events.take(BATCH).map(|(seq, entry)| self.event(seq, entry)).collect())
    }

    /// "Nothing happened up to here", for a reader that has everything up to `since`; `None` if there is more to read.
    pub fn bookmark(&self, since: u64) -> Option<PlacementEvent> {
        let rows = self.rows.load();
        let epoch = self.epoch.to_string();
        (rows.log.newest() == since).then_some(PlacementEvent::Bookmark { epoch, seq: since, revision: rows.swept })
    }

    /// Tells the newest position in the stream.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    /// The engine process.
    pub fn epoch(&self) -> &str {
        &self.epoch
    }

    /// Returns how far the rows have been decided, and how far a reader has to read to know it.
    pub fn decided(&self) -> Decided {
        let rows = self.rows.load();
        Decided { revision: rows.swept, position: rows.log.newest() }
    }

    /// The revision up to which every row has been decided; 0 before the first sweep ended.
    pub fn swept_revision(&self) -> u64 {
        self.rows.load().swept
    }

    /// Returns the number of rows of each sort.
    pub fn counts(&self) -> Counts {
        self.rows.load().counts.clone()
    }

    /// Returns what became of the passes so far.
    pub fn passes(&self) -> Passes {
        self.tally.read()
    }

    fn event(&self, seq: u64, entry: &Entry) -> PlacementEvent {
        let epoch = self.epoch.to_string();
        match entry {
            Entry::Changed(row) => PlacementEvent::Changed { epoch, seq, placement: Box::new(Placement::clone(row)) },
            Entry::Removed(key) => PlacementEvent::Removed {
                epoch,
                seq,
                gvr: Gvr::clone(&key.gvr),
                namespace: key.namespace.to_string(),
                name: key.name.to_string(),
            },
        }
    }
}

// === Writer ===

impl Writer {
    /// An empty table of an engine process.
    ///
    /// Positions start at the time in microseconds, so that one of an earlier process is older than anything here and
    /// answered `Gone` even if the reader does not say which process it is from.
    pub(super) fn new(epoch: Arc<str>) -> Self {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::starting_at(epoch, u64::try_from(time.as_micros()).unwrap_or_default(), REMOVALS)
    }

    fn starting_at(epoch: Arc<str>, start: u64, removals: usize) -> Self {
        let rows = ArcSwap::from_pointee(Rows::new(Log::new(start, removals)));
        Self { table: Arc::new(Table { epoch, rows, newest: watch::channel(start).0, tally: Tally::default() }) }
    }

    pub(super) fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// The rows as readers see them.
    pub(super) fn rows(&self) -> Arc<Rows> {
        self.table.rows.load_full()
    }

    /// Counts a pass that is over.
    pub(super) fn count(&self, report: &PassReport) {
        self.table.tally.add(report);
    }

    /// Publishes verdicts and the revision swept up to, at once; returns how many events that made.
    pub(super) fn publish(&self, verdicts: Vec<(Key, Verdict)>, swept: u64) -> usize {
        let mut rows = Rows::clone(&self.table.rows.load());
        if verdicts.is_empty() && rows.swept == swept {
            return 0;
        }
        rows.meet(&verdicts);
        let events = verdicts.into_iter().map(|(key, verdict)| rows.apply(key, verdict)).filter(|event| *event).count();
        rows.swept = swept;
        let newest = rows.log.newest();
        self.table.rows.store(Arc::new(rows));
        self.table.newest.send_if_modified(|told| std::mem::replace(told, newest) != newest);
        events
    }
}

// === Filter ===

impl Filter {
    fn matches(&self, row: &Placement) -> bool {
        self.gvr.as_ref().is_none_or(|gvr| *gvr == *row.gvr)
            && self.namespace.as_ref().is_none_or(|namespace| *namespace == row.namespace)
            && self.outcome.as_ref().is_none_or(|outcome| row.outcome.is_called(outcome))
            && self.cluster.as_ref().is_none_or(|cluster| row.clusters.contains(cluster))
            && (!self.pending || !row.patch.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use plimsoll_contract::outcome::Outcome;

    use super::super::rows::tests::{gvr, key, row, verdict};
    use super::*;

    fn writer() -> Writer {
        Writer::starting_at("e".into(), 0, 4)
    }

    fn seqs(events: &[PlacementEvent]) -> Vec<u64> {
        let seq = |event: &PlacementEvent| match event {
            PlacementEvent::Changed { seq, .. } | PlacementEvent::Removed { seq, .. } => *seq,
            PlacementEvent::Bookmark { .. } => panic!("a bookmark is not stored"),
        };
        events.iter().map(seq).collect()
    }

    #[test]
    fn a_list_and_the_events_after_it_leave_nothing_out() {
        let writer = writer();
        let table = Arc::clone(writer.table());
        writer.publish(vec![(key("a"), verdict(row("a")))], 1);
        let list = table.list(&Filter::default());
        assert_eq!((list.items.len(), list.since, list.revision, list.epoch.as_str()), (1, 1, 1, "e"));
        writer.publish(vec![(key("b"), verdict(row("b"))), (key("a"), Verdict::Gone)], 2);
        let events = table.events_after(list.since).unwrap();
        assert_eq!(seqs(&events), [2, 3]);
        assert!(matches!(&events[0], PlacementEvent::Changed { placement, .. } if placement.name == "b"));
        let gone = PlacementEvent::Removed { epoch: "e".into(), seq: 3, gvr: gvr(), namespace: "shop".into(), name: "a".into() };
        assert_eq!(events[1], gone);
    }

    #[test]
    fn a_list_says_the_revision_that_the_sweep_proved() {
        let writer = writer();
        writer.publish(vec![(key("a"), verdict(row("a")))], 1);
        writer.publish(Vec::new(), 7);
        assert_eq!(writer.table().list(&Filter::default()).items[0].revision, 7);
    }

    #[test]
    fn filters_narrow_the_list() {
        let writer = writer();
        let patch = Arc::new(BTreeMap::from([("k".to_owned(), None)]));
        let other =
            Placement { namespace: "bank".into(), clusters: Arc::default(), outcome: Outcome::Nowhere, patch, ..row("b") };
        writer.publish(vec![(key("a"), verdict(row("a"))), (key("b"), verdict(other))], 1);
        let default = Filter::default;
        let cases = [
            (default(), 2),
            (Filter { gvr: Some(gvr()), ..default() }, 2),
            (Filter { gvr: Some(Gvr { group: String::new(), ..gvr() }), ..default() }, 0),
            (Filter { namespace: Some("bank".into()), ..default() }, 1),
            (Filter { outcome: Some("nowhere".into()), ..default() }, 1),
            (Filter { cluster: Some("east".into()), ..default() }, 1),
            (Filter { pending: true, ..default() }, 1),
            (Filter { pending: true, cluster: Some("east".into()), ..default() }, 0),
        ];
        for (filter, rows) in cases {
            assert_eq!(writer.table().list(&filter).items.len(), rows, "{filter:?}");
        }
    }

    #[test]
    fn t10_a_position_of_an_earlier_process_is_gone() {
        let before = Writer::new("one".into());
        before.publish(vec![(key("a"), verdict(row("a")))], 1);
        let since = before.table().list(&Filter::default()).since;
        let after = Writer::starting_at("two".into(), since + 1, 4);
        assert_eq!(after.table().events_after(since), Err(Gone(since)));
    }

    #[test]
    fn a_reader_that_missed_forgotten_removals_is_told_to_list_again() {
        let writer = writer();
        for name in ["a", "b", "c", "d", "e"] {
            writer.publish(vec![(key(name), verdict(row(name)))], 1);
            writer.publish(vec![(key(name), Verdict::Gone)], 1);
        }
        assert_eq!(writer.table().events_after(1), Err(Gone(1)));
        assert_eq!(seqs(&writer.table().events_after(2).unwrap()), [4, 6, 8, 10]);
    }

    #[test]
    fn events_come_in_batches() {
        let writer = writer();
        let names: Vec<String> = (0..=BATCH).map(|n| n.to_string()).collect();
        writer.publish(names.iter().map(|name| (key(name), verdict(row(name)))).collect(), 1);
        let first = writer.table().events_after(0).unwrap();
        assert_eq!(first.len(), BATCH);
        assert_eq!(seqs(&writer.table().events_after(BATCH as u64).unwrap()), [BATCH as u64 + 1]);
    }

    #[test]
    fn memory_follows_uids_that_change_names_in_one_batch() {
        let of = |name: &str, uid: &str| (key(name), verdict(Placement { uid: uid.into(), ..row(name) }));
        for order in [["a", "b", "c"], ["c", "b", "a"], ["b", "a", "c"]] {
            let writer = writer();
            writer.publish(vec![of("a", "u"), of("b", "v")], 1);
            let next = |name: &str| {
                of(
                    name,
                    match name {
                        "a" => "v",
                        "b" => "w",
                        _ => "u",
                    },
                )
            };
            writer.publish(order.map(next).into(), 2);
            for uid in ["u", "v", "w"] {
                assert!(writer.table().last(uid).is_some(), "{order:?} {uid}");
            }
            writer.publish(vec![(key("b"), Verdict::Gone), (key("c"), Verdict::Gone)], 3);
            let left = ["u", "v", "w"].map(|uid| writer.table().last(uid).is_some());
            assert_eq!(left, [false, true, false], "{order:?}");
        }
    }

    #[test]
    fn a_bookmark_is_for_readers_that_have_everything() {
        let writer = writer();
        writer.publish(vec![(key("a"), verdict(row("a")))], 3);
        assert_eq!(writer.table().bookmark(0), None);
        let bookmark = PlacementEvent::Bookmark { epoch: "e".into(), seq: 1, revision: 3 };
        assert_eq!(writer.table().bookmark(1), Some(bookmark));
    }

    #[test]
    fn subscribers_are_woken_by_events_only() {
        let writer = writer();
        let mut newest = writer.table().subscribe();
        writer.publish(vec![(key("a"), verdict(row("a")))], 1);
        assert!(newest.has_changed().unwrap());
        newest.mark_unchanged();
        writer.publish(vec![(key("a"), verdict(row("a")))], 2);
        assert!(!newest.has_changed().unwrap());
        assert_eq!(writer.table().decided(), Decided { revision: 2, position: 1 }, "told to whoever asks");
    }
}
