//! When passes are made: at each publication, as soon as the last pass is over, periodically, and when letting go has waited long enough.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::JoinError;
use tokio::time::MissedTickBehavior;

use super::{PassReport, Reconciler, Trigger};
use crate::placements::Table;
use crate::snapshot::Store;

/// A pass is not interrupted before this: work done is worth more than a slightly newer snapshot.
const UNDISTURBED: Duration = Duration::from_millis(5);

/// Between two looks at what waits for proofs: those come with every change of anything.
const UNHURRIED: Duration = Duration::from_millis(200);
/// The outcome of what waits.
const STALE: &str = "stale";
/// A pass that was put off because something is stale is tried again this often for each time that staleness takes.
const LOOKS: u32 = 20;
const SHORTEST_LOOK: Duration = Duration::from_millis(20);
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// The sweep ended though nobody asked it to.
#[derive(Debug, thiserror::Error)]
#[error("the sweep of placed objects died; restart the engine: {0}")]
pub struct Died(#[from] JoinError);

/// Makes passes until `stop` says true or its sender is gone. `resync` is the time between looks at everything.
pub async fn run(
    mut reconciler: Reconciler,
    store: Arc<Store>,
    resync: Duration,
    mut stop: watch::Receiver<bool>,
) -> Result<(), Died> {
    let (mut published, mut proofs) = (store.subscribe(), store.proofs());
    let table = Arc::clone(reconciler.table());
    // When what waits was last looked at.
    let mut looked = Instant::now();
    let mut ticks = tokio::time::interval(resync);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // Proofs of freshness publish nothing.
    let mut looks = tokio::time::interval((store.freshness().stale_after / LOOKS).clamp(SHORTEST_LOOK, LONGEST_LOOK));
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut put_off = false;
    loop {
        let trigger = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return Ok(()),
            _ = ticks.tick() => Trigger::Resync,
            // Before publications, which may come all the time.
            () = lets_go(&store, &table), if !put_off => Trigger::Proved,
            open = published.changed() => if open.is_ok() { Trigger::Published } else { return Ok(()) },
            () = proved(&mut proofs, &table, looked) => Trigger::Proved,
            _ = looks.tick(), if put_off => Trigger::Resync,
        };
        let trigger = by_the_way(trigger, &table, looked);
        if trigger != Trigger::Published {
            looked = Instant::now();
        }
        (reconciler, put_off) = catch_up(reconciler, &store, trigger, &stop).await?;
    }
}

/// A store that is published into all the time leaves no time between for what waits: a publication shows what is known as well.
fn by_the_way(trigger: Trigger, table: &Table, looked: Instant) -> Trigger {
    let is_due = trigger == Trigger::Published && looked.elapsed() >= UNHURRIED && waits(table);
    if is_due { Trigger::Proved } else { trigger }
}

fn waits(table: &Table) -> bool {
    table.counts().outcomes.get(STALE).is_some_and(|waiting| *waiting > 0)
}

/// Returns when what was kept while the policies were new is to be let go; never, if there is nothing. They change by a publication only,
/// and the time begins again with it.
async fn lets_go(store: &Store, table: &Table) {
    if table.counts().letting_go == 0 {
        std::future::pending::<()>().await;
    }
    let left = store.grace_left(&store.load());
    if !left.is_zero() {
        tokio::time::sleep(left).await;
    }
}

/// Returns when some kind has been seen further and something waits for that; not too often.
async fn proved(proofs: &mut watch::Receiver<u64>, table: &Table, looked: Instant) {
    // What is awaited last is all that may be lost when another trigger comes first.
    tokio::time::sleep_until((looked + UNHURRIED).into()).await;
    loop {
        if proofs.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        if waits(table) {
            return;
        }
    }
}

/// Passes until nothing is left; a pass that a newer snapshot interrupted goes on with that one. Says whether it was put off.
async fn catch_up(
    mut reconciler: Reconciler,
    store: &Arc<Store>,
    mut trigger: Trigger,
    stop: &watch::Receiver<bool>,
) -> Result<(Reconciler, bool), JoinError> {
    loop {
        let (store, stop) = (Arc::clone(store), stop.clone());
        let pass = tokio::task::spawn_blocking(move || {
            let report = one_pass(&mut reconciler, &store, trigger, &stop);
            (reconciler, report, *stop.borrow())
        });
        let (after, report, stopped) = pass.await?;
        reconciler = after;
        trigger = Trigger::Published;
        if stopped || report.skipped || report.left == 0 {
            return Ok((reconciler, report.skipped));
        }
    }
}

fn one_pass(reconciler: &mut Reconciler, store: &Store, trigger: Trigger, stop: &watch::Receiver<bool>) -> PassReport {
    let report = attempt(reconciler, store, trigger, stop);
    reconciler.count(&report);
    report
}

fn attempt(reconciler: &mut Reconciler, store: &Store, trigger: Trigger, stop: &watch::Receiver<bool>) -> PassReport {
    let ((knowledge, snapshot), started) = (store.informed(), Instant::now());
    // What is decided of a fleet that is out of sight asks for nothing: the rows stay as they are, whatever admission does.
    if !store.stale(&snapshot).is_empty() {
        return PassReport { skipped: true, ..PassReport::default() };
    }
    reconciler.know(knowledge);
    let overtaken = || started.elapsed() >= UNDISTURBED && store.load().revision != snapshot.revision;
    let report = reconciler.pass(&snapshot, trigger, &|| *stop.borrow() || overtaken());
    let took = started.elapsed();
    tracing::debug!(revision = snapshot.revision, ?trigger, ?report, ?took, "swept");
    report
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::annotations::{APPLIED, Applied, AppliedKey, REPLICA_SET_PREFERENCES as KEY, digest};
    use plimsoll_contract::placement::PlacementEvent;
    use plimsoll_contract::source::Leader;
    use serde_json::json;
    use tokio::time::timeout;

    use std::sync::atomic::Ordering;

    use plimsoll_contract::status::OnStale;

    use super::super::tests::world::{OPINION, REGION, World, config, config_maps, replica_set, replica_sets, with};
    use super::*;
    use crate::placements::Filter;
    use crate::snapshot::Freshness;

    const DEADLINE: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn a_publication_becomes_an_event_and_stop_ends_the_sweep() {
        let world = World::new(REGION);
        let reconciler = Reconciler::new(Arc::clone(&world.store.load().epoch), Arc::new(config()));
        let table = Arc::clone(reconciler.table());
        let (stopper, stop) = watch::channel(false);
        let mut newest = table.subscribe();
        let since = *newest.borrow_and_update();
        let running = tokio::spawn(run(reconciler, Arc::clone(&world.store), Duration::from_secs(3600), stop));

        world.put(&replica_sets(), &[replica_set("a", "eu")]);
        timeout(DEADLINE, newest.changed()).await.unwrap().unwrap();
        let events = table.events_after(since).unwrap();
        assert!(matches!(&events[..], [PlacementEvent::Changed { placement, .. }] if placement.name == "a"), "{events:?}");

        stopper.send_replace(true);
        timeout(DEADLINE, running).await.unwrap().unwrap().unwrap();
    }

    /// Stale at once, until a proof is made that lies in the future.
    fn out_of_sight(on_stale: OnStale) -> World {
        let freshness = Freshness { stale_after: Duration::from_nanos(1), on_stale };
        let world = World::believing(freshness, REGION, vec![replica_sets()]);
        world.replace(&replica_sets(), &[replica_set("a", "eu")]);
        world
    }

    fn prove(store: &Store) {
        for source in store.load().state.sources.values() {
            source.kinds.iter().for_each(|kind| kind.proved.store(u64::MAX, Ordering::Relaxed));
        }
    }

    #[test]
    fn what_is_out_of_sight_is_not_decided_whatever_admission_does() {
        for on_stale in [OnStale::Deny, OnStale::Warn, OnStale::Ignore] {
            let mut world = out_of_sight(on_stale);
            let (_stopper, stop) = watch::channel(false);
            let mut pass = || one_pass(&mut world.reconciler, &world.store, Trigger::Resync, &stop);
            assert!(pass().skipped, "{on_stale:?}");
            prove(&world.store);
            assert_eq!((pass().skipped, pass().decided), (false, 1), "{on_stale:?}");
        }
    }

    #[tokio::test]
    async fn a_sweep_that_was_put_off_is_made_as_soon_as_all_is_fresh() {
        let World { store, reconciler, .. } = out_of_sight(OnStale::Ignore);
        let table = Arc::clone(reconciler.table());
        let (stopper, stop) = watch::channel(false);
        let mut newest = table.subscribe();
        newest.borrow_and_update();
        let running = tokio::spawn(run(reconciler, Arc::clone(&store), Duration::from_secs(3600), stop));
        // Nothing is published by this: it is looked for.
        prove(&store);
        timeout(DEADLINE, newest.changed()).await.unwrap().unwrap();
        assert_eq!(table.list(&Filter::default()).items.len(), 1);
        stopper.send_replace(true);
        timeout(DEADLINE, running).await.unwrap().unwrap().unwrap();
    }

    /// `a`, as the holder of the Lease placed it by policies that are not in force here.
    fn placed_by_the_holder(world: &World) {
        let entry = AppliedKey { was: None, sum: digest("theirs") };
        let keys = [(KEY.to_owned(), entry)].into();
        let record = Applied { kind: "ReplicaSet".into(), mac: None, policy: "theirs".into(), keys, fleet: None };
        let annotations = json!({KEY: "theirs", APPLIED: record.encode()});
        holds(&world.store, "theirs");
        world.put(&replica_sets(), &[with(replica_set("a", "eu"), "/metadata/annotations", annotations)]);
    }

    fn holds(store: &Store, policy: &str) {
        let session = store.load().state.sources["host"].session.to_string();
        store
            .report_leader("host", Leader { session, holder: "x".into(), policy: policy.into(), still: Default::default() })
            .unwrap();
    }

    /// `a`, placed by policies that have given way to others, which have no opinion on it; nothing else will happen.
    fn bereft() -> World {
        let mut world = World::letting_go(Duration::from_millis(300), OPINION);
        world.put(&replica_sets(), &[replica_set("a", "eu")]);
        world.pass();
        world.repair(&replica_sets(), &replica_set("a", "eu"));
        world.pass();
        world.policy(&OPINION.replace("count(ok) > 0", "count(ok) > 9"));
        let (mut knowledge, snapshot) = world.store.informed();
        knowledge.grace = Some(Duration::MAX);
        world.reconciler.know(knowledge);
        world.reconciler.pass(&snapshot, Trigger::Published, &|| false);
        assert!(world.row("a").letting_go);
        world
    }

    #[tokio::test]
    async fn what_waits_is_let_go_in_time_though_nothing_happens() {
        let World { store, reconciler, .. } = bereft();
        let table = Arc::clone(reconciler.table());
        let (stopper, stop) = watch::channel(false);
        let mut newest = table.subscribe();
        let running = tokio::spawn(run(reconciler, Arc::clone(&store), Duration::from_secs(3600), stop));
        while table.counts().pending == 0 {
            timeout(DEADLINE, newest.changed()).await.unwrap().unwrap();
        }
        assert!(store.grace_left(&store.load()).is_zero(), "not before the time was over");
        assert_eq!(table.counts().letting_go, 0);
        stopper.send_replace(true);
        timeout(DEADLINE, running).await.unwrap().unwrap().unwrap();
    }

    #[tokio::test]
    async fn what_waits_is_looked_at_while_others_change_all_the_time() {
        let world = World::new(REGION);
        let reconciler = Reconciler::new(Arc::clone(&world.store.load().epoch), Arc::new(config()));
        let table = Arc::clone(reconciler.table());
        let (stopper, stop) = watch::channel(false);
        placed_by_the_holder(&world);
        let running = tokio::spawn(run(reconciler, Arc::clone(&world.store), Duration::from_secs(3600), stop));
        let churns = |number: u32| {
            let map = json!({"metadata": {"name": number.to_string(), "namespace": "n", "uid": "u", "resourceVersion": "1"}});
            world.put(&config_maps(), &[map]);
        };
        let (mut number, mut was_waiting, started) = (0, false, Instant::now());
        let mut tick = tokio::time::interval(Duration::from_millis(5));
        while !was_waiting || waits(&table) || table.list(&Filter::default()).items.is_empty() {
            assert!(started.elapsed() < DEADLINE, "still waiting, was seen to wait: {was_waiting}");
            tick.tick().await;
            number += 1;
            churns(number);
            if waits(&table) && !was_waiting {
                was_waiting = true;
                // From now on nothing keeps it waiting, and nobody says so but the next proof.
                holds(&world.store, &world.store.load().policies.digest.clone());
            }
        }
        stopper.send_replace(true);
        timeout(DEADLINE, running).await.unwrap().unwrap().unwrap();
    }
}
