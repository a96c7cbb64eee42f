//! What is listed and watched: one kind, in one namespace or in all of them.

use std::time::Duration;

use kube::Client;
use kube::api::{ListParams, WatchParams};
use kube::core::Request;
use plimsoll_contract::kind::Kind;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::object::{Object, Stamp, Unfit};
use crate::cluster::{Fault, path};

/// Objects per page of a list.
const PAGE: u32 = 500;
/// A page takes longer than this only when the API server is in trouble.
const ANSWER: Duration = Duration::from_secs(60);
/// The API server ends a watch after this time, in good order.
const WATCH_SECONDS: u32 = 290;

/// One collection on the API server.
#[derive(Clone)]
pub struct Scope {
    client: Client,
    path: String,
    labels: Option<String>,
    fields: Option<String>,
    stamp: Stamp,
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
    pub fn of_kind(client: &Client, row: &Kind) -> Vec<Self> {
        let scope = |namespace: Option<&String>| Self {
            client: client.clone(),
            path: path(&row.gvr, namespace.map(String::as_str)),
            labels: row.label_selector.clone(),
            fields: row.field_selector.clone(),
            stamp: Stamp::new(&row.gvr.api_version(), &row.kind),
        };
        match row.namespaces.as_slice() {
            [] => vec![scope(None)],
            _ if !row.namespaced => vec![scope(None)],
            namespaces => namespaces.iter().map(|namespace| scope(Some(namespace))).collect(),
        }
    }

    /// One page. Without `next` the list begins: a consistent read, not whatever a cache holds.
    pub async fn page(&self, next: Option<&str>) -> Result<Page, Fault> {
        let text = self.list(PAGE, next).await?;
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

    /// A consistent list of one object: the API server answers for this collection, now.
    pub async fn probe(&self) -> Result<(), Fault> {
        self.list(1, None).await.map(|_| ())
    }

    /// Opens a watch after `version`.
    pub async fn watch(&self, version: &str) -> Result<impl futures::AsyncBufRead + Unpin + use<>, Fault> {
        let params = WatchParams {
            label_selector: self.labels.clone(),
            field_selector: self.fields.clone(),
            timeout: Some(WATCH_SECONDS),
            bookmarks: true,
            send_initial_events: false,
        };
        let request = Request::new(&self.path).watch(&params, version).map_err(Fault::Request)?;
        let opened = tokio::time::timeout(ANSWER, self.client.request_stream(request)).await;
        Ok(Box::pin(opened.map_err(|_| Fault::TimedOut(ANSWER))??))
    }

    /// Group and kind for what the watch sends.
    pub fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    async fn list(&self, limit: u32, next: Option<&str>) -> Result<String, Fault> {
        let params = ListParams {
            label_selector: self.labels.clone(),
            field_selector: self.fields.clone(),
            limit: Some(limit),
            continue_token: next.map(str::to_owned),
            ..ListParams::default()
        };
        let request = Request::new(&self.path).list(&params).map_err(Fault::Request)?;
        let answer = tokio::time::timeout(ANSWER, self.client.request_text(request)).await;
        Ok(answer.map_err(|_| Fault::TimedOut(ANSWER))??)
    }
}
