//! Bodies: read with a limit, in a format that is known.

use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_LENGTH, HeaderMap};
use actix_web::web::{Bytes, BytesMut};
use futures::StreamExt;

use super::accept::MEDIA_TYPES;
use super::protobuf;
use crate::resources::decode::{self, Decoded, Format};
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

/// Decodes a body by its `Content-Type`; JSON where there is none.
pub fn decode(body: &[u8], content_type: &str) -> Result<Decoded, Status> {
    let format = match media_type(content_type) {
        "" | "application/json" | "*/*" => Format::Json,
        "application/yaml" => Format::Yaml,
        protobuf::MEDIA_TYPE => return Ok(Decoded { object: protobuf::read(body)?, duplicates: Vec::new() }),
        _ => return Err(Status::unsupported_media_type(&[MEDIA_TYPES.as_slice(), &[protobuf::MEDIA_TYPE]].concat())),
    };
    Ok(decode::decode(body, format)?)
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
            ("", "{}", 200),
            ("application/json; charset=utf-8", "{}", 200),
            ("application/yaml", "a: 1", 200),
            ("application/vnd.kubernetes.protobuf", "{}", 400),
            ("text/plain", "{}", 415),
        ];
        for (content_type, body, code) in table {
            assert_eq!(decode(body.as_bytes(), content_type).err().map_or(200, |status| status.code), code, "{content_type}");
        }
    }
}
