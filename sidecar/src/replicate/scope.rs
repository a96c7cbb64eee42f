//! What is listed and watched: one kind, in one namespace or in all of them.

use std::fmt;
use std::time::Duration;

use kube::Client;
use kube::api::{ListParams, WatchParams};
use kube::core::Request;
use kube::core::request::Error as RequestError;
use plimsoll_contract::kind::Kind;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::timeout;

use super::object::{Object, Stamp, Unfit};
use crate::cluster::connection::Connection;
use crate::cluster::{Fault, path};
use crate::config::MirrorConfig;

/// One collection on the API server.
#[derive(Clone)]
pub struct Scope {
    client: Client,
    path: String,
    labels: Option<String>,
    fields: Option<String>,
    stamp: Stamp,
    name: String,
    swaps: watch::Receiver<u64>,
    pace: MirrorConfig,
    uninitialized: bool,
}

/// One page of a list.
pub struct Page {
    /// Its objects.
    pub objects: Vec<Object>,
    /// Objects that cannot be replicated.
    pub unfit: Vec<Unfit>,
    /// Ask for the next page with this.
    pub next: Option<String>,
    /// The whole list is true at this version.
    pub resource_version: String,
}

#[derive(Deserialize)]
struct RawPage<'a> {
    metadata: RawMetadata,
    #[serde(borrow)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawMetadata {
    #[serde(default)]
    resource_version: String,
    #[serde(default)]
    r#continue: String,
}

impl Scope {
    /// The collections of one row of the table of kinds: one per namespace that it names, or one for all.
    pub fn of_kind(connection: &Connection, row: &Kind, pace: &MirrorConfig) -> Vec<Self> {
        let scope = |namespace: Option<&String>| Self {
            client: connection.client.clone(),
            swaps: connection.swaps(),
            path: path(&row.gvr, namespace.map(String::as_str)),
            labels: row.label_selector.clone(),
            fields: row.field_selector.clone(),
            stamp: Stamp::new(&row.gvr.api_version(), &row.kind),
            name: namespace.map_or_else(|| row.gvr.to_string(), |namespace| format!("{} in namespace `{namespace}`", row.gvr)),
            pace: *pace,
            uninitialized: false,
        };
        match row.namespaces.as_slice() {
            [] => vec![scope(None)],
            _ if !row.namespaced => vec![scope(None)],
            namespaces => namespaces.iter().map(|namespace| scope(Some(namespace))).collect(),
        }
    }

    /// With objects that are not initialized, which the API server hides from others.
    pub fn with_uninitialized(self) -> Self {
        Self { uninitialized: true, ..self }
    }

    /// One page. Without `next` the list begins: a consistent read, not whatever a cache holds.
    pub async fn page(&self, next: Option<&str>) -> Result<Page, Fault> {
        let params = ListParams {
            label_selector: self.labels.clone(),
            field_selector: self.fields.clone(),
            limit: Some(self.pace.page_size),
            continue_token: next.map(str::to_owned),
            ..ListParams::default()
        };
        let text = self.list(&params, self.pace.list_timeout).await?;
        let raw: RawPage<'_> = serde_json::from_str(&text).map_err(|error| Fault::Unreadable(error.to_string()))?;
        let items = raw.items.unwrap_or_default();
        let (mut objects, mut unfit) = (Vec::with_capacity(items.len()), Vec::new());
        for item in items {
            match Object::read(item, &self.stamp) {
                Ok(object) => objects.push(object),
                Err(error) => unfit.push(error),
            }
        }
        let RawMetadata { resource_version, r#continue } = raw.metadata;
        Ok(Page { objects, unfit, resource_version, next: Some(r#continue).filter(|token| !token.is_empty()) })
    }

    /// A consistent list of one object: the API server's version of this collection, now. Of any object: with a selector that few
    /// fit, the API server would read the whole collection until it has found one, each time. A name is no such selector, and rights
    /// may be given for it alone.
    pub async fn newest(&self) -> Result<String, Fault> {
        let by_name = self.fields.clone().filter(|fields| fields.contains("metadata.name="));
        let any = ListParams { field_selector: by_name, limit: Some(1), ..ListParams::default() };
        let text = self.list(&any, self.pace.timeout).await?;
        let raw: RawPage<'_> = serde_json::from_str(&text).map_err(|error| Fault::Unreadable(error.to_string()))?;
        Ok(raw.metadata.resource_version)
    }

    /// Whether the API server is of a time when a kind that does not change had no bookmarks unless etcd sends its progress
    /// often: before 1.31, which asks etcd for it with each consistent list.
    pub async fn may_lack_bookmarks(&self) -> Result<bool, Fault> {
        let answer = timeout(self.pace.timeout, self.client.apiserver_version()).await;
        let version = answer.map_err(|_| Fault::TimedOut(self.pace.timeout))??;
        Ok(is_before_1_31(&version.major, &version.minor))
    }

    /// Opens a watch after `version`.
    pub async fn watch(&self, version: &str) -> Result<impl futures::AsyncBufRead + Unpin + use<>, Fault> {
        self.watch_for(version, self.pace.watch_timeout).await
    }

    /// Opens a watch after `version` that the API server ends after `length`, in whole seconds.
    pub async fn watch_for(&self, version: &str, length: Duration) -> Result<impl futures::AsyncBufRead + Unpin + use<>, Fault> {
        let params = WatchParams {
            label_selector: self.labels.clone(),
            field_selector: self.fields.clone(),
            timeout: u32::try_from(length.as_secs()).ok(),
            bookmarks: true,
            send_initial_events: false,
        };
        let request = self.asked(Request::new(&self.path).watch(&params, version))?;
        let opened = timeout(self.pace.timeout, self.client.request_stream(request)).await;
        Ok(Box::pin(opened.map_err(|_| Fault::TimedOut(self.pace.timeout))??))
    }

    /// Returns how often the credentials have been exchanged: after a change, a watch is to be opened again.
    pub fn swaps(&self) -> watch::Receiver<u64> {
        let mut swaps = self.swaps.clone();
        swaps.mark_unchanged();
        swaps
    }

    /// Group and kind for what the watch sends.
    pub fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// kube knows no `includeUninitialized`: it is of a time before kube.
    fn asked(&self, request: Result<http::Request<Vec<u8>>, RequestError>) -> Result<http::Request<Vec<u8>>, Fault> {
        let mut request = request.map_err(Fault::Request)?;
        if self.uninitialized {
            let separator = if request.uri().query().is_some() { '&' } else { '?' };
            let uri = format!("{}{separator}includeUninitialized=true", request.uri());
            *request.uri_mut() =
                uri.parse().map_err(|error: http::uri::InvalidUri| Fault::Request(RequestError::BuildRequest(error.into())))?;
        }
        Ok(request)
    }

    async fn list(&self, params: &ListParams, within: Duration) -> Result<String, Fault> {
        let request = self.asked(Request::new(&self.path).list(params))?;
        let answer = timeout(within, self.client.request_text(request)).await;
        Ok(answer.map_err(|_| Fault::TimedOut(within))??)
    }
}

/// Returns whether a version is older than 1.31; one that cannot be read is not. Vendors write `30+`.
fn is_before_1_31(major: &str, minor: &str) -> bool {
    let number = |text: &str| text.trim_end_matches('+').parse::<u32>().ok();
    number(major).zip(number(minor)).is_some_and(|version| version < (1, 31))
}

impl fmt::Display for Scope {
    /// The kind, and the namespace if there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_versions_that_can_be_read_are_old() {
        for (major, minor, expected) in
            [("1", "30", true), ("1", "28+", true), ("1", "31", false), ("1", "33+", false), ("", "", false), ("1", "x", false)]
        {
            assert_eq!(is_before_1_31(major, minor), expected, "{major}.{minor}");
        }
    }
}
