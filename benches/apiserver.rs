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
}
#[path = "apiserver/load.rs"]
mod load;
#[path = "support.rs"]
mod tables;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use e2e::{ApiServer, Assets, Embedded};
use load::Load;
use tables::{Outcome, human, median, p99, row, title};

/// What is measured of one server.
#[derive(Default)]
struct Figures {
    ready: Vec<Duration>,
    creates: Vec<Duration>,
    create_all: Duration,
    updates: Vec<Duration>,
    update_all: Duration,
    lists: Vec<Duration>,
    fan_outs: Vec<Duration>,
    resident: u64,
}

/// One of the two.
enum Server {
    Real(Box<ApiServer>),
    Embedded(Box<Embedded>),
}

impl Server {
    fn kubeconfig(&self) -> PathBuf {
        match self {
            Self::Real(server) => server.admin().kubeconfig().to_owned(),
            Self::Embedded(server) => server.kubeconfig(),
        }
    }

    fn resident(&self) -> u64 {
        match self {
            Self::Real(server) => server.resident(),
            Self::Embedded(server) => server.resident(),
        }
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
    for _ in 0..3 {
        drop(server.take());
        let started = Instant::now();
        server = Some(start());
        figures.ready.push(started.elapsed());
    }
    let Some(server) = server else { return Ok(figures) };
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let load = Load::new(&server.kubeconfig()).await?;
        (figures.creates, figures.create_all) = load.create(objects).await?;
        figures.resident = server.resident();
        (figures.updates, figures.update_all) = load.update(objects / 5).await?;
        for _ in 0..5 {
            figures.lists.push(load.list(objects).await?);
        }
        figures.fan_outs = load.fan_out(watchers, 5).await?;
        Ok(figures)
    })
}

fn table(real: &Figures, embedded: &Figures) -> Outcome<()> {
    durations("start to ready, median of 3", real, embedded, |figures| median(figures.ready.clone()))?;
    let rate = |figures: &Figures| figures.creates.len() as f64 / figures.create_all.as_secs_f64();
    higher("creates/s", rate(real), rate(embedded))?;
    durations("  p99", real, embedded, |figures| p99(figures.creates.clone()))?;
    let rate = |figures: &Figures| figures.updates.len() as f64 / figures.update_all.as_secs_f64();
    higher("updates/s", rate(real), rate(embedded))?;
    durations("  p99", real, embedded, |figures| p99(figures.updates.clone()))?;
    durations("list of all, median of 5", real, embedded, |figures| median(figures.lists.clone()))?;
    durations("one change until every watcher has it, median of 5", real, embedded, |figures| median(figures.fan_outs.clone()))?;
    let megabytes = |figures: &Figures| format!("{} MB", figures.resident / 1_000_000);
    let ratio = real.resident as f64 / embedded.resident.max(1) as f64;
    line("resident with all objects", &megabytes(real), &megabytes(embedded), ratio)
}

fn durations(name: &str, real: &Figures, embedded: &Figures, of: impl Fn(&Figures) -> Duration) -> Outcome<()> {
    let (real, embedded) = (of(real), of(embedded));
    line(name, &human(real), &human(embedded), real.as_secs_f64() / embedded.as_secs_f64())
}

fn higher(name: &str, real: f64, embedded: f64) -> Outcome<()> {
    line(name, &format!("{real:.0}"), &format!("{embedded:.0}"), embedded / real)
}

/// A ratio above 1 is in our favour.
fn line(name: &str, real: &str, embedded: &str, ratio: f64) -> Outcome<()> {
    let mut text = String::new();
    write!(text, "{real:>10} | {embedded:>10} | {ratio:>5.1} x")?;
    row(name, text)
}
