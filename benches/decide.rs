//! One decision at 10, 100 and 1,000 clusters; then decisions of the shipped policies: of classes that were seen before, from the text of
//! an object to that of the answer, and each of a class of its own, right after one of 1,000 clusters has changed.
//!
//! `cargo bench --bench decide`

mod support;

use std::hint::black_box;
use std::time::{Duration, Instant};

use plimsoll::decision::skim::skim;
use plimsoll::decision::{Config, Sight, Subject, Way, Writer, decide, decide_seen};
use plimsoll::server::limits::document;
use plimsoll::snapshot::Snapshot;
use serde_json::{Value as Json, json};
use support::{Fleet, Outcome, POLICY, cluster, clusters, config, human, median, replica_set, replica_sets, row, timed, title};

/// As they are shipped.
const SHIPPED: [(&str, &str); 6] = [
    ("lib/clusters.rego", include_str!("../policies/lib/clusters.rego")),
    ("lib/placement.rego", include_str!("../policies/lib/placement.rego")),
    ("lib/rules.rego", include_str!("../policies/lib/rules.rego")),
    ("placement/compliance.rego", include_str!("../policies/placement/compliance.rego")),
    ("placement/jurisdiction.rego", include_str!("../policies/placement/jurisdiction.rego")),
    ("placement/requested.rego", include_str!("../policies/placement/requested.rego")),
];

fn main() -> Outcome<()> {
    for fleet_size in [10, 100, 1_000] {
        title(&format!("one decision, {fleet_size} clusters"))?;
        let fleet = Fleet::new()?;
        fleet.policies(&[("placement.rego", POLICY)])?;
        fleet.sync(&fleet.replace(&replica_sets()?, std::iter::empty())?)?;
        let body = fleet.replace(&clusters()?, (0..fleet_size).map(|n| cluster(n, true)))?;
        let (synced, load) = timed(|| fleet.sync(&body));
        synced?;
        row("clusters loaded, until published", human(load))?;
        let time = decisions(&fleet)?;
        row("plimsoll, in process, one thread: median", human(time))?;
    }
    seen()?;
    after_changes()
}

/// The shipped policies, 100 clusters, 10,000 objects in 1,000 classes.
fn seen() -> Outcome<()> {
    title("shipped policies, 100 clusters, classes that were seen before: from text to text")?;
    let (fleet, config) = (Fleet::new()?, config());
    fleet.policies(&SHIPPED)?;
    fleet.sync(&fleet.replace(&replica_sets()?, std::iter::empty())?)?;
    fleet.sync(&fleet.replace(&clusters()?, (0..100).map(|n| cluster(n, true)))?)?;
    let snapshot = fleet.store.load();
    let objects: Vec<_> = (0..10_000).map(|n| wanting("", n % 1_000, n)).collect();
    for object in objects.iter().take(1_000) {
        black_box(decide(&snapshot, new(object), &config));
    }
    let texts: Vec<_> = objects.iter().map(Json::to_string).collect();
    let whole = median_of(&texts, |text| Ok(document(text, "the object")?), (&snapshot, &config))?;
    let basis = snapshot.known_basis(&config.placement_path).ok_or("nothing was decided")?;
    let skimmed = median_of(&texts, |text| skim(text, basis).ok_or_else(|| "all of it is read".into()), (&snapshot, &config))?;
    row("by way of the whole tree, median", human(whole))?;
    row("by what decides alone, median", human(skimmed))?;
    row("  times as fast", format!("{:.2}", whole.as_secs_f64() / skimmed.as_secs_f64()))
}

fn new(object: &Json) -> Subject<'_> {
    Subject { object, kind: None, way: Way::Create, writer: Writer::Unknown, last: None }
}

fn median_of(
    texts: &[String],
    read: impl Fn(&[u8]) -> Outcome<Json>,
    (snapshot, config): (&Snapshot, &Config),
) -> Outcome<Duration> {
    let mut times = Vec::new();
    for text in texts {
        let (answer, time) = timed(|| {
            let object = read(text.as_bytes())?;
            let decision = decide_seen(snapshot, new(&object), config, &Sight::default(), usize::MAX);
            let decision = decision.filter(|decision| decision.cached).ok_or("it is not kept")?;
            Outcome::Ok(serde_json::to_vec(&decision.shown())?)
        });
        black_box(answer?);
        times.push(time);
    }
    Ok(median(times))
}

/// The shipped policies, 1,000 clusters, 101 changes of each sort.
fn after_changes() -> Outcome<()> {
    title("shipped policies, 1,000 clusters, each decision of a new class")?;
    let fleet = Fleet::new()?;
    fleet.policies(&SHIPPED)?;
    fleet.sync(&fleet.replace(&replica_sets()?, std::iter::empty())?)?;
    fleet.sync(&fleet.replace(&clusters()?, (0..1_000).map(|n| cluster(n, true)))?)?;
    after("nothing has changed", &fleet, |_| None)?;
    after("one cluster's heartbeat, which is not read", &fleet, |round| Some(beating(round)))?;
    after("one cluster's annotation, which is read", &fleet, |round| Some(annotated(round)))
}

/// The first decision after each change, and the one after it.
fn after(what: &str, fleet: &Fleet, change: impl Fn(usize) -> Option<Json>) -> Outcome<()> {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for round in 0..101 {
        if let Some(cluster) = change(round) {
            fleet.sync(&fleet.delta(&clusters()?, std::iter::once(cluster))?)?;
        }
        first.push(decided(fleet, &wanting(what, 2 * round, 2 * round))?);
        second.push(decided(fleet, &wanting(what, 2 * round + 1, 2 * round + 1))?);
    }
    row(&format!("after {what}: first, median"), human(median(first)))?;
    row("  the next one", human(median(second)))
}

fn decided(fleet: &Fleet, object: &Json) -> Outcome<Duration> {
    let (kind, config) = (replica_sets()?, config());
    let subject = Subject { object, kind: Some(&kind), way: Way::Stored, writer: Writer::Unknown, last: None };
    let (decision, time) = timed(|| decide(&fleet.store.load(), subject, &config));
    match decision.outcome.name() {
        "place" => Ok(time),
        _ => Err(format!("not placed: {}", decision.outcome).into()),
    }
}

/// Of a class that no other number has.
fn wanting(what: &str, class: usize, n: usize) -> Json {
    let mut object = replica_set(n, 100, 1);
    let wanted = json!({"clusters": {"*": {"weight": class + 1, "maxReplicas": 1_000 + what.len()}}});
    if let Some(annotations) = object.pointer_mut("/metadata/annotations") {
        *annotations = json!({"federation.kubernetes.io/replica-set-preferences": wanted.to_string()});
    }
    object
}

fn beating(round: usize) -> Json {
    let mut cluster = cluster(round % 1_000, true);
    if let Some(nodes) = cluster.pointer_mut("/status/nodeSummary") {
        *nodes = json!({"readyNum": round, "totalNum": 1_000});
    }
    cluster
}

fn annotated(round: usize) -> Json {
    let mut cluster = cluster(7 * round % 1_000, true);
    if let Some(annotations) = cluster.pointer_mut("/metadata/annotations").and_then(Json::as_object_mut) {
        annotations.insert("round".to_owned(), round.to_string().into());
    }
    cluster
}

/// Distinct objects one after the other, for a second.
fn decisions(fleet: &Fleet) -> Outcome<Duration> {
    let (snapshot, kind, config) = (fleet.store.load(), replica_sets()?, config());
    let (mut times, started) = (Vec::new(), Instant::now());
    while started.elapsed() < Duration::from_secs(1) || times.len() < 5 {
        let object = replica_set(times.len(), 100, 1);
        let subject = Subject { object: &object, kind: Some(&kind), way: Way::Stored, writer: Writer::Unknown, last: None };
        let (decision, time) = timed(|| decide(&snapshot, subject, &config));
        if decision.outcome.name() != "place" {
            return Err(format!("not placed: {}", decision.outcome).into());
        }
        black_box(decision);
        times.push(time);
    }
    Ok(median(times))
}
