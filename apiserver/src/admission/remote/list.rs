//! One consistent read of an API server's configurations: LISTs without `resourceVersion`, which are answered from the last commit.

use std::collections::BTreeSet;

use reqwest::StatusCode;
use reqwest::header::{ACCEPT, USER_AGENT};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::error::RefreshError;
use crate::admission::engine::said;
use crate::admission::outbound::{Peer, ReadError, innermost, read};
use crate::resources::object;

const GROUP: &str = "apis/admissionregistration.k8s.io";
const AGENT: &str = "plimsoll-admission";
/// Largest answer, in bytes; objects have at most 1.5 MiB or so.
const LIMIT: usize = 64 << 20;

/// Configurations as they are listed, each kind in the order of names (bytes).
#[derive(Debug, Default, PartialEq)]
pub(super) struct Listed {
    pub(super) mutating: Vec<Json>,
    pub(super) validating: Vec<Json>,
    /// Of `v1alpha1`, as are initializers; none where that is not served.
    pub(super) external: Vec<Json>,
    pub(super) initializers: Vec<Json>,
}

/// A list of one kind.
#[derive(Deserialize)]
struct List {
    kind: String,
    metadata: Metadata,
    /// Go's empty list may be null.
    items: Option<Vec<Json>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    #[serde(default)]
    resource_version: String,
    #[serde(default, rename = "continue")]
    rest: String,
}

/// What a version serves.
#[derive(Deserialize)]
struct Discovery {
    kind: String,
    resources: Vec<Served>,
}

#[derive(Deserialize)]
struct Served {
    name: String,
}

/// Reads all kinds; also returns the resourceVersion of the first list: every change up to it is in all of them. Fails when one cannot be
/// read whole.
pub(super) async fn all(peer: &Peer) -> Result<(Listed, String), RefreshError> {
    let (mutating, revision) = list(peer, "v1", "MutatingWebhookConfiguration").await?;
    let (validating, _) = list(peer, "v1", "ValidatingWebhookConfiguration").await?;
    let served = alpha(peer).await?;
    let mut listed = Listed { mutating, validating, ..Listed::default() };
    for (kind, found) in
        [("ExternalAdmissionHookConfiguration", &mut listed.external), ("InitializerConfiguration", &mut listed.initializers)]
    {
        if served.contains(&plural(kind)) {
            *found = list(peer, "v1alpha1", kind).await?.0;
        }
    }
    Ok((listed, revision))
}

async fn list(peer: &Peer, version: &str, kind: &str) -> Result<(Vec<Json>, String), RefreshError> {
    let path = format!("{GROUP}/{version}/{}", plural(kind));
    let list: List = json(&path, get(peer, &path).await?)?;
    let unexpected = |why: String| Err(RefreshError::Unexpected { path: path.clone(), why });
    if list.kind != format!("{kind}List") {
        return unexpected(format!("a list of {kind} is called {kind}List"));
    }
    if !list.metadata.rest.is_empty() {
        return unexpected("only a part of the list was sent, and none was asked for".into());
    }
    let mut items = list.items.unwrap_or_default();
    if items.iter().any(|item| object::text(item, "name").is_empty()) {
        return unexpected("an item has no name".into());
    }
    items.sort_by(|one, other| object::text(one, "name").cmp(object::text(other, "name")));
    Ok((items, list.metadata.resource_version))
}

/// The resources of `v1alpha1` that are served. Whoever may not list them is told the same as where they do not exist, so discovery is asked,
/// which anybody may.
async fn alpha(peer: &Peer) -> Result<BTreeSet<String>, RefreshError> {
    let path = format!("{GROUP}/v1alpha1");
    let discovery: Discovery = match get(peer, &path).await {
        Err(RefreshError::Answered { code: 404, .. }) => return Ok(BTreeSet::new()),
        answer => json(&path, answer?)?,
    };
    if discovery.kind != "APIResourceList" {
        return Err(RefreshError::Unexpected { path, why: "it is no APIResourceList".into() });
    }
    Ok(discovery.resources.into_iter().map(|served| served.name).collect())
}

fn plural(kind: &str) -> String {
    format!("{}s", kind.to_lowercase())
}

fn json<T: DeserializeOwned>(path: &str, body: bytes::Bytes) -> Result<T, RefreshError> {
    serde_json::from_slice(&body).map_err(|error| RefreshError::Unexpected { path: path.into(), why: error.to_string() })
}

/// The body of a 200. Fails with any other answer, and without one.
pub(in crate::admission) async fn get(peer: &Peer, path: &str) -> Result<bytes::Bytes, RefreshError> {
    let failed = |why: String| RefreshError::Exchange { path: path.into(), why };
    let mut url = peer.url.clone();
    url.set_path(&format!("{}/{path}", peer.url.path().trim_end_matches('/')));
    let request = peer.http.get(url).header(ACCEPT, "application/json").header(USER_AGENT, AGENT);
    let request = peer.credentials.authenticate(request).await?;
    let answer = request.send().await.map_err(|error| failed(innermost(&error)))?;
    let status = answer.status();
    let body = read(answer, LIMIT).await.map_err(|error| match error {
        ReadError::TooLarge(most) => failed(format!("the answer is larger than {most} bytes")),
        ReadError::Broken(error) => failed(innermost(&error)),
    })?;
    match status {
        StatusCode::OK => Ok(body),
        status => Err(RefreshError::Answered { path: path.into(), code: status.as_u16(), message: said(&body) }),
    }
}
