//! Configurations of webhooks, each with a marker: a webhook that refuses objects made to see whether it is in force.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::world::{CONFIG_MAPS, SERVICE, World, accepted, config_map, path_in};
use crate::e2e::support::fixtures::unique;

const REGISTRATION: &str = "/apis/admissionregistration.k8s.io/v1";

/// The two kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Mutating,
    Validating,
}

impl Kind {
    fn word(self) -> &'static str {
        if self == Self::Mutating { "mutating" } else { "validating" }
    }

    /// Of its configurations, or of one.
    pub(super) fn path(self, name: &str) -> String {
        let name = if name.is_empty() { String::new() } else { format!("/{name}") };
        format!("{REGISTRATION}/{}webhookconfigurations{name}", self.word())
    }

    fn marker(self) -> String {
        format!("{}-is-webhook-configuration-ready.k8s.io", self.word())
    }
}

/// What a webhook is for.
pub(super) fn rule(operations: &[&str], group: &str, versions: &[&str], resources: &[&str]) -> Json {
    json!({"operations": operations, "apiGroups": [group], "apiVersions": versions, "resources": resources})
}

impl World {
    /// A webhook that is called at `path` of the hook, for the behaviour's namespace.
    pub(super) fn webhook(&self, name: &str, path: &str, rule: &Json) -> Json {
        let service = json!({"namespace": self.namespace, "name": SERVICE, "path": path, "port": self.hook.port()});
        json!({
            "name": name, "rules": [rule], "sideEffects": "None", "admissionReviewVersions": ["v1", "v1beta1"],
            "clientConfig": {"service": service, "caBundle": self.hook.ca_bundle()},
            "namespaceSelector": {"matchLabels": {self.name.as_str(): "true"}},
        })
    }

    /// Refuses ConfigMaps with what it does not want, but in namespaces that are labelled to be skipped.
    pub(super) fn denying_config_maps(&self) -> Json {
        let rule = rule(&["CREATE", "UPDATE", "DELETE"], "", &["v1"], &[CONFIG_MAPS]);
        let mut webhook = self.webhook("deny-unwanted-configmap-data.k8s.io", "/configmaps", &rule);
        let skipped = json!([{"key": "skip-webhook-admission", "operator": "NotIn", "values": ["true"]}]);
        webhook["namespaceSelector"]["matchExpressions"] = skipped;
        webhook
    }

    /// Adds what the stage before has not added yet.
    pub(super) fn mutating_config_maps(&self, stage: u8) -> Json {
        let rule = rule(&["CREATE"], "", &["v1"], &[CONFIG_MAPS]);
        self.webhook(&format!("adding-configmap-data-stage-{stage}.k8s.io"), "/mutating-configmaps", &rule)
    }

    /// Cannot be called: nobody vouches for its certificate.
    pub(super) fn unreachable(&self, name: &str, policy: &str) -> Json {
        let mut webhook = self.webhook(name, "/configmaps", &rule(&["CREATE"], "", &["v1"], &[CONFIG_MAPS]));
        webhook["clientConfig"]["caBundle"] = Json::Null;
        webhook["failurePolicy"] = policy.into();
        webhook
    }

    /// A configuration of these webhooks and the marker.
    pub(super) fn configuration(&self, kind: Kind, name: &str, webhooks: &[Json]) -> Json {
        let mut marker = self.webhook(&kind.marker(), "/always-deny", &rule(&["CREATE"], "", &["v1"], &[CONFIG_MAPS]));
        marker["namespaceSelector"] = json!({"matchLabels": {self.markers.as_str(): "true"}});
        marker["objectSelector"] = json!({"matchLabels": {self.name.as_str(): "true"}});
        // The way to the Service may not be there yet.
        marker["failurePolicy"] = "Ignore".into();
        let webhooks = [webhooks, &[marker]].concat();
        json!({"metadata": {"name": name}, "webhooks": webhooks})
    }

    /// Creates the behaviour's configuration and returns it when it is in force.
    #[track_caller]
    pub(super) fn register(&self, kind: Kind, webhooks: &[Json]) -> Json {
        self.register_as(&self.name, kind, webhooks)
    }

    /// The same by another name.
    #[track_caller]
    pub(super) fn register_as(&self, name: &str, kind: Kind, webhooks: &[Json]) -> Json {
        let created = accepted(self.send(Method::POST, &kind.path(""), &self.configuration(kind, name, webhooks)));
        self.await_ready(kind);
        created
    }

    /// Waits until a marker of this kind is refused.
    #[track_caller]
    pub(super) fn await_ready(&self, kind: Kind) {
        self.in_force("the configuration", || self.mark(kind));
    }

    /// Deletes the behaviour's configuration and returns when no marker is refused any more.
    #[track_caller]
    pub(super) fn unregister(&self, kind: Kind) {
        accepted(self.delete(&kind.path(&self.name)));
        self.in_force("the end of the configuration", || self.mark(kind).err().ok_or("a marker is refused"));
    }

    /// `Ok` if a marker is refused by this kind's webhook.
    fn mark(&self, kind: Kind) -> Result<(), String> {
        let mut marker = config_map(&unique("marker"), &Json::Null);
        marker["metadata"]["labels"] = json!({self.name.as_str(): "true"});
        let answer = self.send(Method::POST, &path_in(&self.markers, CONFIG_MAPS, ""), &marker);
        let refused = !answer.accepted();
        assert!(!refused || answer.message().contains("denied"), "{answer:?}");
        if refused && answer.message().contains(&kind.marker()) { Ok(()) } else { Err(format!("{answer:?}")) }
    }
}
