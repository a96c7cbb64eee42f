//! The state of each of OPA's plugins that runs here, as `/health` and the status tell it (OPA: `v1/plugins/plugins.go`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The state of a plugin that works.
pub const UP: &str = "OK";

/// Asks each plugin how it is.
#[derive(Clone, Default)]
pub struct Plugins {
    ask: Option<Arc<dyn Fn() -> Vec<Plugin> + Send + Sync>>,
    were_ready: Arc<AtomicBool>,
}

/// One of OPA's plugins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    /// OPA's name of it: `bundle`, `decision_logs`, `status`.
    pub name: String,
    /// OPA's state: `OK`, `NOT_READY`, `ERROR` or `WARN`.
    pub state: &'static str,
    /// What it still waits for, such as the names of bundles.
    pub waiting: Vec<String>,
}

impl Plugins {
    /// Plugins that tell their states when asked.
    pub fn new(ask: impl Fn() -> Vec<Plugin> + Send + Sync + 'static) -> Self {
        Self { ask: Some(Arc::new(ask)), were_ready: Arc::default() }
    }

    /// Whether all of them have been up at one time: what OPA calls ready.
    pub fn ready(&self, states: &[Plugin]) -> bool {
        if states.iter().all(|plugin| plugin.state == UP) {
            self.were_ready.store(true, Ordering::Relaxed);
        }
        self.were_ready.load(Ordering::Relaxed)
    }

    /// The state of each now.
    pub fn states(&self) -> Vec<Plugin> {
        self.ask.as_ref().map(|ask| ask()).unwrap_or_default()
    }
}

impl std::fmt::Debug for Plugins {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.states()).finish()
    }
}
