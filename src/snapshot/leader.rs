//! Who holds the Lease, and by which policies it places: reported by sidecars, and forgotten soon after they fall silent.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use plimsoll_contract::source::Leader;
use plimsoll_contract::still::Still;
use tokio::sync::watch;

use super::store::{Store, SyncError};

/// Sidecars report it every 10 s; what nobody has repeated for this long is not known any more.
const FORGOTTEN: Duration = Duration::from_secs(30);

/// The last report of each source about the holder of its Lease.
#[derive(Debug)]
pub(super) struct Leaders {
    reports: ArcSwap<BTreeMap<String, Report>>,
    news: watch::Sender<()>,
}

#[derive(Clone, Debug)]
struct Report {
    leader: Arc<Leader>,
    /// On the store's clock.
    at: Duration,
}

impl Default for Leaders {
    fn default() -> Self {
        Self { reports: ArcSwap::default(), news: watch::Sender::new(()) }
    }
}

impl Leaders {
    /// Takes a report about one source's Lease, made at `now`.
    fn report(&self, source: &str, leader: Leader, now: Duration) {
        let report = Report { leader: Arc::new(leader), at: now };
        let before = self.reports.rcu(|all| {
            let mut all = BTreeMap::clone(all);
            all.insert(source.to_owned(), report.clone());
            all
        });
        let same = |known: &Report| known.is_fresh(now) && content(&known.leader) == content(&report.leader);
        if !before.get(source).is_some_and(same) {
            self.news.send_replace(());
        }
    }

    /// The holder of a source's Lease, as known at `now`.
    pub(super) fn of(&self, source: &str, now: Duration) -> Option<Arc<Leader>> {
        self.reports.load().get(source).filter(|report| report.is_fresh(now)).map(|report| Arc::clone(&report.leader))
    }

    /// That of the source whose sidecar spoke last.
    fn latest(&self, now: Duration) -> Option<Arc<Leader>> {
        let reports = self.reports.load();
        let fresh = reports.values().filter(|report| report.is_fresh(now));
        fresh.max_by_key(|report| report.at).map(|report| Arc::clone(&report.leader))
    }
}

impl Leaders {
    /// Returns the parts of the fleet that stand still by the report of any source: a source that names none does not end what another has
    /// stopped.
    pub(super) fn still(&self, now: Duration) -> Still {
        let mut still = Still::default();
        let reports = self.reports.load();
        reports.values().filter(|report| report.is_fresh(now)).for_each(|report| still.join(&report.leader.still));
        still
    }
}

impl Report {
    fn is_fresh(&self, now: Duration) -> bool {
        now.saturating_sub(self.at) < FORGOTTEN
    }
}

/// Returns the content of a report without its session.
fn content(leader: &Leader) -> (&str, &str, &Still) {
    (&leader.holder, &leader.policy, &leader.still)
}

impl Store {
    /// Takes a sidecar's report about the Lease of its source; it must hold the source's session.
    pub fn report_leader(&self, name: &str, leader: Leader) -> Result<(), SyncError> {
        let snapshot = self.load();
        let source = snapshot
            .state
            .sources
            .get(name)
            .ok_or_else(|| self.session_error(SyncError::UnknownSource(name.into()), &leader.session))?;
        if *source.session != *leader.session {
            return Err(SyncError::SessionEnded { source_name: name.into(), session: leader.session });
        }
        self.leaders.report(name, leader, self.now());
        Ok(())
    }

    /// Returns the holder of the Lease and the policies that it places by, of whichever source; `None` when no sidecar has reported it
    /// for 30 s.
    pub fn leader(&self) -> Option<Arc<Leader>> {
        self.leaders.latest(self.now())
    }

    /// Returns what stands still, as far as the sidecars have said so in the last 30 s.
    pub fn still(&self) -> Still {
        self.leaders.still(self.now())
    }

    /// Notified when another holder or policy is reported.
    pub fn leader_changes(&self) -> watch::Receiver<()> {
        self.leaders.news.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::still::Scopes;

    use super::*;

    fn leader(holder: &str, policy: &str) -> Leader {
        Leader { session: "s".into(), holder: holder.into(), policy: policy.into(), still: Still::default() }
    }

    #[test]
    fn what_nobody_repeats_is_forgotten_after_30_seconds() {
        let (leaders, at) = (Leaders::default(), Duration::from_secs);
        leaders.report("fleet", leader("a", "p"), at(5));
        assert_eq!(leaders.of("fleet", at(34)).as_deref(), Some(&leader("a", "p")));
        assert_eq!(leaders.of("other", at(34)), None);
        leaders.report("fleet", leader("a", "p"), at(30));
        assert!(leaders.latest(at(59)).is_some(), "repeated");
        assert_eq!((leaders.latest(at(60)), leaders.of("fleet", at(60))), (None, None));
    }

    #[test]
    fn what_one_source_has_stopped_no_other_lets_go() {
        let (leaders, at) = (Leaders::default(), Duration::from_secs);
        let paused = |words: &str| Still { paused: Scopes::read(words).0, ..Still::default() };
        leaders.report("fleet", Leader { still: paused("namespace/shop"), ..leader("a", "p") }, at(5));
        leaders.report("east", leader("b", "p"), at(6));
        assert_eq!(leaders.still(at(6)), paused("namespace/shop"));
        leaders.report("east", Leader { still: paused("kind/pods"), ..leader("b", "p") }, at(7));
        assert_eq!(leaders.still(at(7)), paused("namespace/shop, kind/pods"));
        leaders.report("fleet", leader("a", "p"), at(8));
        assert_eq!((leaders.still(at(8)), leaders.still(at(60))), (paused("kind/pods"), Still::default()));
    }

    #[test]
    fn the_last_word_counts_and_only_another_one_is_news() {
        let (leaders, at) = (Leaders::default(), Duration::from_secs);
        let mut news = leaders.news.subscribe();
        let mut tells = |source: &str, holder: &str, now| {
            leaders.report(source, leader(holder, "p"), at(now));
            let changed = news.has_changed().unwrap();
            news.borrow_and_update();
            changed
        };
        assert!(tells("fleet", "a", 1));
        assert!(!tells("fleet", "a", 11));
        assert!(tells("fleet", "b", 12));
        assert!(tells("fleet", "b", 60), "forgotten meanwhile");
        assert!(tells("east", "c", 61));
        assert_eq!(leaders.latest(at(62)).map(|leader| leader.holder.clone()).as_deref(), Some("c"));
    }
}
