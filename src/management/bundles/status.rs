//! How each configured bundle is, in OPA's shape (`v1/plugins/bundle/status.go`).

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use plimsoll_contract::policy::Diagnostic;
use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::sync::Notify;

/// OPA's time of what never happened.
const NEVER: &str = "0001-01-01T00:00:00Z";

/// One bundle.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BundleStatus {
    /// As configured.
    pub name: String,
    /// Of the one in force.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub active_revision: String,
    /// When it took effect.
    pub last_successful_activation: String,
    /// `snapshot` or `delta`.
    #[serde(rename = "type", skip_serializing_if = "str::is_empty")]
    pub kind: &'static str,
    /// Bytes of the last one that came.
    #[serde(skip_serializing_if = "is_zero")]
    pub size: usize,
    /// When one last came.
    pub last_successful_download: String,
    /// When the server last answered.
    pub last_successful_request: String,
    /// When it was last asked.
    pub last_request: String,
    /// `bundle_error`, if something is wrong.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub code: &'static str,
    /// What is wrong.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Of the compiler.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Diagnostic>,
    /// Of the server's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_code: Option<u16>,
    /// It has been in force at one time.
    #[serde(skip)]
    pub activated: bool,
}

fn is_zero(size: &usize) -> bool {
    *size == 0
}

/// All bundles; clones are one book.
#[derive(Clone, Debug, Default)]
pub struct Book {
    bundles: Arc<Mutex<BTreeMap<String, BundleStatus>>>,
    news: Arc<Notify>,
}

impl Book {
    /// Opens a page for each bundle.
    pub fn new<'a>(names: impl Iterator<Item = &'a String>) -> Self {
        let book = Self::default();
        *book.bundles.lock() = names.map(|name| (name.clone(), blank(name))).collect();
        book
    }

    /// Writes on a page; what is written is news once [`Self::close`] says so.
    pub fn write(&self, name: &str, write: impl FnOnce(&mut BundleStatus)) {
        let mut bundles = self.bundles.lock();
        write(bundles.entry(name.into()).or_insert_with(|| blank(name)));
    }

    /// A request for a bundle is over: it is reported once, as in OPA, whatever was written meanwhile.
    pub fn close(&self) {
        self.news.notify_one();
    }

    /// What it says now.
    pub fn read(&self) -> BTreeMap<String, BundleStatus> {
        self.bundles.lock().clone()
    }

    /// Told after each request for a bundle.
    pub fn news(&self) -> Arc<Notify> {
        Arc::clone(&self.news)
    }
}

impl BundleStatus {
    /// Nothing is wrong any more.
    pub fn well(&mut self) {
        (self.code, self.http_code) = ("", None);
        self.message.clear();
        self.errors.clear();
    }

    /// Something is wrong.
    pub fn ill(&mut self, message: String, errors: Vec<Diagnostic>, http_code: Option<u16>) {
        (self.code, self.message, self.errors, self.http_code) = ("bundle_error", message, errors, http_code);
    }
}

fn blank(name: &str) -> BundleStatus {
    let never = || NEVER.to_owned();
    BundleStatus {
        name: name.into(),
        active_revision: String::new(),
        last_successful_activation: never(),
        kind: "",
        size: 0,
        last_successful_download: never(),
        last_successful_request: never(),
        last_request: never(),
        code: "",
        message: String::new(),
        errors: Vec::new(),
        http_code: None,
        activated: false,
    }
}

/// The time as OPA writes it.
pub fn now() -> String {
    // The format fails for years beyond 9999 alone.
    OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default()
}
