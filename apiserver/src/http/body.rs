//! Bodies: read with a limit, in a format that is known.

use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_LENGTH, HeaderMap};
use actix_web::web::{Bytes, BytesMut};
use futures::StreamExt;

use super::accept::MEDIA_TYPES;
use crate::resources::decode::Format;
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

/// How a body is written, by its `Content-Type`; JSON where there is none.
pub fn format(content_type: &str) -> Result<Format, Status> {
    match media_type(content_type) {
        "" | "application/json" | "*/*" => Ok(Format::Json),
        "application/yaml" => Ok(Format::Yaml),
        _ => Err(Status::unsupported_media_type(&MEDIA_TYPES)),
    }
}

fn media_type(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
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
            assert_eq!(format(text).ok(), expected, "{text}");
        }
        assert_eq!(format("text/plain").unwrap_err().code, 415);
    }
}
