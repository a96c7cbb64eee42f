//! Objects and lists in the form that was asked for: as they are, as a table, or their metadata alone.

mod stored;

use bytes::{BufMut, Bytes, BytesMut};
use serde_json::{Value as Json, json};
use time::OffsetDateTime;

use super::context::{Context, Object};
use super::list::Page;
use crate::resources::object;
use crate::status::Status;
use crate::table::{self, IncludeObject, MetaVersion, Style};

pub use stored::StoredList;

/// What is written into an answer.
#[derive(Clone, Debug)]
pub enum Body {
    /// JSON that is ready.
    Text(Bytes),
    /// JSON that is ready, in parts.
    Stored(StoredList),
    /// JSON to be written.
    Value(Json),
}

/// What of an object is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The object or list itself.
    Whole,
    /// Rows and columns.
    Table(MetaVersion),
    /// `PartialObjectMetadata` or its list.
    Metadata(MetaVersion),
}

/// How objects are shown.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// In content.
    pub form: Form,
    /// What the rows of a table carry.
    pub include: IncludeObject,
    /// Whether a table has headings.
    pub headings: bool,
}

impl Shape {
    fn style(self, version: MetaVersion) -> Style {
        Style { now: OffsetDateTime::now_utc(), include: self.include, version, headers: self.headings }
    }
}

impl Body {
    /// As JSON text.
    pub fn into_text(self) -> Result<Bytes, Status> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Stored(list) => Ok(list.into_text()),
            Self::Value(value) => serde_json::to_vec(&value).map(Bytes::from).map_err(Status::internal),
        }
    }

    /// As a value.
    pub fn into_value(self) -> Result<Json, Status> {
        match self {
            Self::Value(value) => Ok(value),
            text => serde_json::from_slice(&text.into_text()?).map_err(Status::internal),
        }
    }
}

/// One object. A record that is sent as it is stored costs nothing.
pub fn object(context: &Context, object: &Object, shape: Shape) -> Result<Body, Status> {
    match (shape.form, object) {
        (Form::Whole, Object::Stored(record)) if context.sends_stored_bytes() => Ok(Body::Text(record.value.clone())),
        _ => Ok(Body::Value(shaped(context, value(context, object)?, shape))),
    }
}

/// One object that exists only in this version, such as a scale.
pub fn shaped(context: &Context, value: Json, shape: Shape) -> Json {
    match shape.form {
        Form::Whole => value,
        Form::Metadata(version) => table::partial_metadata(&value, version),
        Form::Table(version) => {
            let metadata = json!({ "resourceVersion": object::text(&value, "resourceVersion") });
            let style = shape.style(version);
            if value.get("kind").and_then(Json::as_str) == Some("Scale") {
                return table::render_scale(&value, metadata, &style);
            }
            table::render(&context.resource, std::slice::from_ref(&value), metadata, &style)
        }
    }
}

/// An object in the version of the request.
pub fn value(context: &Context, object: &Object) -> Result<Json, Status> {
    match object {
        Object::Stored(record) => context.read(record),
        Object::Built(value) => Ok(value.clone()),
    }
}

/// A list.
pub fn list(context: &Context, page: &Page, shape: Shape) -> Result<Body, Status> {
    let metadata = list_metadata(page);
    let values = || page.items.iter().map(|record| context.read(record)).collect::<Result<Vec<_>, _>>();
    match shape.form {
        Form::Whole => whole_list(context, page, &metadata),
        Form::Table(version) => Ok(Body::Value(table::render(&context.resource, &values()?, metadata, &shape.style(version)))),
        Form::Metadata(version) => {
            let items: Vec<Json> = values()?.iter().map(|value| table::partial_metadata(value, version)).collect();
            let kind = "PartialObjectMetadataList";
            Ok(Body::Value(json!({ "kind": kind, "apiVersion": version.api_version(), "metadata": metadata, "items": items })))
        }
    }
}

fn list_metadata(page: &Page) -> Json {
    let mut metadata = json!({ "resourceVersion": page.revision.to_string() });
    if let Some(fields) = metadata.as_object_mut() {
        fields.extend(page.token.as_ref().map(|token| ("continue".to_owned(), token.as_str().into())));
        fields.extend(page.remaining.map(|remaining| ("remainingItemCount".to_owned(), remaining.into())));
    }
    metadata
}

/// The stored texts, one after the other; in another version they are made first.
fn whole_list(context: &Context, page: &Page, metadata: &Json) -> Result<Body, Status> {
    let (kind, version) = (Json::from(context.resource.list_kind.as_str()), Json::from(context.resource.api_version()));
    let head = format!("{{\"kind\":{kind},\"apiVersion\":{version},\"metadata\":{metadata},\"items\":[");
    if context.sends_stored_bytes() {
        return Ok(Body::Stored(StoredList::new(head, page.items.clone())));
    }
    let size: usize = page.items.iter().map(|record| record.value.len() + 1).sum();
    let mut text = BytesMut::with_capacity(head.len() + size + 2);
    text.put_slice(head.as_bytes());
    for (index, record) in page.items.iter().enumerate() {
        if index > 0 {
            text.put_u8(b',');
        }
        let value = context.read(record)?;
        text.put_slice(&serde_json::to_vec(&value).map_err(Status::internal)?);
    }
    text.put_slice(b"]}");
    Ok(Body::Text(text.freeze()))
}
