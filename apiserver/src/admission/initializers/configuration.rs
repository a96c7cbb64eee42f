//! Which initializers there are: read from the store's own snapshot, as webhooks are, so that a configuration is in force for
//! every request that begins after the write that made it was answered.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;

use crate::admission::Attributes;
use crate::admission::remote::{INITIALIZERS_FAILED as FAILURE, loading};
use crate::admission::webhook::{FailurePolicy, Rule};
use crate::resources::Resource;
use crate::resources::validate::initializers::COLLECTION;
use crate::status::Status;
use crate::storage::{Derived, Snapshot};

/// The initializers of the store.
#[derive(Debug)]
pub struct Configurations(Derived<Result<Vec<Initializer>, Arc<LoadError>>>);

/// One initializer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Initializer {
    /// Such as `podimage.example.com`.
    pub name: String,
    /// The requests that it is asked about: those of any of these rules.
    #[serde(default)]
    rules: Vec<Rule>,
    /// What becomes of an object when it does not answer in time.
    #[serde(default = "ignore")]
    pub failure_policy: FailurePolicy,
}

/// A stored configuration that cannot be read: no initializer is passed over silently, so nothing is created.
#[derive(Debug, thiserror::Error)]
#[error("the initializer configuration `{name}` cannot be read: delete it or write it again: {source}")]
pub struct LoadError {
    name: String,
    source: serde_json::Error,
}

fn ignore() -> FailurePolicy {
    FailurePolicy::Ignore
}

impl Initializer {
    /// Whether it is to be asked about a create. Initializers see whole objects, never a part of one.
    pub fn wants(&self, request: &Attributes) -> bool {
        self.rules.iter().any(|rule| rule.matches(request, &request.resource))
    }
}

impl Default for Configurations {
    fn default() -> Self {
        Self(Derived::new(&[COLLECTION]))
    }
}

impl Configurations {
    /// Those of one moment, in the order of their configurations' names and then as listed; of several with one name the first.
    pub fn at(&self, snapshot: &Snapshot) -> Arc<Result<Vec<Initializer>, Arc<LoadError>>> {
        self.0.at(snapshot, |snapshot| read(snapshot).map_err(Arc::new))
    }

    /// Returns the failure policy of an initializer; nothing for one that is not configured any more, or whose name a client chose. Fails
    /// when a configuration cannot be read.
    pub fn policy(&self, snapshot: &Snapshot, name: &str) -> Result<Option<FailurePolicy>, Arc<LoadError>> {
        let configured = self.at(snapshot);
        let all = configured.as_ref().as_ref().map_err(Arc::clone)?;
        Ok(all.iter().find(|known| known.name == name).map(|known| known.failure_policy))
    }
}

fn read(snapshot: &Snapshot) -> Result<Vec<Initializer>, LoadError> {
    // The store lists by name already.
    let records = snapshot.list(COLLECTION, None, None).filter(|record| !record.uninitialized);
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    for record in records {
        let found = of_object(&record.key.name, &record.value)?;
        all.extend(found.into_iter().filter(|one| seen.insert(one.name.clone())));
    }
    Ok(all)
}

/// Returns the initializers of one configuration, as listed in it; `text` is an InitializerConfiguration as JSON. Fails when it cannot be read.
pub fn of_object(name: &str, text: &[u8]) -> Result<Vec<Initializer>, LoadError> {
    #[derive(Deserialize)]
    struct Configuration {
        #[serde(default)]
        initializers: Vec<Initializer>,
    }
    let read = serde_json::from_slice(text);
    let Configuration { mut initializers } = read.map_err(|source| LoadError { name: name.to_owned(), source })?;
    for rule in initializers.iter_mut().flat_map(|one| &mut one.rules) {
        // Its author cannot choose: an initializer is for what is created.
        rule.operations = vec!["CREATE".to_owned()];
    }
    Ok(initializers)
}

impl LoadError {
    /// The refusal of a create, as upstream tells it once a refresh has failed. Source: `NewLazyConfigurationError` users in
    /// `pkg/admission/plugin/initialization`.
    pub fn refusal(&self, resource: &Resource) -> Status {
        loading(format!("Unable to refresh the initializer configuration: {self}"), FAILURE, resource)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::admission::testing::{put, store};
    use crate::status::Reason;

    fn one(name: &str, policy: &str) -> Json {
        json!({"name": name, "failurePolicy": policy})
    }

    #[tokio::test]
    async fn the_first_of_a_name_counts_in_the_order_of_configurations() {
        let (store, configurations) = (store(), Configurations::default());
        assert!(configurations.at(&store.snapshot()).as_ref().as_ref().unwrap().is_empty());
        let object = |name: &str, all: Json| json!({"metadata": {"name": name}, "initializers": all});
        put(&store, COLLECTION, object("b", json!([one("z.x.y", "Ignore"), one("a.x.y", "Ignore")]))).await;
        put(&store, COLLECTION, object("a", json!([one("m.x.y", "Ignore"), one("a.x.y", "Fail")]))).await;
        let pending = json!({"name": "c", "initializers": {"pending": [{"name": "i.x.y"}]}});
        put(&store, COLLECTION, json!({"metadata": pending, "initializers": [one("h.x.y", "Fail")]})).await;
        let all = configurations.at(&store.snapshot());
        let names: Vec<&str> = all.as_ref().as_ref().unwrap().iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["m.x.y", "a.x.y", "z.x.y"]);
        let policy = |name: &str| configurations.policy(&store.snapshot(), name).unwrap();
        assert_eq!([policy("a.x.y"), policy("z.x.y")], [Some(FailurePolicy::Fail), Some(FailurePolicy::Ignore)]);
        assert_eq!([policy("h.x.y"), policy("none.x.y")], [None, None]);
    }

    #[tokio::test]
    async fn one_that_cannot_be_read_is_named() {
        let (store, configurations) = (store(), Configurations::default());
        put(&store, COLLECTION, json!({"metadata": {"name": "broken"}, "initializers": [{"name": 7}]})).await;
        let loaded = configurations.at(&store.snapshot());
        let error = loaded.as_ref().as_ref().unwrap_err();
        assert!(error.to_string().contains("`broken`"));
        let refusal = error.refusal(&crate::admission::testing::resource("apps", "v1", "ReplicaSet", "replicasets"));
        assert_eq!((refusal.code, refusal.reason), (500, Reason::Other("LoadingConfiguration".into())));
        assert_eq!(refusal.details.unwrap().retry_after_seconds, Some(1));
    }
}
