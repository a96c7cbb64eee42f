//! Which webhooks there are: read from the store's own snapshot, so that a configuration is in force for every request that
//! begins after the write that made it was answered, and out of force after the one that deleted it.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value as Json;

use super::condition::Condition;
use super::spec::{ExternalHook, Spec};
use crate::expression::Expression;
use crate::resources::validate::webhooks::{EXTERNAL, VARIABLES};
use crate::storage::{Derived, Record, Snapshot};

const MUTATING: &str = "admissionregistration.k8s.io/mutatingwebhookconfigurations";
const VALIDATING: &str = "admissionregistration.k8s.io/validatingwebhookconfigurations";

/// The webhooks of the store.
#[derive(Debug)]
pub struct Configurations(Derived<Result<Hooks, Arc<LoadError>>>);

/// All webhooks of one moment, in the order of their configurations' names, then as they are listed.
#[derive(Clone, Debug, Default)]
pub struct Hooks {
    /// Called one after the other.
    pub mutating: Vec<Arc<Webhook>>,
    /// Called at once.
    pub validating: Vec<Arc<Webhook>>,
    /// Those of `v1alpha1`, called at once.
    pub external: Vec<Arc<Webhook>>,
}

/// One webhook.
#[derive(Debug)]
pub struct Webhook {
    /// The configuration's name.
    pub configuration: String,
    /// Tells it from every other webhook: configuration, name, and how many of this name came before.
    pub uid: String,
    /// As it was written.
    pub spec: Spec,
    /// All must hold for it to be called.
    pub conditions: Vec<Condition>,
}

/// What of a configuration matters here, of any version.
#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    webhooks: Vec<Spec>,
    #[serde(default, rename = "externalAdmissionHooks")]
    external: Vec<ExternalHook>,
}

/// A stored configuration that cannot be read: no webhook is passed over silently, so nothing is admitted.
#[derive(Debug, thiserror::Error)]
#[error("the webhook configuration `{name}` cannot be read: delete it or write it again: {source}")]
pub struct LoadError {
    name: String,
    source: serde_json::Error,
}

impl Webhook {
    /// Compiles the conditions.
    pub(super) fn new(configuration: String, uid: String, spec: Spec) -> Self {
        let conditions = spec.match_conditions.iter().map(|written| Condition {
            name: written.name.clone(),
            expression: Expression::compile(written.expression.trim(), &VARIABLES),
        });
        Self { configuration, uid, conditions: conditions.collect(), spec }
    }
}

impl Default for Configurations {
    fn default() -> Self {
        Self(Derived::new(&[MUTATING, VALIDATING, EXTERNAL]))
    }
}

impl Configurations {
    /// Those of one moment. Fails when one cannot be read.
    pub fn at(&self, snapshot: &Snapshot) -> Arc<Result<Hooks, Arc<LoadError>>> {
        self.0.at(snapshot, |snapshot| Hooks::read(snapshot).map_err(Arc::new))
    }
}

impl Hooks {
    fn read(snapshot: &Snapshot) -> Result<Self, LoadError> {
        // The store lists by name already.
        let of = |collection| -> Result<Vec<Arc<Webhook>>, LoadError> {
            let written = snapshot.list(collection, None, None).filter(|record| !record.uninitialized);
            let found = written.map(|record| of_configuration(record));
            Ok(found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        };
        Ok(Self { mutating: of(MUTATING)?, validating: of(VALIDATING)?, external: of(EXTERNAL)? })
    }
}

/// The webhooks of one stored configuration.
fn of_configuration(record: &Record) -> Result<Vec<Arc<Webhook>>, LoadError> {
    of_object(record.key.name.to_string(), &record.value)
}

/// The webhooks of one configuration, as listed in it: `text` is a Mutating- or ValidatingWebhookConfiguration with its defaults, or
/// an ExternalAdmissionHookConfiguration, as JSON. Fails when that cannot be read.
pub fn of_object(configuration: String, text: &[u8]) -> Result<Vec<Arc<Webhook>>, LoadError> {
    match serde_json::from_slice(text) {
        Ok(written) => Ok(listed(written, configuration, "")),
        Err(source) => Err(LoadError { name: configuration, source }),
    }
}

/// The webhooks of a configuration that is in a manifest: none of the API is taken for one of them, whatever its name. Fails when it
/// cannot be read.
pub(super) fn of_manifest(configuration: String, object: &Json) -> Result<Vec<Arc<Webhook>>, serde_json::Error> {
    Ok(listed(Written::deserialize(object)?, configuration, "manifest/"))
}

fn listed(Written { mut webhooks, external }: Written, configuration: String, origin: &str) -> Vec<Arc<Webhook>> {
    webhooks.extend(external.into_iter().map(Spec::from));
    let ordinal = |index: usize, name: &str| webhooks.iter().take(index).filter(|spec| spec.name == name).count();
    let uids: Vec<String> = webhooks
        .iter()
        .enumerate()
        .map(|(index, spec)| format!("{origin}{configuration}/{}/{}", spec.name, ordinal(index, &spec.name)))
        .collect();
    let hooks = webhooks.into_iter().zip(uids);
    hooks.map(|(spec, uid)| Arc::new(Webhook::new(configuration.clone(), uid, spec))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::admission::testing::{put, store};

    fn hook(name: &str) -> Json {
        json!({"name": name, "clientConfig": {"url": "https://localhost"}, "sideEffects": "None", "admissionReviewVersions": ["v1"]})
    }

    #[tokio::test]
    async fn hooks_are_in_the_order_of_configurations_and_then_as_listed() {
        let (store, configurations) = (store(), Configurations::default());
        let none = configurations.at(&store.snapshot());
        assert!(none.as_ref().as_ref().is_ok_and(|hooks| hooks.mutating.is_empty() && hooks.validating.is_empty()));
        let object = |name: &str, hooks: Json| json!({"metadata": {"name": name}, "webhooks": hooks});
        put(&store, MUTATING, object("b", json!([hook("z.x.y"), hook("a.x.y"), hook("z.x.y")]))).await;
        put(&store, MUTATING, object("a", json!([hook("m.x.y")]))).await;
        put(&store, VALIDATING, json!({"metadata": {"name": "c"}})).await;
        let hooks = configurations.at(&store.snapshot());
        let uids: Vec<&str> = hooks.as_ref().as_ref().unwrap().mutating.iter().map(|hook| hook.uid.as_str()).collect();
        assert_eq!(uids, ["a/m.x.y/0", "b/z.x.y/0", "b/a.x.y/0", "b/z.x.y/1"]);
    }

    #[tokio::test]
    async fn one_that_cannot_be_read_is_named() {
        let (store, configurations) = (store(), Configurations::default());
        put(&store, VALIDATING, json!({"metadata": {"name": "broken"}, "webhooks": [{"name": 7}]})).await;
        let loaded = configurations.at(&store.snapshot());
        assert!(loaded.as_ref().as_ref().unwrap_err().to_string().contains("`broken`"));
    }
}
