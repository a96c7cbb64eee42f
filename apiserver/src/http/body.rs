//! Bodies: read with a limit, then decoded from JSON or YAML, with the fields that are there twice.

use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_LENGTH, HeaderMap};
use actix_web::web::{Bytes, BytesMut};
use futures::StreamExt;
use serde_json::Value as Json;

use super::duplicates;
use crate::status::Status;

/// Largest body, as upstream.
pub const LIMIT: usize = 3 << 20;

/// Reads a whole body of at most [`LIMIT`] bytes. One that says that it is larger is not read at all.
pub async fn read(payload: &mut Payload, headers: &HeaderMap) -> Result<Bytes, Status> {
    let too_large = || Status::too_large(format_args!("limit is {LIMIT}"));
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()).and_then(|text| text.parse::<u64>().ok());
    if announced.is_some_and(|length| length > LIMIT as u64) {
        return Err(too_large());
    }
    let mut body = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|error| Status::bad_request(format!("the body of the request could not be read: {error}")))?;
        if body.len() + chunk.len() > LIMIT {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the formats")]
pub enum Format {
    Json,
    Yaml,
}

impl Format {
    /// By `Content-Type`; JSON where there is none.
    pub fn of(content_type: &str) -> Result<Self, Status> {
        match media_type(content_type) {
            "" | "application/json" | "*/*" => Ok(Self::Json),
            "application/yaml" => Ok(Self::Yaml),
            _ => Err(Status::unsupported_media_type(&super::accept::MEDIA_TYPES)),
        }
    }
}

/// The content type without its parameters.
pub fn media_type(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

/// A decoded body.
#[derive(Debug)]
pub struct Decoded {
    /// What it says; of a field that is there twice, the last.
    pub object: Json,
    /// Paths of fields that are there twice.
    pub duplicates: Vec<String>,
}

/// Decodes a body. Nesting is bounded (128 levels) by the parsers.
pub fn decode(body: &[u8], format: Format) -> Result<Decoded, Status> {
    let failed =
        |error: String| Status::bad_request(format!("the object provided is unrecognized (must be of type object): {error}"));
    match format {
        Format::Json => duplicates::read(body).map_err(|error| failed(explain(&error))),
        Format::Yaml => {
            let object = yaml_serde::from_slice::<Json>(body).map_err(|error| failed(error.to_string()))?;
            Ok(Decoded { object, duplicates: Vec::new() })
        }
    }
}

fn explain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.strip_prefix("recursion limit exceeded") {
        Some(place) => format!("JSON is nested too deeply, at most 127 levels are read{place}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn content_types_are_formats() {
        let table = [
            ("", Some(Format::Json)),
            ("application/json; charset=utf-8", Some(Format::Json)),
            ("application/yaml", Some(Format::Yaml)),
            ("application/vnd.kubernetes.protobuf", None),
            ("text/plain", None),
        ];
        for (text, expected) in table {
            assert_eq!(Format::of(text).ok(), expected, "{text}");
        }
        assert_eq!(Format::of("text/plain").unwrap_err().code, 415);
    }

    #[test]
    fn both_formats_decode() {
        assert_eq!(decode(br#"{"a":1}"#, Format::Json).unwrap().object, json!({"a": 1}));
        assert_eq!(decode(b"a: 1\n", Format::Yaml).unwrap().object, json!({"a": 1}));
        assert_eq!(decode(b"{", Format::Json).unwrap_err().code, 400);
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert!(decode(deep.as_bytes(), Format::Json).unwrap_err().message.contains("nested too deeply"));
        assert_eq!(decode(deep.as_bytes(), Format::Yaml).unwrap_err().code, 400);
    }

    #[test]
    fn aliases_do_not_grow_without_bound() {
        let mut bomb = String::from("a: &a [x,x,x,x,x,x,x,x,x,x]\n");
        for (last, next) in ('a'..'j').zip('b'..='j') {
            bomb.push_str(&format!("{next}: &{next} [{}]\n", vec![format!("*{last}"); 10].join(",")));
        }
        assert_eq!(decode(bomb.as_bytes(), Format::Yaml).unwrap_err().code, 400);
    }
}
