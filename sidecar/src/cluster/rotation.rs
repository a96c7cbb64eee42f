//! Credentials that change while the sidecar runs: looked at now and then, and at once when the API server refuses them; tried
//! while the old ones are still in use, then exchanged.

use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::time::{sleep, timeout};

use super::connection::{Connection, Shared};
use super::fingerprint::{Fingerprint, kubeconfigs};
use super::{Access, AccessError, Fault, connect};
use crate::config::MirrorConfig;
use crate::health::Condition;
use crate::metrics::Metrics;
use crate::results::CredentialEnd;

/// Keeps a connection's credentials up to date.
pub struct Rotation {
    access: Access,
    shared: Arc<Shared>,
    used: Fingerprint,
    period: Duration,
    within: Duration,
    accepted: Condition,
    metrics: Metrics,
}

/// Why credentials are not taken into use.
#[derive(Debug, thiserror::Error)]
enum Refused {
    /// They cannot be read.
    #[error("they cannot be read: {}", whole(.0))]
    Unread(#[source] AccessError),
    /// The API server does not take them, or cannot be asked.
    #[error("{0}")]
    Tried(#[source] Fault),
}

impl Rotation {
    /// Credentials are looked at every `pace.credentials`, and tried for `pace.timeout` at most.
    pub fn new(connection: &Connection, access: Access, pace: &MirrorConfig, accepted: Condition, metrics: Metrics) -> Self {
        accepted.met();
        let (shared, used) = (connection.shared.clone(), connection.opened_with.clone());
        Self { access, shared, used, period: pace.credentials, within: pace.timeout, accepted, metrics }
    }

    /// Runs for ever. Never looks more often than once in a period.
    pub async fn run(mut self) {
        loop {
            sleep(self.period).await;
            if self.accepted.reason().is_none() {
                tokio::select! { () = self.shared.refused() => {}, () = self.changed() => {} }
            }
            let refusal = self.shared.take_refusal();
            let now = self.fingerprint().await;
            if now == self.used {
                self.same(refusal).await;
            } else {
                self.exchange(now, refusal).await;
            }
        }
    }

    /// Waits until the files have another content, or the client's certificate is about to expire.
    async fn changed(&self) {
        while self.fingerprint().await == self.used && !is_expiring(&self.shared.current()) {
            sleep(self.period).await;
        }
    }

    async fn fingerprint(&self) -> Fingerprint {
        let access = self.access.clone();
        tokio::task::spawn_blocking(move || Fingerprint::of(&access)).await.unwrap_or_else(|_| self.used.clone())
    }

    /// The files are what they were: perhaps the API server has changed its mind, or a plugin has a new answer.
    async fn same(&mut self, refusal: Option<String>) {
        let still = self.attempt(&self.shared.current()).await;
        if still.is_ok() && !is_expiring(&self.shared.current()) {
            self.metrics.credentials(CredentialEnd::Unchanged);
            return self.accepted.met();
        }
        self.exchange(self.used.clone(), refusal).await;
    }

    async fn exchange(&mut self, now: Fingerprint, refusal: Option<String>) {
        match self.candidate().await {
            Ok(client) => {
                self.shared.swap(client);
                self.used = now;
                self.metrics.credentials(CredentialEnd::Swapped);
                tracing::info!(from = self.origin(), "new credentials are in use");
                self.accepted.met();
            }
            Err(refused) => {
                self.metrics.credentials(CredentialEnd::Failed);
                let why = refusal.unwrap_or_else(|| refused.to_string());
                tracing::warn!(from = self.origin(), why, %refused, "new credentials are not taken into use");
                self.accepted.unmet(format!("{why}; trying the credentials in {} again every {:?}", self.origin(), self.period));
            }
        }
    }

    /// A client that the API server accepts.
    async fn candidate(&self) -> Result<Client, Refused> {
        let client = connect(&self.access).await.map_err(Refused::Unread)?;
        self.attempt(&client).await.map_err(Refused::Tried)?;
        Ok(client)
    }

    /// Asks something that everybody may ask who is known at all.
    async fn attempt(&self, client: &Client) -> Result<(), Fault> {
        let asked = timeout(self.within, client.apiserver_version()).await;
        match asked.map_err(|_| Fault::TimedOut(self.within))?.map_err(Fault::from) {
            // Known, and not allowed to see the version.
            Err(fault) if fault.code() == Some(403) => Ok(()),
            answer => answer.map(|_| ()),
        }
    }

    /// For people.
    fn origin(&self) -> String {
        let files = kubeconfigs(&self.access);
        let there: Vec<String> = files.iter().filter(|file| file.exists()).map(|file| format!("`{}`", file.display())).collect();
        if there.is_empty() { "the Pod's ServiceAccount".into() } else { there.join(", ") }
    }
}

/// kube does not renew a certificate that a plugin gave.
fn is_expiring(client: &Client) -> bool {
    let soon = k8s_openapi::jiff::Timestamp::now().as_second() + 60;
    client.valid_until().is_some_and(|until| until.as_second() < soon)
}

/// An error and its causes in one sentence.
fn whole(error: &AccessError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(deeper) = cause {
        text = format!("{text}: {deeper}");
        cause = deeper.source();
    }
    text
}

#[cfg(test)]
mod tests;
