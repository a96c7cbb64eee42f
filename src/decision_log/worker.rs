//! From entries to lines, off the request path.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::json;

use super::buffer::Buffer;
use super::event::{BundleInfo, Event, HttpContext, RequestContext};
use super::policy::Policies;
use super::queue::{Item, Queue};
use super::sinks::{self, FileSink};
use super::{Counts, Entry};

/// The thread's own.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) queue: Arc<Queue>,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) policy: Policies,
    pub(super) sinks: Sinks,
    pub(super) counts: Counts,
}

/// Where lines go.
#[derive(Debug)]
pub(super) struct Sinks {
    pub(super) console: bool,
    pub(super) file: Option<FileSink>,
    pub(super) buffer: Option<Arc<Buffer>>,
}

impl Worker {
    /// Until the queue is closed and empty.
    pub(super) fn run(mut self) {
        while let Some(item) = self.queue.pop() {
            // A policy that panics costs one line.
            if catch_unwind(AssertUnwindSafe(|| self.log(item))).is_err() {
                self.counts.dropped("failed");
            }
        }
    }

    fn log(&mut self, item: Item) {
        let snapshot = Arc::clone(&item.entry.snapshot);
        let event = self.event(item).and_then(|event| self.policy.apply(event, &snapshot));
        match event {
            Ok(Some(event)) => self.write(&event),
            Ok(None) => self.counts.dropped("policy"),
            Err(why) => {
                tracing::error!(why, "a decision is not logged: it could not be masked");
                self.counts.dropped("failed");
            }
        }
    }

    fn event(&self, item: Item) -> Result<Event, String> {
        let Item { entry, request, at } = item;
        let Entry { decision_id, path, query, input, result, error, requested_by, headers, metrics, mut custom, snapshot } =
            entry;
        let input = input.map(|text| serde_json::from_slice(&text)).transpose().map_err(|error| format!("the input: {error}"))?;
        custom.insert("epoch".into(), snapshot.epoch.as_ref().into());
        custom.insert("revision".into(), snapshot.revision.into());
        custom.insert("policy_digest".into(), snapshot.policies.digest.as_str().into());
        let bundles = snapshot.policies.bundles();
        let bundles = bundles.map(|bundle| (bundle.name.clone(), BundleInfo { revision: bundle.revision.clone() }));
        Ok(Event {
            labels: self.labels.clone(),
            decision_id,
            bundles: bundles.collect(),
            path,
            query,
            input,
            result,
            error,
            requested_by,
            timestamp: at,
            metrics,
            request,
            request_context: (!headers.is_empty()).then_some(RequestContext { http: HttpContext { headers } }),
            custom: [("plimsoll".to_owned(), json!(custom))].into_iter().collect(),
            ..Event::default()
        })
    }

    fn write(&mut self, event: &Event) {
        let line = match serde_json::to_vec(event) {
            Ok(line) => line,
            Err(error) => {
                tracing::error!(%error, "a decision cannot be encoded for its log");
                self.counts.dropped("failed");
                return;
            }
        };
        if self.sinks.console {
            sinks::console(event, &self.counts);
        }
        if let Some(file) = &mut self.sinks.file {
            file.write(&line, &self.counts);
        }
        if let Some(buffer) = &self.sinks.buffer {
            buffer.push(line.into());
        }
        self.counts.logged();
    }
}
