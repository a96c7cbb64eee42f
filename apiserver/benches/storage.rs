//! What the store costs by itself: writes with and without waiting for the disk, lists, the past, watches, memory.
//!
//! `cargo bench -p plimsoll-apiserver --bench storage [-- OBJECTS]`

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_apiserver::storage::{Change, Expect, Key, Options, Record, Store, Write};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Each measurement of writes takes so long.
const SPAN: Duration = Duration::from_secs(2);
const WATCHERS: usize = 1_000;

fn main() -> Outcome<()> {
    let objects = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(10_000);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        memory(objects).await?;
        for (name, disk, fsync) in
            [("in memory", false, false), ("on disk, no fsync", true, false), ("on disk, fsync", true, true)]
        {
            for writers in [1, 8, 64] {
                writes(name, disk, fsync, writers).await?;
            }
        }
        Ok(())
    })
}

// --- measurements ---

/// Fills a store on disk, reads it in all ways, opens it anew.
async fn memory(objects: usize) -> Outcome<()> {
    let directory = TempDir::new()?;
    let before = resident()?;
    let store = open(Some(directory.path()), false)?;
    let fill = (0..64).map(|writer| tokio::spawn(create(store.clone(), writer, objects)));
    let start = Instant::now();
    for done in futures::future::join_all(fill.collect::<Vec<_>>()).await {
        done??;
    }
    row(&format!("{objects} objects created by 64 writers, no fsync"), &human(start.elapsed()))?;
    let bytes: usize = store.snapshot().list("apps/sets", None, None).map(|record| record.value.len()).sum();
    row("  bytes of objects", &format!("{:.1} MB", bytes as f64 / 1e6))?;
    row("  resident memory for them, history included", &megabytes(resident()?.saturating_sub(before)))?;
    row("  data file", &megabytes(std::fs::metadata(directory.path().join("objects.redb"))?.len()))?;
    row("list all into one body", &human(median(51, || list(&store))?))?;
    past(&store, objects as u64)?;
    fan_out(&store).await?;
    store.close();
    let start = Instant::now();
    let store = open(Some(directory.path()), false)?;
    row("open it again, checked", &human(start.elapsed()))?;
    row("  resident memory", &megabytes(resident()?.saturating_sub(before)))?;
    store.close();
    Ok(())
}

fn list(store: &Store) -> Outcome<usize> {
    let snapshot = store.snapshot();
    let mut body = Vec::new();
    for record in snapshot.list("apps/sets", None, None) {
        body.extend_from_slice(&record.value);
        body.push(b',');
    }
    Ok(body.len())
}

fn past(store: &Store, objects: u64) -> Outcome<()> {
    let current = store.snapshot().revision();
    for back in [objects / 100, objects / 2] {
        let start = Instant::now();
        let then = store.snapshot_at(current - back)?;
        row(&format!("the snapshot of {back} revisions ago"), &human(start.elapsed()))?;
        let start = Instant::now();
        store.snapshot_at(then.revision())?;
        row("  the same again", &human(start.elapsed()))?;
    }
    Ok(())
}

/// One write until the last of a thousand watchers has it.
async fn fan_out(store: &Store) -> Outcome<()> {
    let mut all = Vec::new();
    for _ in 0..51 {
        let revision = store.snapshot().revision();
        let watchers = (0..WATCHERS).map(|_| {
            let cursor = store.history("apps/sets").since(revision);
            tokio::spawn(async move { Outcome::Ok(cursor?.next_batch().await?.len()) })
        });
        let watchers: Vec<_> = watchers.collect();
        let key = key("n0");
        let at = store.snapshot().get(&key).map(|record| record.revision).ok_or("no object")?;
        let start = Instant::now();
        put(store, key, Expect::Revision(at)).await?;
        for watcher in watchers {
            watcher.await??;
        }
        all.push(start.elapsed());
    }
    all.sort_unstable();
    row(&format!("one write, until {WATCHERS} watchers have it"), &human(all.get(25).copied().unwrap_or_default()))
}

async fn writes(name: &str, disk: bool, fsync: bool, writers: usize) -> Outcome<()> {
    let directory = TempDir::new()?;
    let store = open(disk.then(|| directory.path()), fsync)?;
    let start = Instant::now();
    let work = (0..writers).map(|writer| tokio::spawn(update_for_a_while(store.clone(), writer, start)));
    let mut all = Vec::new();
    for times in futures::future::join_all(work.collect::<Vec<_>>()).await {
        all.extend(times??);
    }
    let seconds = start.elapsed().as_secs_f64();
    all.sort_unstable();
    let at = |share: usize| all.get(all.len() * share / 100).copied().unwrap_or_default();
    let text = format!(
        "{:>8.0}/s  p50 {:>9}  p99 {:>9}  {:>5.1} writes a commit",
        all.len() as f64 / seconds,
        human(at(50)),
        human(at(99)),
        all.len() as f64 / store.commits() as f64
    );
    row(&format!("{name}, {writers} writers"), &text)?;
    store.close();
    Ok(())
}

// --- work ---

fn open(path: Option<&Path>, fsync: bool) -> Outcome<Store> {
    Ok(Store::open(Options { path: path.map(Path::to_owned), fsync, ..Options::default() })?)
}

async fn create(store: Store, first: usize, objects: usize) -> Outcome<()> {
    for n in (first..objects).step_by(64) {
        put(&store, key(&format!("n{n}")), Expect::Absent).await?;
    }
    Ok(())
}

async fn update_for_a_while(store: Store, writer: usize, start: Instant) -> Outcome<Vec<Duration>> {
    let key = key(&format!("w{writer}"));
    let (mut times, mut at) = (Vec::new(), Expect::Absent);
    while start.elapsed() < SPAN {
        let start = Instant::now();
        at = Expect::Revision(put(&store, key.clone(), at).await?.revision);
        times.push(start.elapsed());
    }
    Ok(times)
}

async fn put(store: &Store, key: Key, expect: Expect) -> Outcome<Arc<Record>> {
    let object = replica_set(&key.name);
    Ok(store.write(Write { key, expect, change: Change::Put(object) }).await?)
}

fn key(name: &str) -> Key {
    Key { collection: "apps/sets".into(), namespace: "default".into(), name: name.into() }
}

/// About 1.2 KB, as a small workload is.
fn replica_set(name: &str) -> Json {
    let labels = json!({"app": name, "tier": "frontend", "team": "payments"});
    let container = json!({"name": "main", "image": "registry.example.com/shop/frontend:1.27.3", "imagePullPolicy": "IfNotPresent",
        "ports": [{"containerPort": 8080, "protocol": "TCP"}], "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"});
    json!({"apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {"name": name, "namespace": "default", "uid": "0f0c3a3e-92a4-4a80-9d2b-2b6a7a2b3c4d", "labels": labels,
            "creationTimestamp": "2026-11-21T10:00:00Z", "generation": 1,
            "annotations": {"federation.kubernetes.io/replica-set-preferences": "{\"rebalance\":true,\"clusters\":{\"eu-1\":{\"weight\":1}}}"}},
        "spec": {"replicas": 3, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container], "dnsPolicy": "ClusterFirst",
                "restartPolicy": "Always", "schedulerName": "default-scheduler", "securityContext": {}, "terminationGracePeriodSeconds": 30}}},
        "status": {"replicas": 0}})
}

// --- figures ---

fn median<T>(rounds: usize, mut work: impl FnMut() -> Outcome<T>) -> Outcome<Duration> {
    let mut all = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        std::hint::black_box(work()?);
        all.push(start.elapsed());
    }
    all.sort_unstable();
    Ok(all.get(rounds / 2).copied().unwrap_or_default())
}

fn resident() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn human(time: Duration) -> String {
    match time.as_micros() {
        micros if micros < 10_000 => format!("{micros} us"),
        micros => format!("{:.1} ms", micros as f64 / 1e3),
    }
}

fn row(name: &str, figure: &str) -> Outcome<()> {
    writeln!(std::io::stdout(), "{name:<52} {figure}")?;
    Ok(())
}
