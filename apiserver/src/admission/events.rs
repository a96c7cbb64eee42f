//! Events of refused writes, straight into the store: no admission asks about them again, and they arrive before the
//! refusal does (T15).
//!
//! One topic is one Event, counted; a flood is cut off and counted in the metrics.

use std::sync::Arc;

use parking_lot::Mutex;
use plimsoll_contract::annotations::digest_all;
use serde_json::{Value as Json, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::time::Instant;
use uuid::Uuid;

use super::metrics::{EventEnd, Metrics};
use super::{Attributes, called, text};
use crate::storage::{Change, Expect, Key, Record, Store, Write, WriteError};

/// Core and events.k8s.io share it.
const COLLECTION: &str = "core/events";
/// `source.component`, federation v1's own.
const COMPONENT: &str = "schedulingpolicy";
/// Events for people: more than these nobody reads.
const PER_SECOND: f64 = 10.0;
const BURST: f64 = 100.0;
/// Kubernetes' limit of `message`.
const MOST_CHARACTERS: usize = 1024;
/// Others may count the same Event at the same time.
const TRIES: usize = 5;

/// Why there is an Event; the sidecar uses the same reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Policy refused.
    PlacementDenied,
    /// There was no decision.
    PlacementFailed,
}

/// What an Event says.
#[derive(Clone, Copy, Debug)]
pub struct Notice<'a> {
    /// For machines.
    pub reason: Reason,
    /// Two notices about one object with one reason and one topic are the same Event, counted; the last message stays.
    pub topic: &'a str,
    /// For people.
    pub message: &'a str,
}

/// Writes Events; clones share the limit.
#[derive(Clone, Debug)]
pub struct Events {
    store: Store,
    metrics: Metrics,
    budget: Arc<Mutex<Budget>>,
}

#[derive(Debug)]
struct Budget {
    left: f64,
    filled: Instant,
}

// --- impl Reason ---

impl Reason {
    fn name(self) -> &'static str {
        match self {
            Self::PlacementDenied => "PlacementDenied",
            Self::PlacementFailed => "PlacementFailed",
        }
    }
}

// --- impl Events ---

impl Events {
    /// Into `store`.
    pub fn new(store: Store, metrics: Metrics) -> Self {
        let budget = Budget { left: BURST, filled: Instant::now() };
        Self { store, metrics, budget: Arc::new(Mutex::new(budget)) }
    }

    /// Tells of a refused write, unless it was a dry run. An Event that cannot be written is logged and counted; the
    /// refusal stands.
    pub async fn warn(&self, request: &Attributes, notice: Notice<'_>) {
        if request.dry_run {
            return;
        }
        if !self.budget.lock().take(Instant::now()) {
            return self.metrics.event(EventEnd::Dropped);
        }
        match self.write(event(request, notice)).await {
            Ok(end) => self.metrics.event(end),
            Err(error) => {
                tracing::warn!(reason = notice.reason.name(), %error, "cannot write an Event");
                self.metrics.event(EventEnd::Failed);
            }
        }
    }

    /// Creates the Event, or counts one more of it.
    async fn write(&self, event: Json) -> Result<EventEnd, WriteError> {
        let part = |pointer| text(&event, pointer).into();
        let key = Key { collection: COLLECTION.into(), namespace: part("/metadata/namespace"), name: part("/metadata/name") };
        let mut known = self.store.snapshot().get(&key).cloned();
        for _ in 1..TRIES {
            match self.store.write(put(&key, &event, known.as_deref())).await {
                Err(WriteError::Conflict { current }) => known = current,
                end => return end.map(|_| ended(known.is_some())),
            }
        }
        self.store.write(put(&key, &event, known.as_deref())).await.map(|_| ended(known.is_some()))
    }
}

fn ended(was_known: bool) -> EventEnd {
    if was_known { EventEnd::Counted } else { EventEnd::Created }
}

fn put(key: &Key, event: &Json, known: Option<&Record>) -> Write {
    let expect = known.map_or(Expect::Absent, |record| Expect::Revision(record.revision));
    // One that cannot be read is replaced.
    let older = known.and_then(|record| serde_json::from_slice(&record.value).ok());
    let object = older.map_or_else(|| event.clone(), |older| counted(older, event));
    Write { key: key.clone(), expect, change: Change::Put(object) }
}

fn counted(mut older: Json, event: &Json) -> Json {
    let count = older.get("count").and_then(Json::as_u64).unwrap_or(1).saturating_add(1);
    if let Some(fields) = older.as_object_mut() {
        fields.insert("count".into(), count.into());
        for field in ["lastTimestamp", "message"] {
            fields.insert(field.into(), event.get(field).cloned().unwrap_or_default());
        }
    }
    older
}

// --- impl Budget ---

impl Budget {
    fn take(&mut self, now: Instant) -> bool {
        let gained = now.saturating_duration_since(self.filled).as_secs_f64() * PER_SECOND;
        (self.left, self.filled) = ((self.left + gained).min(BURST), now);
        let may = self.left >= 1.0;
        if may {
            self.left -= 1.0;
        }
        may
    }
}

/// The same topic about the same object has the same name.
fn event(request: &Attributes, notice: Notice<'_>) -> Json {
    let Notice { reason, topic, message } = notice;
    let stored = request.old.as_deref().unwrap_or(&Json::Null);
    let (name, uid) = (called(request), text(stored, "/metadata/uid"));
    let (resource, namespace) = (&request.resource, request.namespace.as_str());
    let message: String = message.chars().take(MOST_CHARACTERS).collect();
    let digest = digest_all([resource.kind.as_str(), name, uid, reason.name(), topic]);
    let sum = digest.strip_prefix("sha256:").unwrap_or(&digest);
    let stem: String = name.chars().take(230).collect();
    let now = now();
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": format!("{}.{sum}", stem.trim_end_matches(['.', '-', ':'])),
            // Events about cluster-scoped objects live in `default`, where kubectl looks for them.
            "namespace": if namespace.is_empty() { "default" } else { namespace },
            "uid": Uuid::new_v4().to_string(),
            "creationTimestamp": now,
        },
        "involvedObject": involved(request, name, stored),
        "reason": reason.name(),
        "message": message,
        "type": "Warning",
        "source": { "component": COMPONENT },
        "reportingComponent": COMPONENT,
        "reportingInstance": "",
        "count": 1,
        "firstTimestamp": now,
        "lastTimestamp": now,
        "eventTime": null,
    })
}

/// An object that was never stored has no uid.
fn involved(request: &Attributes, name: &str, stored: &Json) -> Json {
    let parts = [
        ("apiVersion", request.resource.api_version()),
        ("kind", request.resource.kind.clone()),
        ("namespace", request.namespace.clone()),
        ("name", name.to_owned()),
        ("uid", text(stored, "/metadata/uid").to_owned()),
        ("resourceVersion", text(stored, "/metadata/resourceVersion").to_owned()),
    ];
    let known = parts.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(field, value)| (field.to_owned(), Json::String(value))).collect()
}

/// In whole seconds, as Kubernetes writes it.
fn now() -> String {
    let now = OffsetDateTime::now_utc();
    now.replace_nanosecond(0).unwrap_or(now).format(&Rfc3339).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::admission::Operation;
    use crate::admission::testing::{attributes, metrics, store};

    fn stored(store: &Store) -> Vec<Json> {
        let snapshot = store.snapshot();
        let records = snapshot.list(COLLECTION, None, None);
        records.map(|record| serde_json::from_slice(&record.value).unwrap()).collect()
    }

    fn denied(message: &str) -> Notice<'_> {
        Notice { reason: Reason::PlacementDenied, topic: message, message }
    }

    fn refused() -> Attributes {
        attributes(Operation::Create, json!({"metadata": {"name": "web"}}))
    }

    #[tokio::test]
    async fn t15_an_event_arrives_with_name_reason_and_subject() {
        let store = store();
        let mut request = refused();
        request.operation = Operation::Update;
        request.old = Some(Arc::new(json!({"metadata": {"name": "web", "uid": "u1", "resourceVersion": "7"}})));
        Events::new(store.clone(), metrics()).warn(&request, denied("reason(s): no")).await;
        let [event] = stored(&store).try_into().unwrap();
        assert!(text(&event, "/metadata/name").starts_with("web."), "{event}");
        assert_eq!(text(&event, "/metadata/namespace"), "shop");
        assert_eq!((text(&event, "/type"), text(&event, "/reason")), ("Warning", "PlacementDenied"));
        assert_eq!(text(&event, "/source/component"), "schedulingpolicy");
        let subject = json!({
            "apiVersion": "apps/v1", "kind": "ReplicaSet", "namespace": "shop", "name": "web", "uid": "u1",
            "resourceVersion": "7",
        });
        assert_eq!(event["involvedObject"], subject);
    }

    #[tokio::test]
    async fn t15_one_content_is_one_event_and_counted_also_when_many_tell_it_at_once() {
        let store = store();
        let events = Events::new(store.clone(), metrics());
        let request = refused();
        futures::future::join_all((0..4).map(|_| events.warn(&request, denied("a")))).await;
        events.warn(&request, denied("b")).await;
        let counts: Vec<(String, u64)> =
            stored(&store).iter().map(|event| (text(event, "/message").to_owned(), event["count"].as_u64().unwrap())).collect();
        assert_eq!(counts.len(), 2, "{counts:?}");
        assert!(counts.contains(&("a".into(), 4)) && counts.contains(&("b".into(), 1)), "{counts:?}");
    }

    #[tokio::test]
    async fn a_dry_run_leaves_no_event_and_a_flood_is_cut_off() {
        let store = store();
        let events = Events::new(store.clone(), metrics());
        let mut request = refused();
        request.dry_run = true;
        events.warn(&request, denied("a")).await;
        assert!(stored(&store).is_empty());
        let mut budget = Budget { left: BURST, filled: Instant::now() };
        let now = budget.filled;
        assert_eq!((0..1000).filter(|_| budget.take(now)).count(), 100);
        assert!(budget.take(now + Duration::from_millis(110)) && !budget.take(now + Duration::from_millis(110)));
    }

    #[test]
    fn names_fit_whatever_the_object_is_called() {
        let mut request = refused();
        request.name = "x".repeat(253);
        let long = event(&request, denied(&"m".repeat(5000)));
        assert!(text(&long, "/metadata/name").len() <= 253);
        assert_eq!(text(&long, "/message").len(), MOST_CHARACTERS);
        request.name.clear();
        request.object = Some(json!({"metadata": {"generateName": "web-"}}));
        assert!(text(&event(&request, denied("m")), "/metadata/name").starts_with("web."));
    }
}
