//! Which rows of the table of kinds the API server serves, under which name, and whether in namespaces.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Namespace;
use kube::Client;
use kube::api::GetParams;
use kube::core::{PartialObjectMeta, Request};
use plimsoll_contract::kind::{Gvr, Kind};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use crate::backoff::Backoff;
use crate::cluster::Fault;
use crate::cluster::connection::Connection;
use crate::config::MirrorConfig;
use crate::health::Condition;

/// One row, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The row; `kind` and `namespaced` are the API server's own once it is served.
    pub kind: Kind,
    /// Why it cannot be mirrored; `None` when it is served.
    pub absent: Option<String>,
}

/// The kinds of the table as the API server serves them, and the identity of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// All rows, in the order of the table of kinds.
    pub rows: Vec<Row>,
    /// The uid of the namespace `kube-system`, which tells this cluster from all others; `None` while it is not known.
    pub cluster: Option<String>,
}

/// A shared [`Table`].
pub type Catalogue = Arc<Table>;

/// Asks for what is not served yet, until it is.
pub struct Discovery {
    client: Client,
    credentials: Option<Arc<str>>,
    rows: watch::Sender<Option<Catalogue>>,
    again: Arc<Notify>,
    swaps: watch::Receiver<u64>,
    pace: MirrorConfig,
    reached: Condition,
    identified: Condition,
}

/// The reader's end.
#[derive(Clone)]
pub struct Discovered {
    rows: watch::Receiver<Option<Catalogue>>,
    again: Arc<Notify>,
}

impl Discovery {
    /// `reached` is met as soon as the API server has answered, `identified` once the cluster's id is known.
    pub fn new(connection: &Connection, pace: MirrorConfig, reached: Condition, identified: Condition) -> (Self, Discovered) {
        let (sender, rows) = watch::channel(None);
        let again = Arc::new(Notify::new());
        let (client, swaps) = (connection.client.clone(), connection.swaps());
        let credentials = connection.credentials.clone();
        let discovery = Self { client, credentials, rows: sender, again: again.clone(), swaps, pace, reached, identified };
        (discovery, Discovered { rows, again })
    }

    /// Runs for ever.
    pub async fn run(mut self, kinds: Vec<Kind>) {
        let unknown = |kind: Kind| Row { kind, absent: Some("not asked for yet".into()) };
        let mut table = Table { rows: kinds.into_iter().map(unknown).collect(), cluster: None };
        // The API server's return is noticed soon; a kind that is not served is asked for less often.
        let mut away = Backoff::new(self.pace.retry, self.pace.retry_most);
        let mut missing = Backoff::new(self.pace.retry * 2, self.pace.rediscover.max(self.pace.retry * 2));
        loop {
            let passed = self.pass(&mut table).await;
            let backoff = match &passed {
                Ok(is_broken) => {
                    self.reached.met();
                    self.publish(&table);
                    if *is_broken {
                        &mut away
                    } else {
                        away.reset();
                        &mut missing
                    }
                }
                Err(fault) => {
                    let error = self.told(fault);
                    tracing::warn!(error, "cannot ask the API server what it serves");
                    self.reached.lapsed(error);
                    &mut away
                }
            };
            let is_complete = passed.is_ok() && table.cluster.is_some() && table.rows.iter().all(|row| row.absent.is_none());
            tokio::select! {
                () = exchanged(&mut self.swaps) => table.cluster = None,
                () = self.again.notified() => {
                    if is_complete {
                        table.rows.iter_mut().for_each(|row| row.absent = Some("not served any more".into()));
                        missing.reset();
                    } else {
                        backoff.wait().await;
                    }
                }
                () = backoff.wait(), if !is_complete => {}
            }
        }
    }

    /// The fault, with where to look for what is wrong.
    fn told(&self, fault: &Fault) -> String {
        let place = self.credentials.iter().map(|credentials| format!(" ({credentials})"));
        place.fold(fault.to_string(), |fault, place| fault + &place)
    }

    fn publish(&self, table: &Table) {
        self.rows.send_if_modified(|known| {
            let is_new = known.as_deref().is_none_or(|known| known != table);
            if is_new {
                for row in table.rows.iter().filter(|row| row.absent.is_some()) {
                    tracing::warn!(kind = %row.kind.gvr, absent = row.absent, "cannot be mirrored yet");
                }
                *known = Some(Arc::new(table.clone()));
            }
            is_new
        });
    }

    /// Asks for the cluster's id, and for every row that is not known to be served. True if some answer will be another one
    /// soon; an error if there is no answer at all.
    async fn pass(&self, table: &mut Table) -> Result<bool, Fault> {
        let mut is_broken = false;
        if table.cluster.is_none() {
            table.cluster = self.identify().await?;
        }
        for row in table.rows.iter_mut().filter(|row| row.absent.is_some()) {
            row.absent = match self.ask(&mut row.kind).await {
                Ok(absent) => absent,
                Err(fault) => match fault.code() {
                    Some(404) => Some(format!("{} is not served", row.kind.gvr)),
                    Some(code @ 402..500) if code != 429 => Some(fault.to_string()),
                    Some(402..) => {
                        is_broken = true;
                        Some(fault.to_string())
                    }
                    // Nobody is known by these credentials, or nobody answers: the same for every row.
                    Some(_) | None => return Err(fault),
                },
            };
        }
        Ok(is_broken)
    }

    /// The cluster's id. Without it everything works but the comparison of versions between engines.
    async fn identify(&self) -> Result<Option<String>, Fault> {
        match self.uid().await {
            Ok(uid) => {
                self.identified.met();
                Ok(Some(uid))
            }
            Err(fault) if matches!(fault.code(), Some(403 | 404)) || matches!(fault, Fault::Unreadable(_)) => {
                let why = "versions of objects cannot be compared between engines";
                self.identified.unmet(format!("cannot get namespace `kube-system`: {fault}: {why}"));
                Ok(None)
            }
            Err(fault) => Err(fault),
        }
    }

    async fn uid(&self) -> Result<String, Fault> {
        let request = Request::new("/api/v1/namespaces").get_metadata("kube-system", &GetParams::default());
        let answer = self.in_time(self.client.request::<PartialObjectMeta<Namespace>>(request.map_err(Fault::Request)?)).await?;
        answer.metadata.uid.ok_or_else(|| Fault::Unreadable("namespace `kube-system` has no uid".into()))
    }

    async fn in_time<T>(&self, question: impl Future<Output = Result<T, kube::Error>>) -> Result<T, Fault> {
        let limit = self.pace.discovery_timeout;
        Ok(timeout(limit, question).await.map_err(|_| Fault::TimedOut(limit))??)
    }

    async fn ask(&self, kind: &mut Kind) -> Result<Option<String>, Fault> {
        let api_version = kind.gvr.api_version();
        let list = async {
            if kind.gvr.group.is_empty() {
                self.client.list_core_api_resources(&api_version).await
            } else {
                self.client.list_api_group_resources(&api_version).await
            }
        };
        let list = self.in_time(list).await?;
        let Some(found) = list.resources.into_iter().find(|resource| resource.name == kind.gvr.resource) else {
            return Ok(Some(format!("{} is not served", kind.gvr)));
        };
        if let Some(verb) = ["list", "watch"].into_iter().find(|verb| !found.verbs.iter().any(|has| has == verb)) {
            return Ok(Some(format!("{} cannot be mirrored: it has no verb `{verb}`", kind.gvr)));
        }
        if !kind.kind.is_empty() && kind.kind != found.kind {
            return Ok(Some(format!("{} is a {}, not a {}: correct the table of kinds", kind.gvr, found.kind, kind.kind)));
        }
        if !found.namespaced && !kind.namespaces.is_empty() {
            tracing::warn!(kind = %kind.gvr, "`namespaces` of the table of kinds has no effect: its objects are in none");
        }
        kind.kind = found.kind;
        kind.namespaced = found.namespaced;
        Ok(None)
    }
}

/// Waits for new credentials: they may lead to another cluster.
async fn exchanged(swaps: &mut watch::Receiver<u64>) {
    if swaps.changed().await.is_err() {
        std::future::pending().await
    }
}

impl Discovered {
    /// The table as soon as the API server has answered once.
    pub async fn table(&mut self) -> Option<Catalogue> {
        let rows = self.rows.wait_for(Option::is_some).await.ok()?;
        rows.clone()
    }

    /// The row at `index` once it is served.
    pub async fn served(&mut self, index: usize) -> Option<Kind> {
        let row_of = |table: &Option<Catalogue>| table.as_ref().and_then(|table| table.rows.get(index).cloned());
        let rows = self.rows.wait_for(|rows| row_of(rows).is_some_and(|row| row.absent.is_none())).await.ok()?;
        row_of(&rows).map(|row| row.kind)
    }

    /// Returns the API server's name of a kind of the table; nothing while it is not known.
    pub fn kind(&self, gvr: &Gvr) -> Option<String> {
        let table = self.rows.borrow();
        let row = table.as_ref()?.rows.iter().find(|row| row.kind.gvr == *gvr)?;
        Some(row.kind.kind.clone()).filter(|kind| !kind.is_empty())
    }

    /// A table in which all of these are served, and which stays as it is.
    #[cfg(test)]
    pub(crate) fn of(kinds: Vec<Kind>) -> Self {
        let rows = kinds.into_iter().map(|kind| Row { kind, absent: None }).collect();
        let (_, rows) = watch::channel(Some(Arc::new(Table { rows, cluster: None })));
        Self { rows, again: Arc::default() }
    }

    /// Why the row at `index` is not mirrored.
    pub fn absent(&self, index: usize) -> Option<String> {
        self.rows.borrow().as_ref().and_then(|table| table.rows.get(index)?.absent.clone())
    }

    /// Waits for a table other than the one last seen.
    pub async fn changed(&mut self) {
        if self.rows.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// A kind turned out not to be served: ask again.
    pub fn doubt(&self) {
        self.again.notify_one();
    }
}
