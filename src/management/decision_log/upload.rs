//! Sends batches to a service, in order, for as long as it takes.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::Batches;
use crate::management::config::decision_logs::{DecisionLogs, Reporting, Trigger};
use crate::management::services::{Backoff, Client, ServiceError};

/// OPA's default.
const BATCH: u64 = 32_768;
/// OPA's bounds.
const BATCHES: std::ops::RangeInclusive<u64> = 90..=(4 << 30);
/// What is left at the end has this long.
const FLUSH: Duration = Duration::from_secs(5);

/// Bytes of a batch, compressed.
pub(super) fn batch(reporting: &Reporting) -> usize {
    let limit = reporting.upload_size_limit_bytes.unwrap_or(BATCH).clamp(*BATCHES.start(), *BATCHES.end());
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// A receiver of batches.
pub trait Sink: Send + Sync {
    /// Sends it; it has arrived when this says so.
    fn send(&self, batch: Bytes) -> BoxFuture<'_, Result<(), ServiceError>>;
}

/// OPA's path of a service.
#[derive(Debug)]
struct Resource {
    client: Arc<Client>,
    path: String,
}

impl Sink for Resource {
    fn send(&self, batch: Bytes) -> BoxFuture<'_, Result<(), ServiceError>> {
        Box::pin(async { self.client.post(&self.path, batch, true).await })
    }
}

/// HTTP code, if there was an answer, and message.
pub(super) type Failed = (Option<u16>, String);

/// The last upload's result, for the status.
#[derive(Clone, Debug, Default)]
pub struct UploadStatus {
    error: Arc<Mutex<Option<Failed>>>,
}

impl UploadStatus {
    /// HTTP code and message of the last upload, if it failed.
    pub fn error(&self) -> Option<Failed> {
        self.error.lock().clone()
    }
}

/// Sends batches.
pub struct Uploader {
    batches: Arc<dyn Batches>,
    sink: Box<dyn Sink>,
    limit: usize,
    delays: (Duration, Duration),
    immediate: bool,
    status: UploadStatus,
}

impl Uploader {
    /// To the service of the configuration.
    pub fn new(batches: Arc<dyn Batches>, client: Arc<Client>, config: &DecisionLogs, status: UploadStatus) -> Self {
        let sink = Resource { client, path: config.upload_path() };
        Self::with_sink(batches, Box::new(sink), config, status)
    }

    /// To anything.
    pub fn with_sink(batches: Arc<dyn Batches>, sink: Box<dyn Sink>, config: &DecisionLogs, status: UploadStatus) -> Self {
        let reporting = &config.reporting;
        let (min, max) = reporting.delays();
        let delays = (Duration::from_secs(min), Duration::from_secs(max));
        Self { batches, sink, limit: batch(reporting), delays, immediate: reporting.trigger == Trigger::Immediate, status }
    }

    /// Until told to stop; then once more, for a while.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let mut backoff = Backoff::new(Duration::from_millis(100), self.delays.1);
        loop {
            let delay = match self.drain().await {
                Ok(()) => backoff.after_success(self.delays),
                Err(error) => {
                    tracing::error!(%error, "decisions could not be sent, they are kept and tried again");
                    backoff.after_failure()
                }
            };
            let full = self.batches.full();
            tokio::select! {
                () = sleep(delay) => {}
                () = full.notified(), if self.immediate && self.status.error().is_none() => {}
                _ = stop.wait_for(|stop| *stop) => break,
            }
        }
        self.finish().await;
    }

    /// Sends what is left, for a while, and counts what did not arrive.
    async fn finish(&self) {
        let why = match timeout(FLUSH, self.drain()).await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("the service has not taken them within {FLUSH:?}"),
        };
        let lines = self.batches.abandon();
        tracing::error!(lines, why, "the last lines of the decision log could not be sent and are lost");
    }

    /// Sends all there is; what fails stays first.
    async fn drain(&self) -> Result<(), ServiceError> {
        while let Some((batch, events)) = self.batches.oldest(self.limit) {
            let sent = self.sink.send(batch).await;
            self.batches.counts().sent(sent.is_ok());
            *self.status.error.lock() = sent.as_ref().err().map(|error| (error.code(), error.to_string()));
            if sent.is_err() {
                self.batches.refused();
            }
            sent?;
            self.batches.arrived(&events);
        }
        Ok(())
    }
}
