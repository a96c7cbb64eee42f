//! What the sidecar counts: every way out of every stage, with labels from closed sets.
//!
//! | metric | labels | counts |
//! |---|---|---|
//! | `plimsoll_sidecar_sessions_total` | `result` | declarations of the source, and sessions that ended |
//! | `plimsoll_sidecar_lists_total` | `kind`, `result` | full lists of a kind |
//! | `plimsoll_sidecar_watches_total` | `kind`, `result` | ends of watches |
//! | `plimsoll_sidecar_objects_total` | `kind`, `result` | objects seen by list or watch |
//! | `plimsoll_sidecar_syncs_total` | `kind`, `mode`, `result` | bodies sent to the engine |
//! | `plimsoll_sidecar_policies_total` | `result` | policy sets sent to the engine |
//! | `plimsoll_sidecar_rows_total` | `result` | placement rows planned |
//! | `plimsoll_sidecar_writes_total` | `result` | patches |
//! | `plimsoll_sidecar_write_seconds` | | time per patch |
//! | `plimsoll_sidecar_events_total` | `result` | Events |
//! | `plimsoll_sidecar_pending` | | objects that still wait for a patch: due, under way, or waiting to be tried again |
//! | `plimsoll_sidecar_suggested` | | objects whose patch is only suggested |
//! | `plimsoll_sidecar_held` | | objects whose patch is held back by `plimsoll.io/hold` |
//! | `plimsoll_sidecar_reverted` | | of the pending ones, those whose last patch was undone at admission |
//! | `plimsoll_sidecar_oldest_seconds` | | for how long the oldest pending object has asked for a patch; 0 if none does |
//! | `plimsoll_sidecar_repairing` | | 1: what is pending is written; 0: the log says why not |
//! | `plimsoll_sidecar_moves_total` | `cause`, `result` | patches let go that move an object |
//! | `plimsoll_sidecar_brake_on` | | 1: moves stand still until somebody releases them |
//! | `plimsoll_sidecar_brake_held` | | moves that stand still |
//! | `plimsoll_sidecar_brake_moved` | | distinct objects that moved within the brake's window |
//! | `plimsoll_sidecar_brake_limit` | | so many may, in the fleet |
//! | `plimsoll_sidecar_brake_paused` | | parts of the fleet that somebody paused |
//! | `plimsoll_sidecar_brake_failed` | | 1: the brake's record cannot be read or written, hence nothing moves |
//! | `plimsoll_sidecar_slowed` | | 1: the API server is in trouble, and few writes are sent at once |
//! | `plimsoll_sidecar_leading` | | 1: this replica writes |
//! | `plimsoll_sidecar_credential_reloads_total` | `result` | looks at changed or refused credentials |
//! | `plimsoll_sidecar_stale` | | 1: something required has not been proved current for too long |
//! | `plimsoll_sidecar_kind_age_seconds` | `kind` | time since the engine took the last proof, from when it was begun |
//!
//! `pending`, `suggested`, `held` and `reverted` count objects now in that condition, as the engine's rows say and answers showed, on every
//! replica, whoever leads. While the engine's rows are out of sight (`repairing` 0) they are as last known, and `oldest_seconds` goes on.
//!
//! `kind` is a row of the table of kinds; each `result` is one of the enums of [`crate::results`].

use prometheus::{Encoder, Gauge, GaugeVec, Histogram, HistogramOpts, IntCounterVec, IntGauge, Opts, Registry, TextEncoder};
use thiserror::Error;

use crate::results::{
    CredentialEnd, EventEnd, ListEnd, MoveEnd, ObjectEnd, PolicyEnd, RowEnd, SessionEnd, SyncEnd, WatchEnd, WriteEnd,
};

/// Two metrics of one name; a mistake of the program.
#[derive(Debug, Error)]
#[error("metrics cannot be registered")]
pub struct MetricsError(#[from] prometheus::Error);

/// All metrics of the sidecar.
#[derive(Clone, Debug)]
pub struct Metrics {
    registry: Registry,
    sessions: IntCounterVec,
    lists: IntCounterVec,
    watches: IntCounterVec,
    objects: IntCounterVec,
    syncs: IntCounterVec,
    policies: IntCounterVec,
    rows: IntCounterVec,
    writes: IntCounterVec,
    events: IntCounterVec,
    moves: IntCounterVec,
    credentials: IntCounterVec,
    ages: GaugeVec,
    /// Time per patch.
    pub write_seconds: Histogram,
    /// Objects that still wait for a patch.
    pub pending: IntGauge,
    /// Objects whose patch is only suggested.
    pub suggested: IntGauge,
    /// Objects whose patch is held back.
    pub held: IntGauge,
    /// Objects whose last patch was undone at admission.
    pub reverted: IntGauge,
    /// For how long the oldest pending object has asked, in seconds.
    pub oldest_seconds: Gauge,
    /// 1: what is pending is written.
    pub repairing: IntGauge,
    /// 1: moves stand still until somebody releases them.
    pub brake_on: IntGauge,
    /// Moves that stand still.
    pub brake_held: IntGauge,
    /// Distinct objects that moved within the brake's window.
    pub brake_moved: IntGauge,
    /// So many may, in the fleet.
    pub brake_limit: IntGauge,
    /// Parts of the fleet that somebody paused.
    pub brake_paused: IntGauge,
    /// 1: the brake's record cannot be read or written.
    pub brake_failed: IntGauge,
    /// 1: few writes are sent at once.
    pub slowed: IntGauge,
    /// 1: this replica writes.
    pub leading: IntGauge,
    /// 1: something required has not been proved current for too long.
    pub stale: IntGauge,
}

impl Metrics {
    /// Registers everything.
    pub fn new() -> Result<Self, MetricsError> {
        let registry = Registry::new();
        let counter = |name: &str, help: &str, labels: &[&str]| {
            let counter = IntCounterVec::new(Opts::new(format!("plimsoll_sidecar_{name}"), help), labels)?;
            registry.register(Box::new(counter.clone()))?;
            Ok::<_, prometheus::Error>(counter)
        };
        let gauge = |name: &str, help: &str| {
            let gauge = IntGauge::new(format!("plimsoll_sidecar_{name}"), help)?;
            registry.register(Box::new(gauge.clone()))?;
            Ok::<_, prometheus::Error>(gauge)
        };
        let write_seconds = Histogram::with_opts(HistogramOpts::new("plimsoll_sidecar_write_seconds", "Time per patch."))?;
        registry.register(Box::new(write_seconds.clone()))?;
        let ages = GaugeVec::new(
            Opts::new("plimsoll_sidecar_kind_age_seconds", "Time since a kind was last proved current; +Inf before."),
            &["kind"],
        )?;
        registry.register(Box::new(ages.clone()))?;
        let oldest = "For how long the oldest pending object has asked for a patch.";
        let oldest_seconds = Gauge::new("plimsoll_sidecar_oldest_seconds", oldest)?;
        registry.register(Box::new(oldest_seconds.clone()))?;
        Ok(Self {
            sessions: counter("sessions_total", "Declarations, and sessions that ended.", &["result"])?,
            lists: counter("lists_total", "Full lists of a kind.", &["kind", "result"])?,
            watches: counter("watches_total", "Ends of watches.", &["kind", "result"])?,
            objects: counter("objects_total", "Objects seen by list or watch.", &["kind", "result"])?,
            syncs: counter("syncs_total", "Bodies sent to the engine.", &["kind", "mode", "result"])?,
            policies: counter("policies_total", "Policy sets sent to the engine.", &["result"])?,
            rows: counter("rows_total", "Placement rows planned.", &["result"])?,
            writes: counter("writes_total", "Patches.", &["result"])?,
            events: counter("events_total", "Events.", &["result"])?,
            pending: gauge("pending", "Objects that still wait for a patch.")?,
            suggested: gauge("suggested", "Objects whose patch is only suggested.")?,
            held: gauge("held", "Objects whose patch is held back.")?,
            reverted: gauge("reverted", "Objects whose last patch was undone at admission.")?,
            oldest_seconds,
            repairing: gauge("repairing", "1: what is pending is written.")?,
            moves: counter("moves_total", "Patches let go that move an object.", &["cause", "result"])?,
            brake_on: gauge("brake_on", "1: moves stand still until somebody releases them.")?,
            brake_held: gauge("brake_held", "Moves that stand still.")?,
            brake_moved: gauge("brake_moved", "Distinct objects that moved within the window of the brake.")?,
            brake_limit: gauge("brake_limit", "Objects that may move within the window of the brake.")?,
            brake_paused: gauge("brake_paused", "Parts of the fleet that somebody paused.")?,
            brake_failed: gauge("brake_failed", "1: the record of the brake cannot be read or written.")?,
            slowed: gauge("slowed", "1: few writes are sent at once.")?,
            leading: gauge("leading", "1: this replica writes.")?,
            stale: gauge("stale", "1: something required has not been proved current for too long.")?,
            credentials: counter("credential_reloads_total", "Looks at changed or refused credentials.", &["result"])?,
            ages,
            write_seconds,
            registry,
        })
    }

    /// Counts a declaration, or the end of a session.
    pub fn session(&self, end: SessionEnd) {
        self.sessions.with_label_values(&[end.label()]).inc();
    }

    /// Counts a full list.
    pub fn list(&self, kind: &str, end: ListEnd) {
        self.lists.with_label_values(&[kind, end.label()]).inc();
    }

    /// Counts the end of a watch.
    pub fn watch(&self, kind: &str, end: WatchEnd) {
        self.watches.with_label_values(&[kind, end.label()]).inc();
    }

    /// Counts objects.
    pub fn objects(&self, kind: &str, end: ObjectEnd, number: u64) {
        self.objects.with_label_values(&[kind, end.label()]).inc_by(number);
    }

    /// Counts a body sent to the engine.
    pub fn sync(&self, kind: &str, mode: &str, end: SyncEnd) {
        self.syncs.with_label_values(&[kind, mode, end.label()]).inc();
    }

    /// Counts a policy set.
    pub fn policy(&self, end: PolicyEnd) {
        self.policies.with_label_values(&[end.label()]).inc();
    }

    /// Counts a planned row.
    pub fn row(&self, end: RowEnd) {
        self.rows.with_label_values(&[end.label()]).inc();
    }

    /// Counts a patch.
    pub fn write(&self, end: WriteEnd) {
        self.writes.with_label_values(&[end.label()]).inc();
    }

    /// Counts a patch that moves an object. `cause` is a sort of cause, of a closed set.
    pub fn moved(&self, cause: &str, end: MoveEnd) {
        self.moves.with_label_values(&[cause, end.label()]).inc();
    }

    /// Counts an Event.
    pub fn event(&self, end: EventEnd) {
        self.events.with_label_values(&[end.label()]).inc();
    }

    /// Counts a look at the credentials.
    pub fn credentials(&self, end: CredentialEnd) {
        self.credentials.with_label_values(&[end.label()]).inc();
    }

    /// Notes a kind's age; `None` before it is proved.
    pub fn age(&self, kind: &str, age: Option<std::time::Duration>) {
        self.ages.with_label_values(&[kind]).set(age.map_or(f64::INFINITY, |age| age.as_secs_f64()));
    }

    /// The text that Prometheus reads.
    pub fn text(&self) -> Result<String, MetricsError> {
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_metric_of_the_table_above_exists() {
        let metrics = Metrics::new().unwrap();
        metrics.session(SessionEnd::Declared);
        metrics.list("k", ListEnd::Complete);
        metrics.watch("k", WatchEnd::Closed);
        metrics.objects("k", ObjectEnd::Put, 1);
        metrics.sync("k", "delta", SyncEnd::Published);
        metrics.policy(PolicyEnd::Accepted);
        metrics.row(RowEnd::Patch);
        metrics.write(WriteEnd::Patched);
        metrics.event(EventEnd::Created);
        metrics.moved("policy", MoveEnd::Counted);
        metrics.credentials(CredentialEnd::Swapped);
        metrics.age("k", None);
        let text = metrics.text().unwrap();
        let documented: Vec<&str> = include_str!("metrics.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("//! | `plimsoll_sidecar_"))
            .filter_map(|line| line.split('`').next())
            .collect();
        assert_eq!(documented.len(), 28);
        for name in documented {
            assert!(text.contains(&format!("# HELP plimsoll_sidecar_{name} ")), "{name}");
        }
    }
}
