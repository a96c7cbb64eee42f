//! From entries to lines, off the request path.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::json;

use super::buffer::Buffer;
use super::counts::Sink;
use super::event::{BundleInfo, Event, HttpContext, RequestContext};
use super::file::FileSink;
use super::policy::Policies;
use super::queue::{Item, Queue};
use super::sinks;
use super::{Counts, Entry, MaskError};

/// A line that is not where it should be; why was counted and said.
#[derive(Clone, Copy, Debug)]
struct Lost;

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
        while let Some(mut item) = self.queue.pop() {
            let waiting = item.taken.take();
            // A policy that panics costs one line.
            let taken = catch_unwind(AssertUnwindSafe(|| self.event(item))).unwrap_or_else(|_| {
                self.counts.dropped("failed");
                Err(Lost)
            });
            let taken = taken.and_then(|event| event.map_or(Ok(()), |event| self.write(&event)));
            if let Some(waiting) = waiting {
                // Whoever waited may have given up.
                let _ = waiting.try_send(taken.is_ok());
            }
        }
    }

    /// Returns the masked event of a decision; `None` if policy drops it. Fails where a policy does.
    fn event(&self, item: Item) -> Result<Option<Event>, Lost> {
        let snapshot = Arc::clone(&item.entry.snapshot);
        let event = self.unmasked(item).and_then(|event| self.policy.apply(event, &snapshot));
        match event {
            Ok(Some(event)) => Ok(Some(event)),
            Ok(None) => {
                self.counts.dropped("policy");
                Ok(None)
            }
            Err(error) => {
                let why = error.to_string();
                tracing::error!(why, "a decision is not logged: it could not be masked");
                self.counts.dropped("failed");
                Err(Lost)
            }
        }
    }

    fn unmasked(&self, item: Item) -> Result<Event, MaskError> {
        let Item { entry, request, at, .. } = item;
        let Entry { decision_id, path, query, input, result, error, .. } = entry;
        let Entry { requested_by, headers, metrics, rule_labels, mut custom, snapshot, .. } = entry;
        let input = input.map(|text| serde_json::from_slice(&text)).transpose().map_err(MaskError::Input)?;
        custom.insert("epoch".into(), snapshot.epoch.as_ref().into());
        custom.insert("revision".into(), snapshot.revision.into());
        custom.insert("policy_digest".into(), (&*snapshot.policies.digest).into());
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
            rule_labels,
            request_context: (!headers.is_empty()).then_some(RequestContext { http: HttpContext { headers } }),
            custom: [("plimsoll".to_owned(), json!(custom))].into_iter().collect(),
            ..Event::default()
        })
    }

    /// To every sink; lost if one of them did not take it.
    fn write(&mut self, event: &Event) -> Result<(), Lost> {
        let line = match serde_json::to_vec(event) {
            Ok(line) => line,
            Err(error) => {
                tracing::error!(%error, "a decision cannot be encoded for its log");
                self.counts.dropped("failed");
                return Err(Lost);
            }
        };
        let counted =
            |written: bool, sink, reason| if written { self.counts.written(sink, 1) } else { self.counts.dropped(reason) };
        let mut taken = true;
        if self.sinks.console {
            let written = sinks::console(event);
            counted(written, Sink::Console, "console");
            taken &= written;
        }
        if let Some(file) = &mut self.sinks.file {
            let written = file.write(&line);
            counted(written, Sink::File, "file");
            taken &= written;
        }
        if let Some(buffer) = &self.sinks.buffer {
            taken &= buffer.push(line.into());
        }
        if taken { Ok(()) } else { Err(Lost) }
    }
}
