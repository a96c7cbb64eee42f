//! Events as lines. What most watchers want, the stored object, is encoded once for all of them.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value as Json, json};

use crate::resources::object;
use crate::rest::context::{Context, Object};
use crate::rest::form::{self, Form, Shape};
use crate::selector::Selector;
use crate::status::Status;
use crate::storage::{Event, EventKind, Record, encode_line};

/// Turns events into lines for one watcher.
pub(super) struct Encoder {
    shape: Shape,
    selector: Selector,
}

impl Encoder {
    /// For a watcher that wants objects in this shape.
    pub(super) fn new(shape: Shape, selector: Selector) -> Self {
        Self { shape, selector }
    }

    /// Whether the watcher wants an object at all.
    pub(super) fn wants(&self, record: &Record) -> bool {
        self.selector.matches(record)
    }

    /// The line for an event; `None` where the watcher does not want it. An object that begins to match, or is initialized,
    /// was ADDED for it; one that ends to match was DELETED, as it was before but with the resourceVersion of the change.
    pub(super) fn event(&mut self, context: &Context, event: &Event) -> Result<Option<Bytes>, Status> {
        let before = event.previous.as_ref().filter(|previous| self.selector.matches(previous));
        let after = event.kind != EventKind::Deleted && self.selector.matches(&event.record);
        match (before, after, event.kind) {
            (None, false, _) => Ok(None),
            (None, true, EventKind::Modified) => self.line(context, EventKind::Added, &event.record).map(Some),
            (Some(previous), false, EventKind::Modified) => self.left(context, previous, event.revision).map(Some),
            _ => self.shared(context, event).map(Some),
        }
    }

    /// An event that is for this watcher what it is for everybody.
    fn shared(&mut self, context: &Context, event: &Event) -> Result<Bytes, Status> {
        match self.sends_stored(context) {
            true => Ok(event.line().clone()),
            false => self.line(context, event.kind, &event.record),
        }
    }

    /// The line that says that an object is there.
    pub(super) fn added(&mut self, context: &Context, record: &Arc<Record>) -> Result<Bytes, Status> {
        self.line(context, EventKind::Added, record)
    }

    fn sends_stored(&self, context: &Context) -> bool {
        self.shape.form == Form::Whole && context.sends_stored_bytes()
    }

    fn line(&mut self, context: &Context, kind: EventKind, record: &Arc<Record>) -> Result<Bytes, Status> {
        if self.sends_stored(context) {
            return Ok(encode_line(kind, &record.value));
        }
        let object = Object::Stored(Arc::clone(record));
        let text = form::object(context, &object, self.shape)?.into_text()?;
        self.shape.headings = false;
        Ok(encode_line(kind, &text))
    }

    fn left(&mut self, context: &Context, previous: &Record, revision: u64) -> Result<Bytes, Status> {
        let mut value = context.read(previous)?;
        object::set(&mut value, "resourceVersion", Some(revision.to_string().into()));
        let text = form::shaped(context, value, self.shape).to_string();
        self.shape.headings = false;
        Ok(encode_line(EventKind::Deleted, text.as_bytes()))
    }

    /// The line that says how far the watcher has seen everything; `complete` says that this is the end of the initial state.
    pub(super) fn bookmark(&self, context: &Context, revision: u64, complete: bool) -> Bytes {
        let mut metadata = json!({ "resourceVersion": revision.to_string(), "creationTimestamp": null });
        if let (true, Some(metadata)) = (complete, metadata.as_object_mut()) {
            metadata.insert("annotations".into(), json!({ "k8s.io/initial-events-end": "true" }));
        }
        let kind = context.resource.kind.as_str();
        let object = match self.shape.form {
            Form::Whole => json!({ "kind": kind, "apiVersion": context.resource.api_version(), "metadata": metadata }),
            Form::Metadata(version) => {
                json!({ "kind": "PartialObjectMetadata", "apiVersion": version.api_version(), "metadata": metadata })
            }
            Form::Table(version) => json!({
                "kind": "Table", "apiVersion": version.api_version(), "columnDefinitions": null, "rows": [],
                "metadata": { "resourceVersion": revision.to_string() },
            }),
        };
        line("BOOKMARK", &object)
    }
}

/// The last line of a stream that cannot go on.
pub(super) fn error(status: &Status) -> Bytes {
    line("ERROR", &status.to_json())
}

fn line(kind: &str, object: &Json) -> Bytes {
    Bytes::from(format!("{}\n", json!({ "type": kind, "object": object })))
}
