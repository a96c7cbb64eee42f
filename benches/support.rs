//! A made-up fleet, its workloads, and tables to print.

#![allow(dead_code, unreachable_pub, reason = "each benchmark uses its own part of this file")]

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, Write};
use std::time::{Duration, Instant};

use plimsoll::decision::Config;
use plimsoll::rego::Module;
use plimsoll::snapshot::Store;
use plimsoll::snapshot::store::StoreOptions;
use plimsoll_contract::kind::{Gvr, Kind, Mode};
use plimsoll_contract::policy::Diagnostic;
use plimsoll_contract::source::{Declare, SyncHeader, SyncMode};
use serde_json::{Value as Json, json};

pub type Outcome<T> = Result<T, Box<dyn Error>>;

const REGIONS: [&str; 4] = ["eu", "us", "ap", "sa"];

/// A store with one declared source.
pub struct Fleet {
    pub store: Store,
    session: String,
}

impl Fleet {
    pub fn new() -> Outcome<Self> {
        let options = StoreOptions { require_sources: vec!["host".into()], ..StoreOptions::default() };
        let store = Store::new(options).map_err(|errors| all(&errors))?;
        let declare = Declare { instance: "bench".into(), kinds: vec![clusters()?, replica_sets()?], ..Declare::default() };
        let session = store.declare("host", declare)?.session;
        Ok(Self { store, session })
    }

    pub fn policies(&self, texts: &[(&str, &str)]) -> Outcome<()> {
        let modules = texts.iter().map(|(key, text)| Module { key: (*key).into(), text: (*text).into() }).collect();
        match self.store.put_policies("files", modules) {
            Ok(_) => Ok(()),
            Err(errors) => Err(all(&errors).into()),
        }
    }

    /// Lines that replace all objects of a kind.
    pub fn replace(&self, kind: &Kind, objects: impl Iterator<Item = Json>) -> Outcome<Vec<u8>> {
        let mut body = Vec::new();
        self.write(&mut body, kind, SyncMode::Replace, objects)?;
        Ok(body)
    }

    /// The same in a file, so that the body takes no memory.
    pub fn replace_file(&self, kind: &Kind, objects: impl Iterator<Item = Json>) -> Outcome<File> {
        let mut file = tempfile::tempfile()?;
        self.write(&mut BufWriter::new(&mut file), kind, SyncMode::Replace, objects)?;
        Ok(file)
    }

    /// Lines that change some objects of a kind.
    pub fn delta(&self, kind: &Kind, objects: impl Iterator<Item = Json>) -> Outcome<Vec<u8>> {
        let mut body = Vec::new();
        self.write(&mut body, kind, SyncMode::Delta, objects.map(|object| json!({"put": object})))?;
        Ok(body)
    }

    /// Sends a body from a file in pieces, as it comes over the network.
    pub fn sync_file(&self, file: &mut File) -> Outcome<()> {
        file.rewind()?;
        let (mut sync, mut piece) = (self.store.sync_body("host"), vec![0; 64 << 10]);
        loop {
            let read = file.read(&mut piece)?;
            if read == 0 {
                sync.finish()?;
                return Ok(());
            }
            sync.feed(piece.get(..read).unwrap_or_default())?;
        }
    }

    pub fn sync(&self, body: &[u8]) -> Outcome<()> {
        self.store.sync("host", body)?;
        Ok(())
    }

    fn write(&self, to: &mut impl Write, kind: &Kind, mode: SyncMode, lines: impl Iterator<Item = Json>) -> Outcome<()> {
        let header = SyncHeader {
            session: self.session.clone(),
            kind: kind.gvr.clone(),
            mode,
            resource_version: None,
            listed_millis_ago: None,
        };
        serde_json::to_writer(&mut *to, &header)?;
        for line in lines {
            to.write_all(b"\n")?;
            serde_json::to_writer(&mut *to, &line)?;
        }
        Ok(to.flush()?)
    }
}

fn all(errors: &[Diagnostic]) -> String {
    errors.iter().map(Diagnostic::to_string).collect::<Vec<_>>().join("\n")
}

pub fn clusters() -> Outcome<Kind> {
    let gvr = Gvr::try_from("cluster.karmada.io/v1alpha1/clusters".to_owned())?;
    Ok(Kind { namespaced: false, fleet: true, ..Kind::new(gvr, "Cluster") })
}

pub fn replica_sets() -> Outcome<Kind> {
    let gvr = Gvr::try_from("apps/v1/replicasets".to_owned())?;
    Ok(Kind { place: true, mode: Mode::Auto, ..Kind::new(gvr, "ReplicaSet") })
}

/// A Karmada cluster of some 800 bytes; `certified` says whether it may run card payments.
pub fn cluster(n: usize, certified: bool) -> Json {
    let region = REGIONS.get(n % REGIONS.len()).copied().unwrap_or_default();
    let pci = if certified { "true" } else { "false" };
    json!({
        "apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster",
        "metadata": {
            "name": cluster_name(n), "uid": format!("cluster-{n:08}"), "resourceVersion": "1",
            "labels": {"region": region, "env": "production", "tier": format!("t{}", n % 3)},
            "annotations": {"example.org/pci": pci, "example.org/contact": format!("team-{}@example.org", n % 17)},
        },
        "spec": {"provider": "cloud", "region": region, "zones": [format!("{region}-a"), format!("{region}-b")], "syncMode": "Push"},
        "status": {
            "kubernetesVersion": "v1.36.3",
            "conditions": [{"type": "Ready", "status": "True", "reason": "ClusterReady", "message": "cluster is healthy"}],
            "nodeSummary": {"readyNum": 20, "totalNum": 20},
            "resourceSummary": {"allocatable": {"cpu": "400", "memory": "1600Gi"}, "allocated": {"cpu": "200", "memory": "800Gi"}},
        },
    })
}

pub fn cluster_name(n: usize) -> String {
    format!("cluster-{n:04}")
}

/// A ReplicaSet of some 800 bytes, in one of `namespaces`.
pub fn replica_set(n: usize, namespaces: usize, version: usize) -> Json {
    let region = REGIONS.get(n % REGIONS.len()).copied().unwrap_or_default();
    let name = format!("workload-{n:06}");
    let labels = json!({"app": name, "team": format!("team-{}", n % 50)});
    json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {
            "name": name, "namespace": format!("ns-{:03}", n % namespaces.max(1)),
            "uid": format!("00000000-0000-4000-8000-{n:012}"), "resourceVersion": version.to_string(),
            "labels": labels,
            "annotations": {"example.org/region": region, "example.org/pci": if n.is_multiple_of(10) { "true" } else { "false" }},
        },
        "spec": {
            "replicas": 3, "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{
                    "name": "main", "image": format!("registry.example.org/{name}:1.{version}"),
                    "ports": [{"containerPort": 8080, "name": "http"}],
                    "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
                    "env": [{"name": "MODE", "value": "production"}],
                }]},
            },
        },
        "status": {"replicas": 3, "readyReplicas": 3, "observedGeneration": 1},
    })
}

/// Region and certification, in the shipped style.
pub const POLICY: &str = r#"
package kubernetes.placement

placement := {"clusters": {name: {"weight": 1} | some name in eligible}}

eligible contains name if {
	some name, cluster in data.kubernetes.clusters
	cluster.metadata.labels.region == input.metadata.annotations["example.org/region"]
	certified(cluster)
}

certified(_) if input.metadata.annotations["example.org/pci"] != "true"

certified(cluster) if cluster.metadata.annotations["example.org/pci"] == "true"
"#;

/// The engine's defaults.
pub fn config() -> Config {
    Config::default()
}

/// The middle of an odd number of measurements.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// The duration that 99 in 100 measurements do not exceed.
pub fn p99(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    let at = (times.len() * 99).div_ceil(100).saturating_sub(1);
    times.get(at).copied().unwrap_or_default()
}

pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let result = work();
    (result, started.elapsed())
}

/// Wall-clock time, and time on the processor of this thread where the system says so: on a busy machine only the latter
/// can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    pub wall: Duration,
    pub cpu: Duration,
}

pub fn cost<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let before = on_processor();
    let (result, wall) = timed(work);
    let cpu = on_processor().zip(before).map_or(wall, |(after, before)| after.saturating_sub(before));
    (result, Cost { wall, cpu })
}

fn on_processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// Time of all threads of this process on the processors, in ticks of 10 ms: only sums say something. Nothing where the system does not say.
pub fn on_all_processors() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may have spaces.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum::<u64>();
    Duration::from_millis(ticks * 10)
}

/// What work cost, repeated, as lines of a table. The system counts time on the processor in ticks of milliseconds: only
/// its mean says something.
pub fn rows(name: &str, costs: &[Cost]) -> Outcome<()> {
    let wall: Vec<Duration> = costs.iter().map(|cost| cost.wall).collect();
    let cpu: Duration = costs.iter().map(|cost| cost.cpu).sum();
    row(name, format!("{}, p99 {}", human(median(wall.clone())), human(p99(wall))))?;
    row("  on the processor, mean", human(cpu.checked_div(u32::try_from(costs.len())?).unwrap_or_default()))
}

/// Starts measuring [`peak`] anew; `None` where the system cannot.
pub fn reset_peak() -> Option<()> {
    std::fs::write("/proc/self/clear_refs", "5").ok()
}

/// Resident bytes of this process; `None` where the system does not say.
pub fn resident() -> Option<usize> {
    memory("VmRSS:")
}

/// The most resident bytes that this process had since [`reset_peak`].
pub fn peak() -> Option<usize> {
    memory("VmHWM:")
}

fn memory(field: &str) -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok().map(|kilobytes| kilobytes * 1024)
}

/// A heading.
pub fn title(text: &str) -> Outcome<()> {
    Ok(writeln!(std::io::stdout(), "\n{text}")?)
}

/// A line as it is.
pub fn line(text: &str) -> Outcome<()> {
    Ok(writeln!(std::io::stdout(), "{text}")?)
}

/// One line of a table.
pub fn row(name: &str, value: impl std::fmt::Display) -> Outcome<()> {
    Ok(writeln!(std::io::stdout(), "  {name:<58} {value:>22}")?)
}

/// A duration for people.
pub fn human(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds >= 1.0 => format!("{seconds:.2} s"),
        seconds if seconds >= 1e-3 => format!("{:.2} ms", seconds * 1e3),
        seconds => format!("{:.1} us", seconds * 1e6),
    }
}
