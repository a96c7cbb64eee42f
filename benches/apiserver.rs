//! The embedded API server beside kube-apiserver and etcd, in one run, on one machine; with the disk waited for, and
//! without. What is compared is what a client sees: the same requests, by the same client, of both.
//!
//! `KUBEBUILDER_ASSETS=$(tests/tools/build) cargo bench --bench apiserver [-- OBJECTS [WATCHERS]]`

// The scenarios' own servers: what is measured is what is tested.
#[path = "../tests/e2e"]
#[allow(dead_code, reason = "a benchmark needs a part of it")]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr, reason = "test support")]
mod e2e {
    mod support;

    pub(super) use support::api_server::ApiServer;
    pub(super) use support::assets::Assets;
    pub(super) use support::embedded::Embedded;
    pub(super) use support::kubectl::Kubectl;
}
#[path = "apiserver/load.rs"]
#[allow(dead_code, reason = "a benchmark needs a part of it")]
mod load;
#[path = "support.rs"]
mod tables;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use e2e::{ApiServer, Assets, Embedded, Kubectl};
use load::{Load, Times};
use tables::{Outcome, human, median, p99, row, title};

/// Starts of each server.
const STARTS: usize = 3;
/// Lists of all objects.
const LISTS: usize = 5;
/// Changes that all watchers see.
const CHANGES: usize = 25;

/// What is measured of one server.
#[derive(Default)]
struct Figures {
    ready: Vec<Duration>,
    creates: Work,
    updates: Work,
    lists: Work,
    fan_outs: Work,
    /// With all objects, before anybody has read them.
    filled: u64,
    /// After the lists, with all watchers.
    watched: u64,
}

/// One kind of work.
#[derive(Default)]
struct Work {
    /// Of each request.
    times: Vec<Duration>,
    /// Of all together.
    all: Duration,
    /// What the server had of the processor for it: here the client's share does not count.
    processor: Duration,
}

/// One of the two.
enum Server {
    Real(Box<ApiServer>),
    Embedded(Box<Embedded>),
}

impl Server {
    fn admin(&self) -> Kubectl {
        match self {
            Self::Real(server) => server.admin(),
            Self::Embedded(server) => server.admin(),
        }
    }

    fn resident(&self) -> u64 {
        match self {
            Self::Real(server) => server.resident(),
            Self::Embedded(server) => server.resident(),
        }
    }

    fn processor(&self) -> Duration {
        match self {
            Self::Real(server) => server.processor(),
            Self::Embedded(server) => server.processor(),
        }
    }

    /// Does some work, and says what it cost.
    async fn work(&self, work: impl Future<Output = Outcome<Times>>) -> Outcome<Work> {
        let before = self.processor();
        let (times, all) = work.await?;
        Ok(Work { times, all, processor: self.processor().saturating_sub(before) })
    }
}

fn main() -> Outcome<()> {
    let mut sizes = std::env::args().filter_map(|argument| argument.parse().ok());
    let (objects, watchers) = (sizes.next().unwrap_or(10_000), sizes.next().unwrap_or(1_000));
    let Some(assets) = Assets::find() else { return Ok(()) };
    // Somebody else may have installed one; it is the only provider there is.
    drop(rustls::crypto::ring::default_provider().install_default());
    for fsync in [true, false] {
        let disk = if fsync { "every write waits for the disk" } else { "no write waits for the disk" };
        title(&format!("{objects} objects, {watchers} watchers; {disk}; kube-apiserver + etcd | embedded | ratio"))?;
        let real = measure(|| Server::Real(Box::new(ApiServer::start_durable(&assets, fsync))), objects, watchers)?;
        let start = || {
            let arguments: &[&str] = if fsync { &[] } else { &["--unsafe-no-fsync"] };
            Server::Embedded(Box::new(Embedded::kept_with(&assets, arguments)))
        };
        let embedded = measure(start, objects, watchers)?;
        table(&real, &embedded)?;
    }
    Ok(())
}

/// Starts three times, then works on the last.
fn measure(start: impl Fn() -> Server, objects: usize, watchers: usize) -> Outcome<Figures> {
    let mut figures = Figures::default();
    let mut server = None;
    for _ in 0..STARTS {
        drop(server.take());
        let started = Instant::now();
        let fresh = start();
        // Both are asked the same, whatever they say themselves.
        fresh.admin().try_run(&["get", "--raw=/readyz"])?;
        figures.ready.push(started.elapsed());
        server = Some(fresh);
    }
    let Some(server) = server else { return Ok(figures) };
    tokio::runtime::Runtime::new()?.block_on(async {
        let load = Load::new(server.admin().kubeconfig()).await?;
        figures.creates = server.work(load.create(objects)).await?;
        figures.filled = server.resident();
        figures.updates = server.work(load.update(objects / 5)).await?;
        figures.lists = server.work(load.lists(objects, LISTS)).await?;
        let mut watchers = load.watch(watchers).await?;
        figures.fan_outs = server.work(load.fan_out(&mut watchers, CHANGES)).await?;
        figures.watched = server.resident();
        Ok(figures)
    })
}

fn table(real: &Figures, embedded: &Figures) -> Outcome<()> {
    durations("start to ready, median of 3", real, embedded, |figures| median(figures.ready.clone()))?;
    rates("creates/s", &real.creates, &embedded.creates)?;
    rates("updates/s", &real.updates, &embedded.updates)?;
    rounds("list of all, median of 5", &real.lists, &embedded.lists)?;
    rounds("one change until every watcher has it, median of 25", &real.fan_outs, &embedded.fan_outs)?;
    bytes("resident with all objects", real.filled, embedded.filled)?;
    bytes("resident after the lists, with all watchers", real.watched, embedded.watched)
}

/// Much of one work.
fn rates(name: &str, real: &Work, embedded: &Work) -> Outcome<()> {
    let rate = |work: &Work| work.times.len() as f64 / work.all.as_secs_f64();
    let (theirs, ours) = (rate(real), rate(embedded));
    line(name, &format!("{theirs:.0}"), &format!("{ours:.0}"), ours / theirs)?;
    durations("  p99", real, embedded, |work| p99(work.times.clone()))?;
    durations("  processor time of the server, each", real, embedded, Work::each)
}

/// Little of one work.
fn rounds(name: &str, real: &Work, embedded: &Work) -> Outcome<()> {
    durations(name, real, embedded, |work| median(work.times.clone()))?;
    durations("  processor time of the server, each", real, embedded, Work::each)
}

fn bytes(name: &str, real: u64, embedded: u64) -> Outcome<()> {
    let megabytes = |bytes: u64| format!("{} MB", bytes / 1_000_000);
    line(name, &megabytes(real), &megabytes(embedded), real as f64 / embedded.max(1) as f64)
}

impl Work {
    fn each(&self) -> Duration {
        let count = u32::try_from(self.times.len()).unwrap_or(u32::MAX);
        self.processor.checked_div(count).unwrap_or_default()
    }
}

fn durations<T>(name: &str, real: &T, embedded: &T, of: impl Fn(&T) -> Duration) -> Outcome<()> {
    let (real, embedded) = (of(real), of(embedded));
    line(name, &human(real), &human(embedded), real.as_secs_f64() / embedded.as_secs_f64())
}

/// A ratio above 1 is in our favour.
fn line(name: &str, real: &str, embedded: &str, ratio: f64) -> Outcome<()> {
    let mut text = String::new();
    write!(text, "{real:>10} | {embedded:>10} | {ratio:>5.1} x")?;
    row(name, text)
}
