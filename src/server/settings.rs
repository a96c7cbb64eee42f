//! What an operator may set of OPA's API; OPA's configuration file fills it, the defaults are OPA's.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::management::decision_log::DecisionLog;
use crate::management::plugins::Plugins;
use crate::server::limits::Sizes;

/// OPA's settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What `POST /` asks for, below `data`.
    pub default_decision: Vec<String>,
    /// What `--authorization=basic` asks for, below `data`.
    pub default_authorization_decision: Vec<String>,
    /// Whether a policy decides on every request (`--authorization=basic`).
    pub authorization: bool,
    /// Answers of the data API are compressed from this size on, for those who take it.
    pub gzip_min_length: usize,
    /// 1 to 9.
    pub gzip_level: u32,
    /// Of bodies.
    pub sizes: Sizes,
    /// `GET /v1/config`, without secrets.
    pub active: Json,
    /// The state of each of OPA's plugins that runs here, such as `bundle`: for `/health`.
    pub plugins: Plugins,
    /// `GET /v1/status`.
    pub status: StatusReport,
    /// Where decisions are logged.
    pub decision_log: DecisionLog,
}

/// What OPA's status plugin would report; nothing where it is not configured.
#[derive(Clone, Default)]
pub struct StatusReport {
    ask: Option<Arc<dyn Fn() -> Json + Send + Sync>>,
}

impl StatusReport {
    /// A report that is made when asked for.
    pub fn new(ask: impl Fn() -> Json + Send + Sync + 'static) -> Self {
        Self { ask: Some(Arc::new(ask)) }
    }

    /// The report now.
    pub fn report(&self) -> Option<Json> {
        self.ask.as_ref().map(|ask| ask())
    }
}

impl std::fmt::Debug for StatusReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StatusReport").field("enabled", &self.ask.is_some()).finish()
    }
}

impl Default for Settings {
    /// Those of OPA without a configuration file.
    fn default() -> Self {
        let path = |text: &str| text.split('/').map(str::to_owned).collect();
        Self {
            default_decision: path("system/main"),
            default_authorization_decision: path("system/authz/allow"),
            authorization: false,
            gzip_min_length: 1024,
            gzip_level: 9,
            sizes: Sizes::default(),
            active: json!({
                "default_authorization_decision": "/system/authz/allow",
                "default_decision": "/system/main",
                "labels": {"version": env!("CARGO_PKG_VERSION")},
            }),
            plugins: Plugins::default(),
            status: StatusReport::default(),
            decision_log: DecisionLog::default(),
        }
    }
}
