//! The composition root: who exists, who holds what of whom, and the order in which they stop.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plimsoll_contract::still::Still;
use thiserror::Error;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::cluster::connection::Connection;
use crate::cluster::rotation::Rotation;
use crate::cluster::{Access, AccessError};
use crate::config::Config;
use crate::engine::placements;
use crate::engine::status::{self, View};
use crate::engine::{Engine, SetupError};
use crate::health::{Condition, Health, ListenError, listen};
use crate::initialize::{Initializer, Served};
use crate::metrics::{Metrics, MetricsError};
use crate::notes::Notes;
use crate::notes::causes::Causes;
use crate::plan::brake::kept::DesiredRecord;
use crate::plan::pace::Pace;
use crate::remediator::{Line, Parts, Remediator};
use crate::replicate::Mirror;
use crate::replicate::age::Ages;
use crate::replicate::discovery::{Discovered, Discovery};
use crate::replicate::policies::Policies;
use crate::replicate::session::{Keeper, Sessions};
use crate::stale::Staleness;
use crate::write::apply::Apply;
use crate::write::brake::{self, Place};
use crate::write::events::{Events, Manner};
use crate::write::leader::LeaderReporter;
use crate::write::lease::{Election, Elector, Right};
use crate::write::throttle::Throttle;

/// The Lease gets this long on the way out, after the writes under way.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// One request about the brake's record: asked again on another connection after this time, for nothing moves without it.
const RECORD: Duration = Duration::from_secs(3);

/// Options of the command line.
#[derive(Clone, Debug)]
pub struct Options {
    /// Credentials for the API server.
    pub access: Access,
    /// Health checks and metrics.
    pub health_addr: SocketAddr,
    /// Where they are: told when the port is taken.
    pub health_bound: watch::Sender<Option<SocketAddr>>,
    /// Serve on for this long after SIGTERM, not ready.
    pub shutdown_delay: Duration,
    /// The name under which new objects of placed kinds wait for this sidecar; without it none do.
    pub initializer: Option<String>,
}

/// Why the sidecar ends in failure.
#[derive(Debug, Error)]
pub enum RunError {
    /// No credentials for the API server.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The engine's client cannot be set up.
    #[error(transparent)]
    Engine(#[from] SetupError),
    /// The listener cannot be set up.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// Metrics cannot be set up.
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    /// A part that runs for ever did not.
    #[error("the sidecar's task `{0}` ended by itself; the log says why")]
    Ended(&'static str),
}

/// Everything that several parts hold.
struct Common {
    config: Arc<Config>,
    connection: Connection,
    engine: Arc<Engine>,
    health: Health,
    metrics: Metrics,
    ages: Ages,
    instance: String,
}

/// Tasks that run for ever, by name; what is dropped is stopped.
#[derive(Default)]
struct Tasks(JoinSet<&'static str>);

impl Tasks {
    fn spawn(&mut self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(async move {
            task.await;
            name
        });
    }

    /// The first that ends.
    async fn ended(&mut self) -> &'static str {
        match self.0.join_next().await {
            Some(Ok(name)) => name,
            Some(Err(error)) => {
                tracing::error!(%error, "a task broke off");
                "unknown"
            }
            None => std::future::pending().await,
        }
    }
}

/// Tasks that finish what they do when they are told to stop.
struct Writers {
    stop: CancellationToken,
    remediator: JoinHandle<()>,
    elector: JoinHandle<()>,
    stop_elector: CancellationToken,
    /// All of it within this time.
    within: Duration,
}

/// Runs the sidecar until `shutdown`.
pub async fn run(config: Config, options: Options, shutdown: CancellationToken) -> Result<(), RunError> {
    // Somebody else may have installed it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let common = common(config, &options).await?;
    let serving = common.health.gate("serving", "starting");
    let (sender, view) = watch::channel(None);
    let conditions = (common.health.gate("mirror", ""), common.health.note("proofs", ""));
    let probe = common.config.mirror.probe;
    let stale = Staleness::new(common.ages.clone(), view.clone(), conditions, probe, common.metrics.clone());
    let refresh = Arc::new(move || stale.judge());
    let (addr, server) = listen(options.health_addr, common.health.clone(), common.metrics.clone(), refresh)?;
    let handle = server.handle();
    tracing::info!(%addr, instance = common.instance, "health checks and metrics");
    options.health_bound.send_replace(Some(addr));
    let mut tasks = Tasks::default();
    tasks.spawn("health", async move { drop(server.await) });

    let answers = common.health.gate("engine", "not reached yet");
    tasks.spawn("engine status", status::run(common.engine.clone(), sender, answers));
    tasks.spawn("credentials", rotation(&common, options.access).run());
    let (discovered, sessions) = start_session(&common, &view, &mut tasks);
    start_mirrors(&common, &discovered, &sessions, &mut tasks);
    let notes = Notes::new(Causes::new(record(&common.config), discovered.clone()));
    start_policies(&common, &sessions, &notes, &mut tasks);
    let initializer = options.initializer.map(|name| (name, discovered));
    let mut writers = start_writers(&common, view, &sessions, (&notes, initializer), &mut tasks);
    serving.met();

    let ended = tokio::select! {
        () = shutdown.cancelled() => Ok(()),
        name = tasks.ended() => Err(RunError::Ended(name)),
        _ = &mut writers.remediator => Err(RunError::Ended("remediator")),
        _ = &mut writers.elector => Err(RunError::Ended("elector")),
    };
    serving.unmet("shutting down");
    if ended.is_ok() {
        linger(options.shutdown_delay).await;
        writers.finish().await;
    }
    handle.stop(true).await;
    ended
}

async fn common(config: Config, options: &Options) -> Result<Common, RunError> {
    let connection = Connection::open(&options.access).await?;
    let engine = Arc::new(Engine::new(&config.engine)?);
    let (health, metrics) = (Health::default(), Metrics::new()?);
    Ok(Common { config: Arc::new(config), connection, engine, health, metrics, ages: Ages::default(), instance: instance() })
}

/// Keeps the API server's credentials up to date.
fn rotation(common: &Common, access: Access) -> Rotation {
    let accepted = common.health.note("credentials", "not tried yet");
    Rotation::new(&common.connection, access, &common.config.mirror, accepted, common.metrics.clone())
}

/// Starts discovery of kinds and the session with the engine.
fn start_session(common: &Common, view: &View, tasks: &mut Tasks) -> (Discovered, Sessions) {
    let reached = common.health.gate("API server", "not reached yet");
    let identified = common.health.note("cluster", "its id is not known yet");
    let (discovery, discovered) = Discovery::new(&common.connection, common.config.mirror, reached, identified);
    tasks.spawn("discovery", discovery.run(common.config.kinds.clone()));
    let (standing, sessions) = Keeper::channel();
    let keeper = Keeper {
        engine: common.engine.clone(),
        view: view.clone(),
        discovered: discovered.clone(),
        source: common.config.source.clone(),
        instance: common.instance.clone(),
        policies: common.config.policy_namespace.is_some(),
        exempt_namespaces: common.config.exempt_namespaces.clone(),
        fleet_loss: common.config.brake.fleet_loss(),
        take_over: common.config.mirror.take_over,
        declared: common.health.gate("session", "the source is not declared yet"),
        metrics: common.metrics.clone(),
    };
    tasks.spawn("session", keeper.run(standing, sessions.clone()));
    (discovered, sessions)
}

/// One mirror for each row of the table of kinds.
fn start_mirrors(common: &Common, discovered: &Discovered, sessions: &Sessions, tasks: &mut Tasks) {
    for (row, kind) in common.config.kinds.iter().enumerate() {
        let mirror = Mirror {
            connection: common.connection.clone(),
            engine: common.engine.clone(),
            config: common.config.clone(),
            row,
            discovered: discovered.clone(),
            sessions: sessions.clone(),
            loaded: loaded(&common.health, &kind.gvr.to_string(), kind.required),
            age: common.ages.of(&kind.gvr.to_string(), kind.required),
            metrics: common.metrics.clone(),
        };
        tasks.spawn("mirror", mirror.run());
    }
}

fn loaded(health: &Health, name: &str, required: bool) -> Condition {
    if required { health.gate(name, "not loaded yet") } else { health.note(name, "not loaded yet") }
}

fn start_policies(common: &Common, sessions: &Sessions, notes: &Notes, tasks: &mut Tasks) {
    let Some(namespace) = &common.config.policy_namespace else { return };
    let policies = Policies {
        connection: common.connection.clone(),
        engine: common.engine.clone(),
        source: common.config.source.clone(),
        namespace: namespace.clone(),
        selector: common.config.policy_selector.clone(),
        relist: common.config.relist,
        pace: common.config.mirror,
        sessions: sessions.clone(),
        sent: common.health.gate("policies", "not sent yet"),
        in_force: common.health.note("policies in force", "not known yet"),
        age: common.ages.of("policies", true),
        notes: notes.clone(),
        metrics: common.metrics.clone(),
    };
    tasks.spawn("policies", policies.run());
}

/// Lease, Events, patches.
fn start_writers(
    common: &Common,
    view: View,
    sessions: &Sessions,
    (notes, initializer): (&Notes, Option<(String, Discovered)>),
    tasks: &mut Tasks,
) -> Writers {
    let (client, metrics) = (&common.connection.client, &common.metrics);
    let lease = common.config.lease.as_ref();
    if lease.is_none() {
        tracing::warn!("no `lease` is configured: this sidecar takes itself for the only one");
    }
    let (elector, told) = Elector::new(client, lease, common.instance.clone(), view.clone(), metrics.clone());
    let Election { right: leading, sighting } = told;
    let (brake, still) = start_brake(common, &leading, tasks);
    let reporter = LeaderReporter {
        engine: common.engine.clone(),
        source: common.config.source.clone(),
        sessions: sessions.clone(),
        sighting,
        still,
    };
    tasks.spawn("leader", reporter.run());
    let config = &common.config.write;
    // One more than patches: Events come through beside them.
    let pace = Pace::new(common.config.budget.in_flight.max(1) + 1, config.first_slowdown, config.longest_slowdown);
    let throttle = Throttle::new(pace, metrics.clone());
    let manner = Manner { throttle: throttle.clone(), limit: config.timeout, instance: common.instance.clone() };
    let events = Events::new(client.clone(), notes.clone(), leading.clone(), manner, metrics.clone());
    tasks.spawn("events", events.run());
    let (sender, reader) = mpsc::channel(1024);
    tasks.spawn("placements", placements::run(common.engine.clone(), common.config.resync, sender));
    let apply = Apply::new(client.clone(), leading.clone(), config.timeout, metrics.clone());
    if let Some((name, discovered)) = initializer {
        start_initializers(common, &name, &discovered, (&view, &apply, &throttle), tasks);
    }
    let parts = Parts {
        feed: reader,
        apply,
        throttle,
        notes: notes.clone(),
        leading,
        view,
        epoch: common.engine.epoch(),
        brake,
        metrics: metrics.clone(),
    };
    let (stop, stop_elector) = (CancellationToken::new(), CancellationToken::new());
    let remediator = tokio::spawn(Remediator::new(parts, &common.config.budget, config).run(stop.clone()));
    let elector = tokio::spawn(elector.run(stop_elector.clone()));
    Writers { stop, remediator, elector, stop_elector, within: config.drain + LAST_WORDS }
}

/// One initializer for each placed kind, and somebody who says whether there are any.
fn start_initializers(
    common: &Common,
    name: &str,
    discovered: &Discovered,
    (view, apply, throttle): (&View, &Apply, &Throttle),
    tasks: &mut Tasks,
) {
    let (client, pace) = (common.connection.client.clone(), common.config.mirror);
    let condition = common.health.note("initializer", "not asked for yet");
    tasks.spawn("initializers served", Served { name: name.to_owned(), client, pace, condition }.run());
    let placed = common.config.kinds.iter().enumerate().filter(|(_, kind)| kind.place);
    for (row, _) in placed {
        let initializer = Initializer {
            name: name.to_owned(),
            connection: common.connection.clone(),
            engine: common.engine.clone(),
            config: common.config.clone(),
            row,
            discovered: discovered.clone(),
            view: view.clone(),
            apply: apply.clone(),
            throttle: throttle.clone(),
            metrics: common.metrics.clone(),
        };
        tasks.spawn("initializer", initializer.run());
    }
}

/// Namespace and name of the ConfigMap with the brake's record, if there is one.
fn record(config: &Config) -> Option<(String, String)> {
    let Config { brake, policy_namespace, lease, .. } = config;
    let namespace = policy_namespace.as_deref().or(lease.as_ref().map(|lease| lease.namespace.as_str()))?;
    Some((namespace.to_owned(), brake.name.clone()))
}

/// The keeper of the brake's record: what the remediator has of it, and what stands still.
fn start_brake(common: &Common, leading: &Right, tasks: &mut Tasks) -> (Line, watch::Receiver<Option<Still>>) {
    let Config { brake, write, lease, .. } = &*common.config;
    let record = record(&common.config);
    let ((observed, told), (desired, desires), (stays, still)) =
        (watch::channel(None), watch::channel(DesiredRecord::default()), watch::channel(None));
    let place = record.as_ref().map(|(namespace, name)| Place::new(&common.connection.client, namespace, name));
    let (leading, limit, unread) = (leading.clone(), write.timeout.min(RECORD), brake.rules().unread());
    let keeper = brake::Keeper { place, leading, desired: desires, observed, still: stays, unread, limit };
    tasks.spawn("brake", keeper.run());
    let line = Line {
        rules: brake.rules(),
        me: common.instance.clone(),
        lease: lease.as_ref().map(|lease| format!("{}/{}", lease.namespace, lease.name)).unwrap_or_default(),
        place: record,
        observed: told,
        desired,
        // Before 1970 there were no clusters.
        started: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
    };
    (line, still)
}

impl Writers {
    /// Patches under way first, then the Lease: nobody else writes before this replica has stopped.
    async fn finish(self) {
        let within = self.within;
        let finish = async {
            self.stop.cancel();
            let _ = self.remediator.await;
            self.stop_elector.cancel();
            let _ = self.elector.await;
        };
        if tokio::time::timeout(within, finish).await.is_err() {
            tracing::warn!("gone without waiting for all writes");
        }
    }
}

async fn linger(delay: Duration) {
    if !delay.is_zero() {
        tracing::info!(?delay, "serving on, not ready");
        tokio::time::sleep(delay).await;
    }
}

/// Tells this process from all others, and says where it runs.
fn instance() -> String {
    let host = std::env::var("POD_NAME").or_else(|_| std::env::var("HOSTNAME")).ok();
    let host = host.or_else(|| std::fs::read_to_string("/proc/sys/kernel/hostname").ok());
    let random = RandomState::new().build_hasher().finish();
    format!("{}-{:08x}", host.as_deref().map_or("sidecar", str::trim), random & 0xffff_ffff)
}
