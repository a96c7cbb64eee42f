//! Answers. The one place where a [`Status`] becomes HTTP.

use std::convert::Infallible;

use actix_web::HttpResponse;
use actix_web::body::{MessageBody, SizedStream};
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};

use futures::{StreamExt, stream};

use super::accept::{Accept, Encoding};
use crate::rest::form::{Body, StoredList};
use crate::status::Status;
use crate::watch::Lines;

/// An answer in the encoding that was asked for.
pub fn body(code: u16, body: Body, accept: Accept) -> Result<HttpResponse, Status> {
    let mut response = HttpResponse::build(status_code(code));
    response.content_type(accept.content_type());
    Ok(match accept.encoding {
        Encoding::Json => match body {
            Body::Stored(list) => response.body(in_pieces(list)),
            body => response.body(body.into_text()?),
        },
        Encoding::Yaml => response.body(yaml_serde::to_string(&body.into_value()?).map_err(Status::internal)?),
    })
}

/// A long list goes out as the connection takes it.
fn in_pieces(list: StoredList) -> impl MessageBody + 'static {
    SizedStream::new(list.size() as u64, stream::iter(list.pieces().map(Ok::<_, Infallible>)))
}

/// A watch: lines until it ends.
pub fn lines(lines: Lines) -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").streaming(lines.map(Ok::<_, Infallible>))
}

/// The failure that a response tells.
#[derive(Clone, Debug)]
pub struct Failure(pub Status);

/// A failure.
pub fn status(status: &Status) -> HttpResponse {
    let mut response = HttpResponse::build(status_code(status.code));
    if let Some(seconds) = status.details.as_ref().and_then(|details| details.retry_after_seconds) {
        response.insert_header((header::RETRY_AFTER, HeaderValue::from(seconds)));
    }
    if status.code == 413 {
        // The rest of the body is not read, so the connection is of no use any more.
        response.force_close();
    }
    let mut response = response.content_type("application/json").body(status.to_json().to_string());
    // The audit log says it again.
    response.extensions_mut().insert(Failure(status.clone()));
    response
}

fn status_code(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
