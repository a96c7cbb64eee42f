//! An engine that answers: its listeners, its sweep over placed objects, and the watch on its policies.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::{Server, ServerHandle};
use actix_web::rt::task::JoinHandle;
use actix_web::web::Data;
use anyhow::{Context, anyhow};
use futures::future::{SelectAll, select_all};
use serde_json::{Map, Value as Json};
use tokio::sync::watch;

use super::arming;
use super::assembly::Assembly;
use super::management::Tasks;
use super::shutdown::{self, Ending, Signals};
use crate::placements::reconcile::runner::{self, Died};
use crate::policy_set::last_good::{self, Keeper};
use crate::policy_set::watch::{Reload, Watch, WatchIntervals};
use crate::server::Engine;
use crate::server::listen::{Admission, Listener, Role};
use crate::snapshot::Store;

/// All parts of a running engine.
pub struct Running {
    urls: Map<String, Json>,
    engine: Data<Engine>,
    handles: Vec<ServerHandle>,
    servers: SelectAll<JoinHandle<io::Result<()>>>,
    sweep: JoinHandle<Result<(), Died>>,
    telling: JoinHandle<()>,
    keeping: Option<JoinHandle<()>>,
    stop: watch::Sender<bool>,
    shutdown_delay: Duration,
    management: Tasks,
    _watches: Vec<Watch>,
}

impl Running {
    /// Starts to answer requests. Must be called inside actix' runtime. Fails when policies cannot be watched or a listener cannot be
    /// served.
    pub fn start(assembly: Assembly) -> anyhow::Result<Self> {
        let Assembly {
            listeners,
            engine,
            reconciler,
            policies,
            bundles,
            state_dir,
            management,
            resync,
            shutdown_delay,
            admission,
        } = assembly;
        let urls = urls(&listeners);
        let mut watches = Vec::new();
        watches.extend(watch(policies, &engine.store, Box::new(crate::policy_set::reload))?);
        let verifier = management.verifier();
        let budget = Arc::clone(&engine.budget);
        let reload =
            move |paths: &[PathBuf], store: &Store| crate::management::bundles::local::reload(paths, &verifier, &budget, store);
        watches.extend(watch(bundles, &engine.store, Box::new(reload))?);
        let management = management.start(&engine.store, &engine.budget);
        let telling = actix_web::rt::spawn(arming::tell(Arc::clone(&engine.store), Arc::clone(&engine.config)));
        let keeping = state_dir.map(|state_dir| {
            let counts = engine.metrics.last_good.clone();
            actix_web::rt::spawn(last_good::keep(Keeper::new(Arc::clone(&engine.store), state_dir, counts)))
        });
        let (stop, stopped) = watch::channel(false);
        let sweep = actix_web::rt::spawn(runner::run(reconciler, Arc::clone(&engine.store), resync, stopped));
        let servers = serve(listeners, &engine, &admission)?;
        let handles = servers.iter().map(Server::handle).collect();
        let servers = select_all(servers.into_iter().map(actix_web::rt::spawn));
        Ok(Self { urls, engine, handles, servers, sweep, telling, keeping, stop, shutdown_delay, management, _watches: watches })
    }

    /// Returns the address of each listener, by the listener's name.
    pub fn urls(&self) -> &Map<String, Json> {
        &self.urls
    }

    /// Returns the store of state and policies.
    pub fn store(&self) -> &Arc<Store> {
        &self.engine.store
    }

    /// Waits until a listener or the sweep ends by itself, and returns why.
    pub async fn ended(&mut self) -> anyhow::Error {
        tokio::select! {
            (ended, ..) = &mut self.servers => anyhow!("a listener ended by itself: {ended:?}"),
            died = &mut self.sweep => anyhow!("the sweep ended by itself: {died:?}"),
        }
    }

    /// Answers the requests that have begun, then stops. A second signal ends this at once.
    pub async fn leave(self, signals: &mut Signals) -> Ending {
        let ending = shutdown::leave(signals, &self.handles, &self.engine.phase, self.shutdown_delay).await;
        self.stop.send_replace(true);
        self.telling.abort();
        if let Some(keeping) = &self.keeping {
            keeping.abort();
        }
        self.management.end().await;
        ending
    }
}

fn watch(paths: Vec<PathBuf>, store: &Arc<Store>, reload: Reload) -> anyhow::Result<Option<Watch>> {
    if paths.is_empty() {
        return Ok(None);
    }
    let watch = crate::policy_set::watch::spawn(paths, Arc::clone(store), reload, WatchIntervals::default());
    watch.map(Some).context("could not watch the policies")
}

fn serve(listeners: Vec<(Role, Listener)>, engine: &Data<Engine>, admission: &Admission) -> anyhow::Result<Vec<Server>> {
    let serve =
        |(_, listener): (Role, Listener)| listener.serve(Data::clone(engine), admission).context("could not serve a listener");
    listeners.into_iter().map(serve).collect()
}

/// Returns the address of each listener. The first listener of a role has the role's name, further ones a number behind it.
fn urls(listeners: &[(Role, Listener)]) -> Map<String, Json> {
    let mut urls = Map::new();
    for (at, (role, listener)) in listeners.iter().enumerate() {
        let before = listeners.iter().take(at).filter(|(other, _)| other == role).count();
        let name = if before == 0 { role.name().to_owned() } else { format!("{}{}", role.name(), before.saturating_add(1)) };
        urls.insert(name, listener.url().into());
    }
    urls
}
