//! How objects are initialized here: what is set for all of them, and what their creators are told.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::admission::initializers::Configurations;

/// Creators that are told of initializers that were passed over; more are not.
const MOST_WAITING: usize = 10_000;

/// What is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Without it `metadata.initializers` is cleared from whatever is written, and hides nothing.
    pub enabled: bool,
    /// How long one initializer may take.
    pub timeout: Duration,
    /// A read of an object that is older and still uninitialized passes its first initializer over.
    pub global_timeout: Duration,
    /// Added to `global_timeout`: how far the clocks of servers that share objects may be apart.
    pub clock_drift: Duration,
    /// What a GET answers about an object that is not initialized.
    pub get: GetVisibility,
    /// Whether the update that makes an object visible is judged by webhooks for CREATE too.
    pub revalidate: bool,
}

/// What a GET without `includeUninitialized` answers about an object that is not initialized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GetVisibility {
    /// 404, as the documentation of Kubernetes 1.7 says.
    #[default]
    Strict,
    /// The object, as its code did.
    Upstream,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            timeout: Duration::from_secs(5),
            global_timeout: Duration::from_secs(600),
            clock_drift: Duration::from_secs(5),
            get: GetVisibility::Strict,
            revalidate: true,
        }
    }
}

/// What the server itself does about initialization.
#[derive(Debug)]
pub struct Initialization {
    /// What is set.
    pub settings: Settings,
    /// The initializers that are configured, shared with admission.
    pub configurations: Arc<Configurations>,
    waiting: Arc<Mutex<BTreeMap<String, Vec<String>>>>,
}

/// Somebody who waits until an object is initialized; ends when dropped.
#[derive(Debug)]
pub struct Waiting {
    uid: String,
    all: Arc<Mutex<BTreeMap<String, Vec<String>>>>,
}

impl Initialization {
    /// Nobody waits yet.
    pub fn new(settings: Settings, configurations: Arc<Configurations>) -> Self {
        Self { settings, configurations, waiting: Arc::default() }
    }

    /// Somebody waits for the object of this uid.
    pub fn wait(&self, uid: &str) -> Waiting {
        let mut all = self.waiting.lock();
        if all.len() < MOST_WAITING {
            all.entry(uid.to_owned()).or_default();
        }
        Waiting { uid: uid.to_owned(), all: Arc::clone(&self.waiting) }
    }

    /// Tells whoever waits for the object of this uid.
    pub fn tell(&self, uid: &str, text: &str) {
        if let Some(texts) = self.waiting.lock().get_mut(uid) {
            texts.push(text.to_owned());
        }
    }

    /// What was told is not so.
    pub fn retract(&self, uid: &str, text: &str) {
        if let Some(texts) = self.waiting.lock().get_mut(uid) {
            texts.retain(|told| told != text);
        }
    }
}

impl Waiting {
    /// What was told since the last time.
    pub fn told(&self) -> Vec<String> {
        self.all.lock().get_mut(&self.uid).map(std::mem::take).unwrap_or_default()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.all.lock().remove(&self.uid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_is_told_and_nobody_else() {
        let initialization = Initialization::new(Settings::default(), Arc::default());
        let (one, other) = (initialization.wait("1"), initialization.wait("2"));
        for (uid, text) in [("1", "a"), ("1", "untrue"), ("3", "b")] {
            initialization.tell(uid, text);
        }
        initialization.retract("1", "untrue");
        assert_eq!((one.told(), other.told()), (vec!["a".to_owned()], vec![]));
        assert!(one.told().is_empty(), "once");
        drop((one, other));
        assert!(initialization.waiting.lock().is_empty());
    }
}
