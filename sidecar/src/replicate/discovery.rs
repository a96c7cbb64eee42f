//! Which rows of the table of kinds the API server serves, under which name, and whether in namespaces.

use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use plimsoll_contract::kind::Kind;
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use crate::backoff::Backoff;
use crate::cluster::Fault;
use crate::health::Condition;

/// An answer takes longer than this only when the API server is in trouble.
const ANSWER: Duration = Duration::from_secs(30);
/// A kind that appears late, such as a CRD, is found after this time at the latest.
const LATE: Duration = Duration::from_secs(15);

/// One row, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The row; `kind` and `namespaced` are the API server's own once it is served.
    pub kind: Kind,
    /// Why it cannot be mirrored; `None` when it is served.
    pub absent: Option<String>,
}

/// All rows, in the order of the table.
pub type Catalogue = Arc<Vec<Row>>;

/// Asks for what is not served yet, until it is.
pub struct Discovery {
    client: Client,
    rows: watch::Sender<Option<Catalogue>>,
    again: Arc<Notify>,
    reached: Condition,
}

/// The reader's end.
#[derive(Clone)]
pub struct Discovered {
    rows: watch::Receiver<Option<Catalogue>>,
    again: Arc<Notify>,
}

impl Discovery {
    /// `reached` is met as soon as the API server has answered.
    pub fn new(client: Client, reached: Condition) -> (Self, Discovered) {
        let (sender, rows) = watch::channel(None);
        let again = Arc::new(Notify::new());
        (Self { client, rows: sender, again: again.clone(), reached }, Discovered { rows, again })
    }

    /// Runs for ever.
    pub async fn run(self, kinds: Vec<Kind>) {
        let unknown = |kind: Kind| Row { kind, absent: Some("not asked for yet".into()) };
        let mut rows: Vec<Row> = kinds.into_iter().map(unknown).collect();
        let mut backoff = Backoff::new(Duration::from_millis(500), LATE);
        loop {
            match self.pass(&mut rows).await {
                Ok(()) => {
                    self.reached.met();
                    self.publish(&rows);
                }
                Err(fault) => {
                    tracing::warn!(error = %fault, "cannot ask the API server what it serves");
                    self.reached.unmet(&fault);
                }
            }
            let is_complete = self.reached.reason().is_none() && rows.iter().all(|row| row.absent.is_none());
            if is_complete {
                self.again.notified().await;
                rows.iter_mut().for_each(|row| row.absent = Some("not served any more".into()));
                backoff.reset();
            } else {
                tokio::select! { () = backoff.wait() => {}, () = self.again.notified() => backoff.wait().await }
            }
        }
    }

    fn publish(&self, rows: &[Row]) {
        self.rows.send_if_modified(|known| {
            let is_new = known.as_deref().is_none_or(|known| known.as_slice() != rows);
            if is_new {
                for row in rows.iter().filter(|row| row.absent.is_some()) {
                    tracing::warn!(kind = %row.kind.gvr, absent = row.absent, "cannot be mirrored yet");
                }
                *known = Some(Arc::new(rows.to_vec()));
            }
            is_new
        });
    }

    /// Asks for every row that is not known to be served.
    async fn pass(&self, rows: &mut [Row]) -> Result<(), Fault> {
        for row in rows.iter_mut().filter(|row| row.absent.is_some()) {
            row.absent = match self.ask(&mut row.kind).await {
                Ok(absent) => absent,
                Err(fault) => match fault.code() {
                    Some(404) => Some(format!("{} is not served", row.kind.gvr)),
                    Some(_) => Some(fault.to_string()),
                    None => return Err(fault),
                },
            };
        }
        Ok(())
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
        let list = timeout(ANSWER, list).await.map_err(|_| Fault::TimedOut(ANSWER))??;
        let Some(found) = list.resources.into_iter().find(|resource| resource.name == kind.gvr.resource) else {
            return Ok(Some(format!("{} is not served", kind.gvr)));
        };
        if let Some(verb) = ["list", "watch"].into_iter().find(|verb| !found.verbs.iter().any(|has| has == verb)) {
            return Ok(Some(format!("{} cannot be mirrored: it has no verb `{verb}`", kind.gvr)));
        }
        if !kind.kind.is_empty() && kind.kind != found.kind {
            return Ok(Some(format!("{} is a {}, not a {}: correct the table of kinds", kind.gvr, found.kind, kind.kind)));
        }
        kind.kind = found.kind;
        kind.namespaced = found.namespaced;
        Ok(None)
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
        let row_of = |rows: &Option<Catalogue>| rows.as_ref().and_then(|rows| rows.get(index).cloned());
        let rows = self.rows.wait_for(|rows| row_of(rows).is_some_and(|row| row.absent.is_none())).await.ok()?;
        row_of(&rows).map(|row| row.kind)
    }

    /// Why the row at `index` is not mirrored.
    pub fn absent(&self, index: usize) -> Option<String> {
        self.rows.borrow().as_ref().and_then(|rows| rows.get(index).and_then(|row| row.absent.clone()))
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
