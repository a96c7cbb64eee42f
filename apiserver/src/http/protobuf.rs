//! Bodies in Kubernetes' protobuf: typed Go clients send them whatever the server offers, kubectl's `create` among them.
//! They are read into the JSON that the same client would have sent; answers are JSON, which these clients take as well.
//! Source: `apimachinery` `pkg/runtime/serializer/protobuf`; the messages are in `schemas/protobuf.json`.

mod table;
mod wire;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value as Json, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::status::Status;
use table::{Field, Form, Message, Table};
use wire::{Reader, Value, WireError};

/// The media type.
pub const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// Every body begins so.
const MAGIC: &[u8] = b"k8s\0";
/// Messages nest at most so deep, as JSON does.
const DEEPEST: usize = 120;

/// Why a body cannot be read.
#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error("the body does not begin as Kubernetes' protobuf does")]
    Magic,
    #[error("{0} is not known here")]
    Kind(String),
    #[error("messages are nested too deeply")]
    Deep,
    #[error(transparent)]
    Wire(#[from] WireError),
    #[error("a text is not UTF-8")]
    Text(#[from] std::str::Utf8Error),
    #[error("embedded JSON cannot be read")]
    Json(#[from] serde_json::Error),
    #[error("a time is out of range")]
    Time,
}

/// Reads a body.
pub fn read(body: &[u8]) -> Result<Json, Status> {
    let table = table::get().map_err(Status::internal)?;
    envelope(table, body).map_err(|error| Status::bad_request(format!("unable to decode the body as protobuf: {error}")))
}

/// `runtime.Unknown`: which kind, and its message.
fn envelope(table: &Table, body: &[u8]) -> Result<Json, ReadError> {
    let (mut kind, mut version, mut raw) = (String::new(), String::new(), [].as_slice());
    let mut outer = Reader::new(body.strip_prefix(MAGIC).ok_or(ReadError::Magic)?);
    while let Some((number, value)) = outer.field()? {
        match number {
            1 => {
                let mut inner = Reader::new(value.bytes()?);
                while let Some((number, value)) = inner.field()? {
                    match number {
                        1 => version = text(value)?,
                        2 => kind = text(value)?,
                        _ => {}
                    }
                }
            }
            2 => raw = value.bytes()?,
            _ => {}
        }
    }
    let name = format!("{version} {kind}");
    // Options of any group are the same ones.
    let found = table.kind(&name).or_else(|| table.kind(&format!("meta.k8s.io/v1 {kind}")));
    let message = found.ok_or(ReadError::Kind(name))?;
    let mut object = fields(table, message, raw, 0)?;
    object.insert("apiVersion".into(), version.into());
    object.insert("kind".into(), kind.into());
    Ok(Json::Object(object))
}

fn text(value: Value<'_>) -> Result<String, ReadError> {
    Ok(std::str::from_utf8(value.bytes()?)?.to_owned())
}

fn fields(table: &Table, message: &Message, raw: &[u8], depth: usize) -> Result<Map<String, Json>, ReadError> {
    if depth > DEEPEST {
        return Err(ReadError::Deep);
    }
    let mut object = Map::new();
    let mut reader = Reader::new(raw);
    while let Some((number, value)) = reader.field()? {
        let Some(field) = message.field(number) else { continue };
        put(table, field, value, &mut object, depth)?;
    }
    Ok(object)
}

fn put(table: &Table, field: &Field, value: Value<'_>, object: &mut Map<String, Json>, depth: usize) -> Result<(), ReadError> {
    match field.form {
        Form::One => drop(object.insert(field.name.clone(), one(table, &field.kind, value, depth)?)),
        Form::Inline => {
            let inner = one(table, &field.kind, value, depth)?;
            object.extend(inner.as_object().cloned().unwrap_or_default());
        }
        Form::Many => {
            let value = one(table, &field.kind, value, depth)?;
            let members = object.entry(&field.name).or_insert_with(|| json!([]));
            if let Some(members) = members.as_array_mut() {
                members.push(value);
            }
        }
        Form::Map => {
            let (key, value) = entry(table, field, value.bytes()?, depth)?;
            let entries = object.entry(&field.name).or_insert_with(|| json!({}));
            if let Some(entries) = entries.as_object_mut() {
                entries.insert(key, value);
            }
        }
    }
    Ok(())
}

fn entry(table: &Table, field: &Field, raw: &[u8], depth: usize) -> Result<(String, Json), ReadError> {
    let (mut key, mut found) = (String::new(), None);
    let mut reader = Reader::new(raw);
    while let Some((number, value)) = reader.field()? {
        match number {
            1 => key = text(value)?,
            _ => found = Some(one(table, &field.kind, value, depth)?),
        }
    }
    let absent = || one(table, &field.kind, Value::Bytes(&[]), depth);
    Ok((key, found.map_or_else(absent, Ok)?))
}

/// One value; messages that are no objects in JSON are told apart by name.
fn one(table: &Table, kind: &str, value: Value<'_>, depth: usize) -> Result<Json, ReadError> {
    let short = kind.rsplit('.').next().unwrap_or_default();
    Ok(match short {
        "s" => text(value)?.into(),
        "i" => value.integer()?.into(),
        "b" => (value.integer()? != 0).into(),
        "d" => value.double()?.into(),
        "y" => STANDARD.encode(value.bytes()?).into(),
        "FieldsV1" | "RawExtension" => first(value.bytes()?)?.map_or(Ok(Json::Null), serde_json::from_slice)?,
        _ => {
            let message = table.message(kind).ok_or_else(|| ReadError::Kind(kind.to_owned()))?;
            special(short, fields(table, message, value.bytes()?, depth + 1)?)?
        }
    })
}

fn first(raw: &[u8]) -> Result<Option<&[u8]>, ReadError> {
    let mut reader = Reader::new(raw);
    Ok(reader.field()?.map(|(_, value)| value.bytes()).transpose()?.filter(|raw| !raw.is_empty()))
}

fn special(name: &str, mut fields: Map<String, Json>) -> Result<Json, ReadError> {
    let number = |name: &str| fields.get(name).and_then(Json::as_i64).unwrap_or_default();
    Ok(match name {
        // What Go calls the zero time is not written at all.
        "Time" | "MicroTime" if !fields.contains_key("seconds") => Json::Null,
        "Time" => instant(number("seconds"), 0)?.format(&Rfc3339).map_err(|_| ReadError::Time)?.into(),
        "MicroTime" => {
            let micros = number("nanos") / 1000;
            let whole = instant(number("seconds"), 0)?.format(&Rfc3339).map_err(|_| ReadError::Time)?;
            format!("{}.{micros:06}Z", whole.trim_end_matches('Z')).into()
        }
        "Quantity" => fields.remove("string").unwrap_or_else(|| "0".into()),
        "IntOrString" if number("type") == 1 => fields.remove("strVal").unwrap_or_else(|| "".into()),
        "IntOrString" => number("intVal").into(),
        "ExtraValue" | "Verbs" => fields.remove("items").unwrap_or_else(|| json!([])),
        _ => Json::Object(fields),
    })
}

fn instant(seconds: i64, nanos: i64) -> Result<OffsetDateTime, ReadError> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(seconds) * 1_000_000_000 + i128::from(nanos))
        .map_err(|_| ReadError::Time)
}

#[cfg(test)]
mod tests;
