//! Decisions and sweeps under full load while state and policies change: no answer is wrong, none is older than what was written before
//! it was asked, each sees one revision, and memory stays flat.
//!
//! `SOAK_SECONDS=600` takes longer (`just soak`).

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod soak {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::time::{Duration, Instant};

    use plimsoll::decision::{Classes, Config, Decision, Subject, Way, Writer, decide};
    use plimsoll::placements::{Filter, Reconciler, Trigger};
    use plimsoll::rego::Module;
    use plimsoll::snapshot::Store;
    use plimsoll::snapshot::store::StoreOptions;
    use plimsoll_contract::kind::{Gvr, Kind, Mode};
    use plimsoll_contract::placement::Placement;
    use plimsoll_contract::source::Declare;
    use serde_json::{Value as Json, json};

    const CLUSTERS: &str = "federation/v1beta1/clusters";
    const REPLICA_SETS: &str = "apps/v1/replicasets";
    const BEATS: &str = "example.com/beats";
    const POLICY: &str = r#"package kubernetes.placement

placement := {"clusters": {name: {"weight": weight(c)} |
	some name, c in data.kubernetes.clusters
	c.metadata.labels.region == input.metadata.labels.region
	ready[name]
}}

ready contains name if {
	some name, c in data.kubernetes.clusters
	some condition in c.status.conditions
	condition.type == "Ready"
	condition.status == "True"
}

# So long that answers share it.
rejected[name] := sprintf("is in %s, which is another region than that of the object", [c.metadata.labels.region]) if {
	some name, c in data.kubernetes.clusters
	c.metadata.labels.region != input.metadata.labels.region
}

weight(c) := json.unmarshal(c.metadata.annotations.weights)[input.kind]

warnings contains "of team 1" if input.metadata.labels.team == "1"

annotations["example.com/beats"] := beats

beats contains c.metadata.labels.beat if some c in data.kubernetes.clusters
"#;

    fn seconds() -> u64 {
        std::env::var("SOAK_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(10)
    }

    /// Clusters of one beat, of which one is elsewhere.
    fn clusters(beat: u64, moved: usize) -> Vec<Json> {
        let cluster = |number: usize| {
            let region = if number == moved { "moved".to_owned() } else { format!("r{}", number % 4) };
            let ready = if (number + moved).is_multiple_of(7) { "False" } else { "True" };
            json!({"apiVersion": "federation/v1beta1", "kind": "Cluster",
                "metadata": {"name": format!("c{number:02}"), "uid": format!("c{number}"), "resourceVersion": beat.to_string(),
                    "labels": {"region": region, "beat": format!("b{}", beat % 16)},
                    "annotations": {"weights": json!({"ReplicaSet": number % 3 + 1}).to_string()}},
                "status": {"conditions": [{"type": "Ready", "status": ready, "lastHeartbeatTime": beat.to_string()}]}})
        };
        (0..40).map(cluster).collect()
    }

    fn object(number: usize, version: u64) -> Json {
        json!({"apiVersion": "apps/v1", "kind": "ReplicaSet",
            "metadata": {"name": format!("o{number:03}"), "namespace": "shop", "uid": format!("o{number}"),
                "resourceVersion": version.to_string(), "labels": {"region": format!("r{}", number % 5),
                    "team": (number % 2).to_string(), "name": number.to_string()}}})
    }

    struct World {
        store: Store,
        session: String,
        kept: Config,
        fresh: Config,
        /// What was answered: nothing that is asked afterwards may be older.
        written: AtomicU64,
        ended: AtomicBool,
    }

    impl World {
        fn new() -> Self {
            let store = Store::new(StoreOptions::default()).unwrap();
            let gvr = |text: &str| Gvr::try_from(text.to_owned()).unwrap();
            let fleet = Kind { namespaced: false, fleet: true, ..Kind::new(gvr(CLUSTERS), "Cluster") };
            let placed = Kind { place: true, mode: Mode::Auto, ..Kind::new(gvr(REPLICA_SETS), "ReplicaSet") };
            let declared = store.declare("test", Declare { kinds: vec![fleet, placed], ..Declare::default() }).unwrap();
            let config =
                |bytes| Config { classes: Classes::new(bytes), annotation_keys: [BEATS.to_owned()].into(), ..Config::default() };
            let (written, ended) = (AtomicU64::new(0), AtomicBool::new(false));
            // Too small for all classes.
            Self { store, session: declared.session, kept: config(24 << 10), fresh: config(0), written, ended }
        }

        fn sync(&self, kind: &str, mode: &str, lines: &[Json]) {
            let header = json!({"session": self.session, "kind": kind, "mode": mode});
            let body: String = std::iter::once(&header).chain(lines).map(|line| format!("{line}\n")).collect();
            let synced = self.store.sync("test", body.as_bytes()).unwrap();
            self.written.store(synced.revision, Ordering::SeqCst);
        }

        fn policy(&self, version: u64) {
            let text = format!("{POLICY}\nwarnings contains \"v{version}\" if input.metadata.labels.region == \"r0\"\n");
            self.store.put_policies("files", vec![Module { key: "p.rego".into(), text }]).unwrap();
            self.written.store(self.store.load().revision, Ordering::SeqCst);
        }

        /// Writes until time is up; says after which share of it memory was what.
        fn write(&self, seconds: u64) -> Vec<u64> {
            let began = Instant::now();
            let (mut round, mut memory) = (0_u64, Vec::new());
            while began.elapsed() < Duration::from_secs(seconds) {
                round += 1;
                let number = usize::try_from(round % 40).unwrap();
                self.sync(CLUSTERS, "replace", &clusters(round / 3, number));
                self.sync(REPLICA_SETS, "delta", &[json!({"put": object(number, round)})]);
                if round.is_multiple_of(40) {
                    self.policy(round % 3);
                    memory.push(resident());
                }
            }
            self.ended.store(true, Ordering::SeqCst);
            memory
        }

        /// Decides until time is up; what is kept is compared with what is not.
        fn decide(&self, mut number: usize) -> u64 {
            let mut decided = 0;
            while !self.ended.load(Ordering::SeqCst) {
                number = (number * 31 + 7) % 200;
                let before = self.written.load(Ordering::SeqCst);
                let snapshot = self.store.load();
                assert!(snapshot.revision >= before, "{} was answered, {} is seen", before, snapshot.revision);
                let object = object(number, 1);
                let subject = Subject { object: &object, kind: None, way: Way::Create, writer: Writer::Other, last: None };
                let kept = decide(&snapshot, subject, &self.kept);
                assert_eq!(kept.outcome.name(), if number % 5 == 4 { "nowhere" } else { "place" }, "{}", kept.outcome);
                let beats = &kept.annotations()[BEATS];
                assert_eq!(beats.matches('b').count(), 1, "one revision has one beat: {beats}");
                if number.is_multiple_of(4) {
                    let fresh = decide(&snapshot, subject, &self.fresh);
                    assert_eq!(Decision { cached: false, ..kept }, fresh);
                }
                decided += 1;
            }
            decided
        }

        /// Sweeps until time is up; then the table is that of a reconciler that begins now.
        fn sweep(&self) -> usize {
            let reconciler = |config: &Config| Reconciler::new("epoch".into(), Arc::new(config.clone()));
            let mut swept = 0;
            let mut own = reconciler(&self.kept);
            while !self.ended.load(Ordering::SeqCst) {
                let snapshot = self.store.load();
                swept += own.pass(&snapshot, Trigger::Published, &|| self.store.load().revision > snapshot.revision).decided;
            }
            let last = self.store.load();
            own.pass(&last, Trigger::Published, &|| false);
            let mut other = reconciler(&self.fresh);
            other.pass(&last, Trigger::Published, &|| false);
            let rows = |reconciler: &Reconciler| {
                let items = reconciler.table().list(&Filter::default()).items;
                items.into_iter().map(|row| Placement { revision: 0, ..row }).collect::<Vec<_>>()
            };
            assert_eq!(rows(&own), rows(&other));
            swept
        }
    }

    /// Bytes of this process in memory.
    fn resident() -> u64 {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        text.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0) * 4096
    }

    #[test]
    #[allow(clippy::print_stdout, reason = "the figures are what a long run is for")]
    fn nothing_is_wrong_old_or_kept_for_ever() {
        let world = World::new();
        world.policy(0);
        world.sync(CLUSTERS, "replace", &clusters(0, 0));
        world.sync(REPLICA_SETS, "replace", &(0..200).map(|number| object(number, 1)).collect::<Vec<_>>());
        let (memory, decided, swept) = std::thread::scope(|scope| {
            let deciders: Vec<_> = (0..2)
                .map(|number| {
                    scope.spawn({
                        let world = &world;
                        move || world.decide(number)
                    })
                })
                .collect();
            let reconciler = scope.spawn(|| world.sweep());
            // Whoever fails ends the others, too.
            let memory = world.write(seconds());
            let decided: u64 = deciders.into_iter().map(|decider| decider.join().unwrap()).sum();
            (memory, decided, reconciler.join().unwrap())
        });
        let (early, late) = (memory.get(memory.len() / 3).copied().unwrap_or(0), memory.last().copied().unwrap_or(0));
        println!("{decided} decisions, {swept} swept, {} policies, {} to {} KiB", memory.len(), early >> 10, late >> 10);
        assert!(decided > 0 && swept > 0);
        assert!(late <= early + early / 10 + (16 << 20), "{early} bytes grew to {late}: {memory:?}");
        assert!(world.kept.classes.bytes() <= 24 << 10);
    }
}
