//! The two webhook configurations: the mutating webhook fails open, the validating one behind it fails closed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plimsoll_contract::kind::Kind;
use serde_json::{Value as Json, json};

use super::NAME;
use super::scope::{Part, rules};

const API: &str = "admissionregistration.k8s.io/v1";
/// Path of the mutating endpoint below the review URL.
pub const MUTATE: &str = "/mutate";
/// Path of the validating endpoint, which denies objects that differ from the decision.
pub const VALIDATE: &str = "/validate";

/// Address of the review listener, and the certificates that the API server verifies it by.
#[derive(Clone, Copy, Debug)]
pub struct Review<'a> {
    /// `https://`, host and port.
    pub url: &'a str,
    /// Certificates in PEM; `None`: the API server's own roots.
    pub ca: Option<&'a str>,
}

impl Review<'_> {
    fn client_config(self, path: &str) -> Json {
        let url = format!("{}{path}", self.url.trim_end_matches('/'));
        match self.ca {
            Some(ca) => json!({"url": url, "caBundle": STANDARD.encode(ca)}),
            None => json!({"url": url}),
        }
    }
}

/// Returns both configurations. Each has one webhook, so that an overlay can address `/webhooks/0`; `namespaces` is their
/// `namespaceSelector`.
pub fn documents(namespaces: &Json, review: Review<'_>, kinds: &[Kind]) -> Vec<Json> {
    let mut mutating = webhook("mutate.placement.plimsoll.io", review.client_config(MUTATE), namespaces, kinds);
    let mut validating = webhook("validate.placement.plimsoll.io", review.client_config(VALIDATE), namespaces, kinds);
    set(&mut mutating, "failurePolicy", "Ignore");
    // Another webhook may change the object after us; then we are asked once more.
    set(&mut mutating, "reinvocationPolicy", "IfNeeded");
    set(&mut validating, "failurePolicy", "Fail");
    [("MutatingWebhookConfiguration", mutating), ("ValidatingWebhookConfiguration", validating)]
        .map(|(kind, webhook)| json!({"apiVersion": API, "kind": kind, "metadata": {"name": NAME}, "webhooks": [webhook]}))
        .into()
}

fn webhook(name: &str, client_config: Json, namespaces: &Json, kinds: &[Kind]) -> Json {
    json!({
        "name": name,
        "clientConfig": client_config,
        "rules": rules(kinds, Part::Objects, &["CREATE", "UPDATE"]),
        "namespaceSelector": namespaces,
        "admissionReviewVersions": ["v1", "v1beta1"],
        "matchPolicy": "Equivalent",
        "sideEffects": "None",
        "timeoutSeconds": 5,
    })
}

fn set(webhook: &mut Json, key: &str, value: &str) {
    if let Some(fields) = webhook.as_object_mut() {
        fields.insert(key.into(), value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::manifests::scope::testing::table;

    #[test]
    fn both_webhooks_follow_the_good_practices() {
        let kinds = table(&[("apps/v1/deployments", true), ("v1/pods", false)]);
        let [mutating, validating] =
            documents(&json!({"matchLabels": {}}), Review { url: "https://r/", ca: Some("pem") }, &kinds).try_into().unwrap();
        for (webhook, policy, path) in [(&mutating, "Ignore", "https://r/mutate"), (&validating, "Fail", "https://r/validate")] {
            let webhook = &webhook["webhooks"][0];
            assert_eq!(webhook["failurePolicy"], policy);
            assert_eq!(webhook["clientConfig"], json!({"url": path, "caBundle": "cGVt"}));
            assert_eq!(webhook["timeoutSeconds"], 5);
            assert_eq!(webhook["matchPolicy"], "Equivalent");
            assert_eq!(webhook["sideEffects"], "None");
            assert_eq!(webhook["rules"], json!(rules(&kinds, Part::Objects, &["CREATE", "UPDATE"])));
            assert_eq!(webhook["namespaceSelector"], json!({"matchLabels": {}}));
            assert!(webhook["name"].as_str().unwrap().split('.').count() >= 3);
        }
        assert_eq!(mutating["webhooks"][0]["reinvocationPolicy"], "IfNeeded");
        assert!(validating["webhooks"][0].get("reinvocationPolicy").is_none(), "the API server refuses it there");
    }
}
