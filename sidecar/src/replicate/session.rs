//! The source's session with the engine: declared, lost, declared again; never fought over.
//!
//! A new epoch of the engine, or a change of the table, is answered by a new declaration. A session that another sidecar
//! ended is left to it: this one stands by until the engine says that nobody keeps the source fresh.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::kind::Kind;
use plimsoll_contract::source::{Declare, Declared, FleetLoss};
use plimsoll_contract::status::{SourceStatus, Status};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::backoff::Backoff;
use crate::engine::status::View;
use crate::engine::{Engine, EngineError};
use crate::health::Condition;
use crate::metrics::Metrics;
use crate::replicate::discovery::{Catalogue, Discovered};
use crate::results::SessionEnd;

/// Where this sidecar stands with the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing declared yet.
    Waiting,
    /// This sidecar mirrors the source.
    Active(Arc<Declared>),
    /// Another sidecar does.
    StandBy,
}

/// Keeps a session.
pub struct Keeper {
    /// The engine.
    pub engine: Arc<Engine>,
    /// Its status, polled.
    pub view: View,
    /// The table of kinds.
    pub discovered: Discovered,
    /// The source's name.
    pub source: String,
    /// This process, for people.
    pub instance: String,
    /// A policy set is sent, too.
    pub policies: bool,
    /// Where objects of these kinds are never placed.
    pub exempt_namespaces: Vec<String>,
    /// How much of the fleet may go at once and is believed.
    pub fleet_loss: FleetLoss,
    /// A source that nobody keeps fresh for this long is taken over.
    pub take_over: Duration,
    /// Met while active; lapses while the engine does not answer.
    pub declared: Condition,
    /// Where to count.
    pub metrics: Metrics,
}

/// The reader's end.
#[derive(Clone)]
pub struct Sessions {
    standing: watch::Receiver<Standing>,
    ended: Arc<watch::Sender<Option<String>>>,
}

enum Over {
    NewEpoch,
    NewTable,
    Superseded,
}

// --- impl Keeper ---

impl Keeper {
    /// Both ends.
    pub fn channel() -> (watch::Sender<Standing>, Sessions) {
        let (sender, standing) = watch::channel(Standing::Waiting);
        (sender, Sessions { standing, ended: Arc::new(watch::Sender::new(None)) })
    }

    /// Runs for ever.
    pub async fn run(mut self, standing: watch::Sender<Standing>, sessions: Sessions) {
        let mut ended = sessions.ended.subscribe();
        let mut backoff = Backoff::nearby();
        loop {
            let Some(table) = self.discovered.table().await else { return };
            let session = match self.declare(&table).await {
                Ok(session) => Arc::new(session),
                Err(error) => {
                    self.failed(&error);
                    backoff.wait().await;
                    continue;
                }
            };
            standing.send_replace(Standing::Active(session.clone()));
            let since = Instant::now();
            match self.hold(&session, &table, &mut ended).await {
                Over::NewEpoch => {
                    self.metrics.session(SessionEnd::NewEpoch);
                    tracing::warn!(epoch = session.epoch, "the engine is a new process: everything is loaded again");
                    standing.send_replace(Standing::Waiting);
                }
                Over::NewTable => tracing::info!("the table of kinds has changed: declared again"),
                Over::Superseded => {
                    self.metrics.session(SessionEnd::Superseded);
                    standing.send_replace(Standing::StandBy);
                    self.stand_by(&session).await;
                }
            }
            // Whatever ends sessions at once must not be met with declarations at once.
            if since.elapsed() > self.take_over { backoff.reset() } else { backoff.wait().await }
        }
    }

    async fn declare(&self, table: &Catalogue) -> Result<Declared, EngineError> {
        let (kinds, cluster) = (kinds(table), table.cluster.clone());
        let (instance, exempt_namespaces) = (self.instance.clone(), self.exempt_namespaces.clone());
        let (policies, fleet_loss) = (self.policies, self.fleet_loss);
        let declare = Declare { instance, kinds, policies, cluster, exempt_namespaces, fleet_loss };
        let session = self.engine.declare(&self.source, &declare).await?;
        tracing::info!(source = self.source, session = session.session, epoch = session.epoch, "declared");
        self.metrics.session(SessionEnd::Declared);
        self.declared.met();
        Ok(session)
    }

    fn failed(&self, error: &EngineError) {
        self.metrics.session(SessionEnd::Failed);
        tracing::warn!(source = self.source, %error, "cannot declare the source");
        self.declared.lapsed(format!("cannot declare `{}`: {error}", self.source));
    }

    /// Until the session is over.
    async fn hold(&mut self, session: &Declared, table: &Catalogue, ended: &mut watch::Receiver<Option<String>>) -> Over {
        let mut epoch = self.engine.epoch();
        let is_new = |epoch: &Option<String>| epoch.as_deref().is_some_and(|epoch| epoch != session.epoch);
        let is_mine = |ended: &Option<String>| ended.as_deref() == Some(session.session.as_str());
        let new_table = async {
            loop {
                self.discovered.changed().await;
                let is_same = |now: Catalogue| kinds(&now) == kinds(table) && now.cluster == table.cluster;
                if !self.discovered.table().await.is_some_and(is_same) {
                    return;
                }
            }
        };
        tokio::select! {
            biased;
            _ = epoch.wait_for(is_new) => Over::NewEpoch,
            _ = ended.wait_for(is_mine) => Over::Superseded,
            () = new_table => Over::NewTable,
        }
    }

    /// Until nobody keeps the source fresh.
    async fn stand_by(&mut self, lost: &Declared) {
        let since = Instant::now();
        tracing::warn!(source = self.source, "another sidecar mirrors the source now: standing by");
        self.declared.unmet(format!("another sidecar mirrors `{}`: standing by", self.source));
        loop {
            let reason = {
                let status = self.view.borrow_and_update();
                let waited = since.elapsed();
                status.as_ref().and_then(|status| abandoned(status, &self.source, &lost.epoch, waited, self.take_over))
            };
            if let Some(reason) = reason {
                tracing::warn!(source = self.source, reason, "taking the source over");
                return;
            }
            if self.view.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

fn kinds(table: &Catalogue) -> Vec<Kind> {
    table.rows.iter().map(|row| row.kind.clone()).collect()
}

/// Why the source is nobody's, if it is: a sidecar stands by for `waited` already.
fn abandoned(status: &Status, source: &str, epoch: &str, waited: Duration, limit: Duration) -> Option<String> {
    if status.epoch != epoch {
        return Some("the engine is a new process".into());
    }
    let Some(source) = status.sources.get(source).filter(|source| source.declared) else {
        return Some("nobody has declared it".into());
    };
    if waited < limit {
        return None;
    }
    stale(source, limit).map(|(kind, age)| format!("{kind} has not been proved current for {age}"))
}

fn stale(source: &SourceStatus, limit: Duration) -> Option<(String, String)> {
    source.kinds.iter().filter(|kind| kind.required).find_map(|kind| match kind.age_seconds {
        None => Some((kind.gvr.to_string(), "ever".into())),
        Some(age) if age > limit.as_secs_f64() => Some((kind.gvr.to_string(), format!("{age:.0} s"))),
        Some(_) => None,
    })
}

// --- impl Sessions ---

impl Sessions {
    /// The session, once there is one.
    pub async fn active(&mut self) -> Option<Arc<Declared>> {
        let standing = self.standing.wait_for(|standing| matches!(standing, Standing::Active(_))).await.ok()?;
        match &*standing {
            Standing::Active(session) => Some(session.clone()),
            Standing::Waiting | Standing::StandBy => None,
        }
    }

    /// Waits until `session` is not the one in use any more.
    pub async fn over(&mut self, session: &Declared) {
        let is_other = |standing: &Standing| !matches!(standing, Standing::Active(now) if now.as_ref() == session);
        let _ = self.standing.wait_for(is_other).await;
    }

    /// The engine said that `session` is over.
    pub fn ended(&self, session: &Declared) {
        self.ended.send_replace(Some(session.session.clone()));
    }

    /// This sidecar mirrors the source.
    pub fn is_active(&self) -> bool {
        self.now().is_some()
    }

    /// The session in use.
    pub fn now(&self) -> Option<Arc<Declared>> {
        match &*self.standing.borrow() {
            Standing::Active(session) => Some(session.clone()),
            Standing::Waiting | Standing::StandBy => None,
        }
    }

    /// Waits for a change of standing.
    pub async fn changed(&mut self) {
        if self.standing.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::kind::Gvr;
    use plimsoll_contract::status::{KindStatus, OnStale};
    use plimsoll_contract::still::Still;

    use super::*;

    fn status(declared: bool, ages: &[(bool, Option<f64>)]) -> Status {
        let kind = |(required, age_seconds): &(bool, Option<f64>)| KindStatus {
            gvr: Gvr::try_from("v1/pods".to_owned()).unwrap(),
            required: *required,
            loaded: age_seconds.is_some(),
            objects: 0,
            age_seconds: *age_seconds,
        };
        let source = SourceStatus { declared, kinds: ages.iter().map(kind).collect(), ..SourceStatus::default() };
        Status {
            epoch: "e1".into(),
            revision: 1,
            version: String::new(),
            ready: true,
            not_ready: vec![],
            armed: true,
            placement_path: String::new(),
            reads: None,
            digest: String::new(),
            policies: Default::default(),
            sources: [("fed".to_owned(), source)].into(),
            stale_after_seconds: 60.0,
            on_stale: OnStale::Deny,
            stale: vec![],
            decided: None,
            still: Still::default(),
            notes: vec![],
        }
    }

    #[test]
    fn t11_a_source_is_taken_over_only_when_nobody_keeps_it_fresh() {
        let limit = Duration::from_secs(30);
        let long = limit + Duration::from_secs(1);
        let cases = [
            ("fresh", status(true, &[(true, Some(2.0))]), "e1", long, None),
            ("stale, but just lost", status(true, &[(true, Some(90.0))]), "e1", Duration::ZERO, None),
            ("stale", status(true, &[(true, Some(2.0)), (true, Some(90.0))]), "e1", long, Some("v1/pods")),
            ("stale, not required", status(true, &[(false, Some(90.0))]), "e1", long, None),
            ("never loaded", status(true, &[(true, None)]), "e1", long, Some("ever")),
            ("not declared", status(false, &[]), "e1", Duration::ZERO, Some("nobody")),
            ("new engine", status(true, &[(true, Some(2.0))]), "e0", Duration::ZERO, Some("new process")),
        ];
        for (name, status, epoch, waited, expected) in cases {
            let reason = abandoned(&status, "fed", epoch, waited, limit);
            assert_eq!(reason.is_some(), expected.is_some(), "{name}: {reason:?}");
            assert!(reason.unwrap_or_default().contains(expected.unwrap_or_default()), "{name}");
        }
    }
}
