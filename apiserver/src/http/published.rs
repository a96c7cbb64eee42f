//! Answers about the table of kinds: discovery and OpenAPI. Documents are made off the threads that answer requests, once
//! for each state of the table.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use actix_web::http::header::{self, HttpDate};
use actix_web::web::Data;
use actix_web::{HttpResponse, web};

use super::discovery::{Discovery, Document, PerRegistry, accept};
use super::edge::Request;
use super::openapi::{OpenApi, versioned_url};
use crate::resources::Registry;
use crate::status::Status;

/// For how long a document with its hash in its address may be kept, as upstream.
const KEPT: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// What was made of the newest table of kinds.
#[derive(Debug, Default)]
pub struct Published {
    discovery: PerRegistry<Registry, Discovery>,
    openapi: PerRegistry<Registry, OpenApi>,
}

impl Published {
    /// The one of the listener that the request came by.
    fn of(request: &Request) -> Result<&Self, Status> {
        let shared = request.http.app_data::<Data<Self>>();
        shared.map(Data::get_ref).ok_or_else(|| Status::internal("the listener publishes no documents"))
    }
}

/// What a path below `/openapi` names.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Asked {
    V2,
    Index,
    GroupVersion(String),
}

impl Asked {
    fn read(path: &str) -> Option<Self> {
        let path = path.strip_prefix("/openapi/")?;
        match path.strip_suffix('/').unwrap_or(path) {
            "v2" => Some(Asked::V2),
            "v3" => Some(Asked::Index),
            path => path.strip_prefix("v3/").map(|version| Asked::GroupVersion(version.to_owned())),
        }
    }
}

/// The answer, if the path is one of discovery or OpenAPI and there is something.
pub async fn answer(request: &Request, path: &str) -> Option<Result<HttpResponse, Status>> {
    let registry = request.server.registry.load();
    match Asked::read(path) {
        Some(asked) => openapi(request, &registry, asked).await.transpose(),
        None => {
            let address = request.server.address.as_str();
            let make = |registry: &Arc<Registry>, _: Option<&Discovery>| Discovery::new(registry.all(), address);
            let published = match Published::of(request) {
                Ok(published) => published,
                Err(status) => return Some(Err(status)),
            };
            let discovery = published.discovery.get(&registry, make);
            let document = discovery.document(path, Some(request.header(header::ACCEPT)))?;
            Some(Ok(sent(request, document, false)))
        }
    }
}

/// A document of OpenAPI; nothing if the group and version are not served.
async fn openapi(request: &Request, registry: &Arc<Registry>, asked: Asked) -> Result<Option<HttpResponse>, Status> {
    let published = Published::of(request)?.openapi.get(registry, OpenApi::new);
    let accepted = request.header(header::ACCEPT).to_owned();
    if asked != Asked::V2 && !takes_json(&accepted) {
        return Err(Status::not_acceptable(&["application/json"]));
    }
    let made = {
        let asked = asked.clone();
        web::block(move || made(&published, &asked, &accepted)).await.map_err(Status::internal)?
    };
    match (made, &asked) {
        (Some(document), Asked::GroupVersion(path)) => Ok(Some(versioned(request, &document, path))),
        (Some(document), _) => Ok(Some(sent(request, &document, false))),
        (None, Asked::V2) => Err(Status::not_acceptable(&["application/json", super::openapi::PROTOBUF])),
        (None, _) => Ok(None),
    }
}

fn takes_json(accepted: &str) -> bool {
    accepted.trim().is_empty() || accept::clauses(accepted).iter().any(|clause| clause.takes("application", "json"))
}

/// Makes what was asked for, compressed too, unless it is made already.
fn made(published: &OpenApi, asked: &Asked, accepted: &str) -> Option<Document> {
    let document = match asked {
        Asked::V2 => published.v2(Some(accepted)),
        Asked::Index => Some(published.index()),
        Asked::GroupVersion(path) => published.group_version(path),
    };
    let document = document?;
    document.gzipped();
    Some(document.clone())
}

/// With its hash in the address a document may be kept for good; with a hash of the past the client is sent to the new one.
fn versioned(request: &Request, document: &Document, path: &str) -> HttpResponse {
    match request.query.text("hash") {
        "" => sent(request, document, false),
        hash if hash == document.etag => sent(request, document, true),
        _ => {
            let location = versioned_url(path, &document.etag);
            HttpResponse::MovedPermanently().insert_header((header::LOCATION, location)).finish()
        }
    }
}

/// The document, or 304 to those who have it.
fn sent(request: &Request, document: &Document, for_good: bool) -> HttpResponse {
    let known = document.is_known_to(request.header(header::IF_NONE_MATCH));
    let mut response = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((header::ETAG, document.quoted_etag())).insert_header((header::VARY, "Accept"));
    if for_good {
        let expires = HttpDate::from(SystemTime::now() + KEPT);
        response.insert_header((header::CACHE_CONTROL, "public, immutable")).insert_header((header::EXPIRES, expires));
    }
    if known {
        return response.finish();
    }
    response.content_type(document.content_type);
    match document.gzipped().filter(|_| accept::takes_gzip(request.header(header::ACCEPT_ENCODING))) {
        Some(gzipped) => response.insert_header((header::CONTENT_ENCODING, "gzip")).body(gzipped.clone()),
        None => response.body(document.body.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_paths_of_openapi() {
        for (path, expected) in [
            ("/openapi/v2", Some(Asked::V2)),
            ("/openapi/v3", Some(Asked::Index)),
            ("/openapi/v3/", Some(Asked::Index)),
            ("/openapi/v3/apis/apps/v1", Some(Asked::GroupVersion("apis/apps/v1".into()))),
            ("/openapi/v4", None),
            ("/openapi", None),
            ("/apis", None),
        ] {
            assert_eq!(Asked::read(path), expected, "{path}");
        }
    }
}
