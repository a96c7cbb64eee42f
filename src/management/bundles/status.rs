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

/// The statuses of all bundles; clones share them.
#[derive(Clone, Debug, Default)]
pub struct BundleStatuses {
    bundles: Arc<Mutex<BTreeMap<String, BundleStatus>>>,
    changed: Arc<Notify>,
}

impl BundleStatuses {
    /// Returns the statuses of these bundles, none of which has been asked for yet.
    pub fn new<'a>(names: impl Iterator<Item = &'a String>) -> Self {
        let statuses = Self::default();
        *statuses.bundles.lock() = names.map(|name| (name.clone(), blank(name))).collect();
        statuses
    }

    /// Changes the status of a bundle; who waits for changes is told by [`Self::notify`].
    pub fn update(&self, name: &str, update: impl FnOnce(&mut BundleStatus)) {
        let mut bundles = self.bundles.lock();
        update(bundles.entry(name.into()).or_insert_with(|| blank(name)));
    }

    /// A request for a bundle is over: it is reported once, as in OPA, whatever was written meanwhile.
    pub fn notify(&self) {
        self.changed.notify_one();
    }

    /// Returns the status of each bundle now.
    pub fn all(&self) -> BTreeMap<String, BundleStatus> {
        self.bundles.lock().clone()
    }

    /// Returns what is notified after each request for a bundle.
    pub fn changes(&self) -> Arc<Notify> {
        Arc::clone(&self.changed)
    }
}

impl BundleStatus {
    /// Nothing is wrong any more.
    pub fn clear_error(&mut self) {
        (self.code, self.http_code) = ("", None);
        self.message.clear();
        self.errors.clear();
    }

    /// Something is wrong.
    pub fn set_error(&mut self, message: String, errors: Vec<Diagnostic>, http_code: Option<u16>) {
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
