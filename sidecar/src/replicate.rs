//! Mirrors one kind into the engine: a full list as `replace`, changes as `delta`, proofs as empty `delta`.
//!
//! Everything belongs to one session: when it is over, the kind is listed again into the next one. The engine keeps what
//! it has until the new list is complete.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::kind::Kind;
use plimsoll_contract::source::Declared;
use plimsoll_contract::version::ResourceVersion;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::time::sleep;

use crate::backoff::Backoff;
use crate::cluster::connection::Connection;
use crate::config::Config;
use crate::engine::{Engine, EngineError};
use crate::health::Condition;
use crate::metrics::Metrics;
use crate::replicate::discovery::Discovered;
use crate::results::SyncEnd;

pub mod age;
mod batch;
pub mod discovery;
mod load;
pub mod object;
pub mod policies;
mod probe;
mod proofs;
pub mod reflector;
pub(crate) mod scope;
pub mod seen;
pub mod session;
mod watch;

use age::Age;
use batch::Header;
use load::Load;
use object::Change;
use reflector::{Reflector, Step, Trouble};
use scope::Scope;
use seen::Seen;
use session::Sessions;

/// Changes in one delta at most.
const MOST: usize = 2000;

/// One kind's way into the engine.
pub struct Mirror {
    /// The API server.
    pub connection: Connection,
    /// The engine.
    pub engine: Arc<Engine>,
    /// The whole configuration.
    pub config: Arc<Config>,
    /// Position in the table of kinds.
    pub row: usize,
    /// What the API server serves.
    pub discovered: Discovered,
    /// The source's session.
    pub sessions: Sessions,
    /// Met once the kind is loaded; lapses while it cannot be followed.
    pub loaded: Condition,
    /// How old is what the engine has of it.
    pub age: Age,
    /// Where to count.
    pub metrics: Metrics,
}

/// Why mirroring in one session stopped.
#[derive(Debug)]
enum Stop {
    /// The session is over.
    SessionOver,
    /// The engine did not take the list; try again later.
    Later,
    /// The engine does not believe yet how much of the fleet is gone; list again after this time.
    HeldBack(Duration),
    /// The API server does not serve the kind any more.
    NotServed,
}

impl Mirror {
    /// Runs for ever.
    pub async fn run(mut self) {
        let mut backoff = Backoff::new(self.config.mirror.retry, self.config.mirror.retry_most);
        loop {
            let Some(kind) = self.served().await else { return };
            let Some(session) = self.sessions.active().await else { return };
            let mut sessions = self.sessions.clone();
            let stop = tokio::select! {
                stop = self.mirror(&kind, &session, &mut backoff) => stop,
                () = sessions.over(&session) => Stop::SessionOver,
            };
            match stop {
                Stop::SessionOver => {
                    self.loaded.lapsed("not loaded into the current session yet");
                    sessions.over(&session).await;
                }
                Stop::Later => backoff.wait().await,
                Stop::HeldBack(after) => tokio::select! {
                    () = sleep(after) => {}
                    () = sessions.over(&session) => {}
                },
                Stop::NotServed => {
                    self.discovered.doubt();
                    backoff.wait().await;
                }
            }
        }
    }

    /// The kind once it is served; until then readiness says why it is not.
    async fn served(&mut self) -> Option<Kind> {
        let mut discovered = self.discovered.clone();
        let mut served = pin!(discovered.served(self.row));
        loop {
            if let Some(absent) = self.discovered.absent(self.row) {
                self.loaded.lapsed(absent);
            }
            tokio::select! {
                kind = &mut served => return kind,
                () = self.discovered.changed() => {}
            }
        }
    }

    /// One list and its changes, until something ends it.
    async fn mirror(&self, kind: &Kind, session: &Declared, backoff: &mut Backoff) -> Stop {
        let mut steps = Reflector {
            gvr: kind.gvr.clone(),
            scopes: Scope::of_kind(&self.connection, kind, &self.config.mirror),
            relist: self.config.relist,
            pace: self.config.mirror,
            metrics: self.metrics.clone(),
        }
        .start();
        let mut load: Option<(Load, Seen)> = None;
        let mut waiting: Option<Step> = None;
        loop {
            let step = match waiting.take() {
                Some(step) => step,
                None => match steps.recv().await {
                    Some(step) => step,
                    None => return Stop::Later,
                },
            };
            let done = match step {
                Step::Begin(seen) => {
                    self.abandon(&mut load, kind);
                    load = Some((self.open(&seen, kind, session), seen));
                    Ok(())
                }
                Step::Page(objects) => self.page(&mut load, &objects, kind, session).await,
                Step::End => self.finish(load.take(), kind, session, backoff).await,
                Step::Change(change, version) => {
                    let (changes, version) = gather((change, version), &mut steps, &mut waiting);
                    self.deliver(&changes, &Header::delta(&session.session, &kind.gvr, version), kind, session).await
                }
                Step::Current(seen) => self.prove(&seen, kind, session).await,
                Step::Trouble(trouble) => {
                    self.abandon(&mut load, kind);
                    self.trouble(&trouble)
                }
            };
            if let Err(stop) = done {
                self.abandon(&mut load, kind);
                return stop;
            }
        }
    }

    fn open(&self, seen: &Seen, kind: &Kind, session: &Declared) -> Load {
        let header = Header::replace(&session.session, &kind.gvr, seen);
        Load::open(self.engine.clone(), self.config.source.clone(), header)
    }

    fn abandon(&self, load: &mut Option<(Load, Seen)>, kind: &Kind) {
        if load.take().is_some() {
            self.metrics.sync(&kind.gvr.to_string(), "replace", SyncEnd::Abandoned);
        }
    }

    async fn page(
        &self,
        load: &mut Option<(Load, Seen)>,
        objects: &[object::Object],
        kind: &Kind,
        session: &Declared,
    ) -> Result<(), Stop> {
        match load {
            Some((open, _)) if open.lines(batch::objects(objects)).await => Ok(()),
            // The engine answered before the end: that can only be a refusal.
            Some(_) => self.finish(load.take(), kind, session, &mut Backoff::network()).await.and(Err(Stop::Later)),
            None => Err(Stop::Later),
        }
    }

    async fn finish(
        &self,
        load: Option<(Load, Seen)>,
        kind: &Kind,
        session: &Declared,
        backoff: &mut Backoff,
    ) -> Result<(), Stop> {
        let Some((load, seen)) = load else { return Err(Stop::Later) };
        let answer = load.finish().await;
        self.count(kind, "replace", answer.as_ref().err());
        match answer {
            Ok(synced) => {
                tracing::info!(kind = %kind.gvr, revision = synced.revision, "loaded");
                self.loaded.met();
                self.age.prove(seen.begun);
                backoff.reset();
                Ok(())
            }
            Err(error) => {
                if !matches!(error, EngineError::HeldBack { .. }) {
                    tracing::warn!(kind = %kind.gvr, %error, "cannot load");
                    self.loaded.lapsed(format!("cannot be loaded: {error}"));
                }
                Err(self.stop(&error, kind, session))
            }
        }
    }

    /// Tells the engine that it has everything, as of when the API server was asked.
    async fn prove(&self, seen: &Seen, kind: &Kind, session: &Declared) -> Result<(), Stop> {
        let is_late = seen.begun.elapsed() > (self.config.mirror.probe + self.config.mirror.confirm) * 2;
        if is_late && seen.listed_millis_ago().is_none() {
            // The engine would take it for new.
            return Ok(());
        }
        self.deliver(&[], &Header::proof(&session.session, &kind.gvr, seen), kind, session).await?;
        self.age.prove(seen.begun);
        self.loaded.met();
        Ok(())
    }

    /// Sends a delta until the engine has it; its order must not change, so nothing overtakes it.
    async fn deliver(&self, changes: &[Change], header: &Header, kind: &Kind, session: &Declared) -> Result<(), Stop> {
        let mut backoff = Backoff::nearby();
        loop {
            let answer = self.engine.delta(&self.config.source, batch::delta(header, changes)).await;
            self.count(kind, "delta", answer.as_ref().err());
            let error = match answer {
                Ok(_) => return Ok(()),
                Err(error) => error,
            };
            if matches!(error, EngineError::SessionEnded(_) | EngineError::HeldBack { .. }) {
                return Err(self.stop(&error, kind, session));
            }
            if error.is_our_fault() {
                if let [change] = changes {
                    tracing::warn!(kind = %kind.gvr, %error, object = change_name(change), "the engine refuses a change");
                    return Ok(());
                }
                return self.one_by_one(changes, header, kind, session).await;
            }
            tracing::warn!(kind = %kind.gvr, %error, changes = changes.len(), "cannot send changes; trying again");
            backoff.wait().await;
        }
    }

    /// One bad object costs one warning, not the others' changes.
    async fn one_by_one(&self, changes: &[Change], header: &Header, kind: &Kind, session: &Declared) -> Result<(), Stop> {
        if changes.is_empty() {
            return Err(Stop::Later);
        }
        for change in changes {
            Box::pin(self.deliver(std::slice::from_ref(change), header, kind, session)).await?;
        }
        Ok(())
    }

    /// Other kinds, and the rest of this one, go on; what cannot be proved ages.
    fn trouble(&self, trouble: &Trouble) -> Result<(), Stop> {
        self.loaded.lapsed(trouble);
        if trouble.fault.is_not_found() { Err(Stop::NotServed) } else { Ok(()) }
    }

    fn stop(&self, error: &EngineError, kind: &Kind, session: &Declared) -> Stop {
        match error {
            EngineError::SessionEnded(_) => {
                self.sessions.ended(session);
                Stop::SessionOver
            }
            EngineError::HeldBack { after, .. } => {
                let reason = error.to_string();
                // Once, however often it is listed again.
                if self.loaded.reason().as_ref() != Some(&reason) {
                    tracing::warn!(kind = %kind.gvr, %error, ?after, "the kind is listed again, as the engine wants it");
                }
                self.loaded.lapsed(reason);
                Stop::HeldBack(*after)
            }
            _ => Stop::Later,
        }
    }

    fn count(&self, kind: &Kind, mode: &str, error: Option<&EngineError>) {
        let end = match error {
            None => SyncEnd::Published,
            Some(EngineError::SessionEnded(_)) => SyncEnd::SessionEnded,
            Some(EngineError::Refused { .. } | EngineError::HeldBack { .. } | EngineError::Gone) => SyncEnd::Refused,
            Some(_) => SyncEnd::Unreachable,
        };
        self.metrics.sync(&kind.gvr.to_string(), mode, end);
    }
}

/// A change, and the version at which it happened.
type Versioned = (Change, Option<ResourceVersion>);

/// All changes that are there already: while a delta is under way the next one grows, so latency is never bought by waiting.
fn gather(
    first: Versioned,
    steps: &mut mpsc::Receiver<Step>,
    waiting: &mut Option<Step>,
) -> (Vec<Change>, Option<ResourceVersion>) {
    let (mut changes, mut reached) = (vec![first.0], first.1);
    while changes.len() < MOST {
        match steps.try_recv() {
            Ok(Step::Change(change, version)) => {
                changes.push(change);
                reached = version.or(reached);
            }
            Ok(other) => {
                *waiting = Some(other);
                break;
            }
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
        }
    }
    (changes, reached)
}

fn change_name(change: &Change) -> String {
    match change {
        Change::Put(object) => object::display(&object.name),
        Change::Remove(name) => object::display(name),
    }
}

#[cfg(test)]
mod tests;
