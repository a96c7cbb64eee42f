//! Events that a person finds with `kubectl describe`: core/v1, with `involvedObject`; one per content, counted.

use std::time::Duration;

use bytes::Bytes;
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;
use kube::Client;
use kube::api::{GetParams, Patch, PatchParams, PostParams};
use kube::core::{PartialObjectMeta, Request};
use plimsoll_contract::annotations::digest_all;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::COMPONENT;
use super::lease::Right;
use super::request::{Failed, send};
use super::throttle::Throttle;
use crate::cluster::{Fault, path};
use crate::metrics::Metrics;
use crate::notes::Notes;
use crate::plan::budget::Budget;
use crate::plan::note::{Note, Subject};
use crate::plan::pace::Load;
use crate::results::EventEnd;

/// Events are for people: they must not crowd out patches.
const PER_SECOND: f64 = 50.0;
/// After a quiet time.
const BURST: u32 = 1000;
/// Tries per Event; in between, the pace of all writes tells how long to wait.
const TRIES: usize = 8;

/// Writes Events while this replica may.
pub struct Events {
    client: Client,
    notes: Notes,
    leading: Right,
    throttle: Throttle,
    limit: Duration,
    instance: String,
    metrics: Metrics,
}

/// Settings of writing Events.
pub struct Manner {
    /// At the pace of all writes.
    pub throttle: Throttle,
    /// For each request.
    pub limit: Duration,
    /// Names this replica.
    pub instance: String,
}

impl Events {
    /// `leading`: this replica may write.
    pub fn new(client: Client, notes: Notes, leading: Right, manner: Manner, metrics: Metrics) -> Self {
        let Manner { throttle, limit, instance } = manner;
        Self { client, notes, leading, throttle, limit, instance, metrics }
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
            self.write(note).await;
        }
    }

    async fn write(&self, mut note: Note) {
        for _ in 0..TRIES {
            let permit = self.throttle.begin().await;
            if !self.leading.holds() {
                return self.later(note);
            }
            let sent = self.say(&mut note).await;
            permit.end(sent.as_ref().err());
            let failed = match sent {
                Ok(end) => return self.metrics.event(end),
                Err(Failed { fault: Fault::NotLeading, .. }) => return self.later(note),
                Err(failed) => failed,
            };
            let error = &failed.fault;
            tracing::warn!(object = note.subject.name, reason = note.reason.name(), %error, "cannot write an Event");
            if failed.load() == Load::Fine {
                break;
            }
        }
        self.metrics.event(EventEnd::Failed);
    }

    /// Back to the others, for a time when this replica may write.
    fn later(&self, note: Note) {
        if !self.notes.put_back(note) {
            self.metrics.event(EventEnd::Dropped);
        }
    }

    async fn say(&self, note: &mut Note) -> Result<EventEnd, Failed> {
        if note.subject.uid.is_empty() {
            self.find(&mut note.subject).await?;
        }
        self.record(&event(note, &self.instance, Timestamp::now())).await
    }

    /// Looks an object up of which only the name is known: `kubectl describe` asks for the Events of a uid. One that is gone, or that may
    /// not be read, is spoken of by its name.
    async fn find(&self, subject: &mut Subject) -> Result<(), Failed> {
        let namespace = Some(subject.namespace.as_str()).filter(|namespace| !namespace.is_empty());
        let request = Request::new(path(&subject.gvr, namespace)).get(&subject.name, &GetParams::default());
        let found = match self.send(request).await {
            Ok(found) => found,
            Err(failed) if failed.load() == Load::Fine && !matches!(failed.fault, Fault::NotLeading) => return Ok(()),
            Err(failed) => return Err(failed),
        };
        let found: PartialObjectMeta = serde_json::from_slice(&found).map_err(|error| Fault::Unreadable(error.to_string()))?;
        subject.uid = found.metadata.uid.unwrap_or_default();
        subject.resource_version = found.metadata.resource_version.unwrap_or_default();
        Ok(())
    }

    /// Creates the Event, or counts one more if it exists.
    async fn record(&self, event: &Event) -> Result<EventEnd, Failed> {
        let name = event.metadata.name.as_deref().unwrap_or_default();
        let events = format!("/api/v1/namespaces/{}/events", event.metadata.namespace.as_deref().unwrap_or_default());
        let params = PostParams { field_manager: Some(COMPONENT.into()), ..PostParams::default() };
        let body = serde_json::to_vec(event).map_err(|error| Fault::Unreadable(error.to_string()))?;
        match self.send(Request::new(&events).create(&params, body)).await {
            Ok(_) => return Ok(EventEnd::Created),
            Err(failed) if failed.fault.code() == Some(409) => {}
            Err(failed) => return Err(failed),
        }
        let params = PatchParams { field_manager: Some(COMPONENT.into()), ..PatchParams::default() };
        let patch = |body: serde_json::Value| Request::new(&events).patch(name, &params, &Patch::Merge(body));
        // An empty patch reads the Event with the rights that writing it needs anyway.
        let known = self.send(patch(json!({}))).await?;
        let known: Event = serde_json::from_slice(&known).map_err(|error| Fault::Unreadable(error.to_string()))?;
        let more = json!({ "count": known.count.unwrap_or(1).saturating_add(1), "lastTimestamp": event.last_timestamp });
        self.send(patch(more)).await.map(|_| EventEnd::Counted)
    }

    async fn send(&self, request: Result<http::Request<Vec<u8>>, kube::core::request::Error>) -> Result<Bytes, Failed> {
        if !self.leading.holds() {
            return Err(Fault::NotLeading.into());
        }
        send(&self.client, request.map_err(Fault::Request)?, self.limit).await
    }
}

/// Returns the Event of a note. Its name follows from object and content, so that it is the same whichever replica writes it.
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
            uid: Some(subject.uid.clone()).filter(|uid| !uid.is_empty()),
            resource_version: Some(subject.resource_version.clone()).filter(|version| !version.is_empty()),
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
    use crate::plan::note::Reason;

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
