//! Events that a person finds with `kubectl describe`: core/v1, with `involvedObject`; one per content, counted.

use std::time::Duration;

use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client};
use plimsoll_contract::annotations::digest_all;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use super::COMPONENT;
use super::lease::Right;
use crate::backoff::Backoff;
use crate::cluster::Fault;
use crate::metrics::Metrics;
use crate::notes::Notes;
use crate::plan::budget::Budget;
use crate::plan::note::Note;
use crate::results::EventEnd;

/// Events are for people: they must not crowd out patches.
const PER_SECOND: f64 = 50.0;
/// After a quiet time.
const BURST: u32 = 1000;
/// One request.
const ANSWER: Duration = Duration::from_secs(10);
/// Tries per Event.
const TRIES: usize = 3;

/// Writes Events while this replica may.
pub struct Events {
    client: Client,
    notes: Notes,
    leading: Right,
    instance: String,
    metrics: Metrics,
}

impl Events {
    /// `leading`: this replica may write.
    pub fn new(client: Client, notes: Notes, leading: Right, instance: String, metrics: Metrics) -> Self {
        Self { client, notes, leading, instance, metrics }
    }

    /// Runs for ever.
    pub async fn run(mut self) {
        let start = Instant::now();
        let mut budget = Budget::new(PER_SECOND, BURST);
        loop {
            self.leading.held().await;
            let Some(note) = self.notes.pop() else {
                self.notes.news().await;
                continue;
            };
            while let Err(wait) = budget.take(start.elapsed()) {
                sleep(wait).await;
            }
            if self.leading.holds() {
                self.write(note).await;
            } else {
                self.keep(note);
            }
        }
    }

    /// For when this replica may write again.
    fn keep(&self, note: Note) {
        if !self.notes.say(note) {
            self.metrics.event(EventEnd::Dropped);
        }
    }

    async fn write(&self, note: Note) {
        let event = event(&note, &self.instance, Timestamp::now());
        let mut backoff = Backoff::network();
        for _ in 0..TRIES {
            let fault = match self.send(&event).await {
                Ok(end) => return self.metrics.event(end),
                Err(Fault::NotLeading) => return self.keep(note),
                Err(fault) => fault,
            };
            let is_lasting = matches!(fault.code(), Some(400..=428 | 430..=499));
            tracing::warn!(object = note.subject.name, reason = note.reason.name(), error = %fault, "cannot write an Event");
            if is_lasting {
                break;
            }
            backoff.wait().await;
        }
        self.metrics.event(EventEnd::Failed);
    }

    /// Creates the Event, or counts one more if it exists.
    async fn send(&self, event: &Event) -> Result<EventEnd, Fault> {
        let namespace = event.metadata.namespace.as_deref().unwrap_or_default();
        let name = event.metadata.name.as_deref().unwrap_or_default();
        let api: Api<Event> = Api::namespaced(self.client.clone(), namespace);
        let params = PostParams { field_manager: Some(COMPONENT.into()), ..PostParams::default() };
        match self.answer(api.create(&params, event)).await {
            Ok(_) => return Ok(EventEnd::Created),
            Err(fault) if fault.code() == Some(409) => {}
            Err(fault) => return Err(fault),
        }
        let params = PatchParams { field_manager: Some(COMPONENT.into()), ..PatchParams::default() };
        // An empty patch reads the Event with the rights that writing it needs anyway.
        let known = self.answer(api.patch(name, &params, &Patch::Merge(json!({})))).await?;
        let more = json!({ "count": known.count.unwrap_or(1).saturating_add(1), "lastTimestamp": event.last_timestamp });
        self.answer(api.patch(name, &params, &Patch::Merge(more))).await.map(|_| EventEnd::Counted)
    }

    /// Sends a request, if this replica may write when it is sent.
    async fn answer<T>(&self, request: impl Future<Output = Result<T, kube::Error>>) -> Result<T, Fault> {
        if !self.leading.holds() {
            return Err(Fault::NotLeading);
        }
        Ok(timeout(ANSWER, request).await.map_err(|_| Fault::TimedOut(ANSWER))??)
    }
}

/// The same content about the same object has the same name, whichever replica writes it.
fn event(note: &Note, instance: &str, now: Timestamp) -> Event {
    let subject = &note.subject;
    let digest = digest_all([subject.uid.as_str(), note.reason.name(), note.message.as_str()]);
    let sum = digest.strip_prefix("sha256:").unwrap_or(&digest);
    let stem: String = subject.name.chars().take(230).collect();
    // Events about cluster-scoped objects live in `default`, where kubectl looks for them.
    let home = if subject.namespace.is_empty() { "default" } else { &subject.namespace };
    Event {
        metadata: ObjectMeta {
            name: Some(format!("{}.{sum}", stem.trim_end_matches(['.', '-', ':']))),
            namespace: Some(home.into()),
            ..ObjectMeta::default()
        },
        involved_object: ObjectReference {
            api_version: Some(subject.gvr.api_version()),
            kind: Some(subject.kind.clone()),
            namespace: Some(subject.namespace.clone()).filter(|namespace| !namespace.is_empty()),
            name: Some(subject.name.clone()),
            uid: Some(subject.uid.clone()),
            resource_version: Some(subject.resource_version.clone()),
            ..ObjectReference::default()
        },
        reason: Some(note.reason.name().into()),
        message: Some(note.message.clone()),
        type_: Some(note.reason.level().name().into()),
        source: Some(EventSource { component: Some(COMPONENT.into()), host: None }),
        reporting_component: Some(COMPONENT.into()),
        reporting_instance: Some(instance.chars().take(128).collect()),
        count: Some(1),
        first_timestamp: Some(Time(now)),
        last_timestamp: Some(Time(now)),
        ..Event::default()
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::kind::Gvr;

    use super::*;
    use crate::plan::note::{Reason, Subject};

    fn note(name: &str, namespace: &str, reason: Reason, message: &str) -> Note {
        let subject = Subject {
            gvr: Gvr::try_from("apps/v1/replicasets".to_owned()).unwrap(),
            kind: "ReplicaSet".into(),
            namespace: namespace.into(),
            name: name.into(),
            uid: format!("uid-{name}"),
            resource_version: "7".into(),
        };
        Note::new(subject, reason, message.into())
    }

    #[test]
    fn t15_an_event_names_its_object_so_that_describe_finds_it() {
        let event = event(&note("web", "shop", Reason::PlacementDenied, "no"), "pod-1", Timestamp::now());
        let object = &event.involved_object;
        assert_eq!(object.api_version.as_deref(), Some("apps/v1"));
        assert_eq!((object.kind.as_deref(), object.uid.as_deref()), (Some("ReplicaSet"), Some("uid-web")));
        assert_eq!((object.namespace.as_deref(), event.metadata.namespace.as_deref()), (Some("shop"), Some("shop")));
        assert_eq!((event.type_.as_deref(), event.count), (Some("Warning"), Some(1)));
        assert_eq!(event.source.unwrap().component.as_deref(), Some("plimsoll"));
    }

    #[test]
    fn t15_one_content_has_one_name_and_cluster_scoped_objects_speak_in_default() {
        let name = |note: &Note| event(note, "x", Timestamp::now()).metadata.name.unwrap();
        let one = note("web", "", Reason::PlacementKept, "kept");
        assert_eq!(name(&one), name(&one));
        assert_ne!(name(&one), name(&note("web", "", Reason::PlacementKept, "other")));
        let event = event(&one, "x", Timestamp::now());
        assert_eq!((event.metadata.namespace.as_deref(), event.involved_object.namespace), (Some("default"), None));
        let long = name(&note(&"x".repeat(253), "", Reason::PlacementKept, "kept"));
        assert!(long.len() <= 253, "{}", long.len());
    }
}
