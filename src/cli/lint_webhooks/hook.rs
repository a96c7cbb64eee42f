//! One hook of a configuration: as it is written, and as a server reads it, with the defaults of its version.

use std::sync::Arc;

use plimsoll_apiserver::admission::Attributes;
use plimsoll_apiserver::admission::webhook::matching::{by_rules, in_namespace, selects_object};
use plimsoll_apiserver::admission::webhook::{COST_LIMIT, LoadError, Spec, Webhook, of_object, variables};
use serde_json::{Value as Json, json};

use super::source::Configuration;

/// The values that a version of the API gives to missing fields, as JSON. Source:
/// `kubernetes/pkg/apis/admissionregistration/{v1,v1beta1}/defaults.go`.
const DEFAULTS: [(&str, [(&str, &str); 5]); 2] = [
    (
        "admissionregistration.k8s.io/v1",
        [
            ("failurePolicy", "\"Fail\""),
            ("matchPolicy", "\"Equivalent\""),
            ("timeoutSeconds", "10"),
            ("sideEffects", "\"\""),
            ("admissionReviewVersions", "[]"),
        ],
    ),
    (
        "admissionregistration.k8s.io/v1beta1",
        [
            ("failurePolicy", "\"Ignore\""),
            ("matchPolicy", "\"Exact\""),
            ("timeoutSeconds", "30"),
            ("sideEffects", "\"Unknown\""),
            ("admissionReviewVersions", "[\"v1beta1\"]"),
        ],
    ),
];

/// What a hook may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Mutating,
    Validating,
    /// May refuse, by the API `v1alpha1`: most that later versions let an author choose was fixed there.
    External,
}

/// A hook, and the configuration that it is in.
pub(super) struct Hook<'a> {
    pub(super) configuration: &'a Configuration,
    pub(super) kind: Kind,
    /// Position in the configuration's list, from 0.
    pub(super) index: usize,
    pub(super) webhook: Arc<Webhook>,
}

impl Kind {
    /// Returns the kind of hooks that a configuration lists; `None` for any other object.
    pub(super) fn of(object: &Json) -> Option<Self> {
        match object.get("kind").and_then(Json::as_str)? {
            "MutatingWebhookConfiguration" => Some(Self::Mutating),
            "ValidatingWebhookConfiguration" => Some(Self::Validating),
            "ExternalAdmissionHookConfiguration" => Some(Self::External),
            _ => None,
        }
    }

    /// Returns the name of the field that lists the hooks.
    pub(super) fn list(self) -> &'static str {
        if self == Self::External { "externalAdmissionHooks" } else { "webhooks" }
    }
}

/// Returns the hooks of a configuration, with defaults. Fails when a server could not read one.
pub(super) fn of(configuration: &Configuration, kind: Kind) -> Result<Vec<Hook<'_>>, LoadError> {
    let mut object = configuration.object.clone();
    let version = object.get("apiVersion").and_then(Json::as_str).unwrap_or_default().to_owned();
    let defaults = DEFAULTS.iter().find(|(of, _)| *of == version).map(|(_, defaults)| defaults);
    let hooks = object.get_mut("webhooks").and_then(Json::as_array_mut).into_iter().flatten();
    for hook in hooks.filter_map(Json::as_object_mut) {
        for (field, value) in defaults.into_iter().flatten() {
            let value: Json = serde_json::from_str(value).unwrap_or_default();
            hook.entry(*field).or_insert(value);
        }
    }
    let webhooks = of_object(configuration.name(), object.to_string().as_bytes())?;
    let hook = |(index, webhook)| Hook { configuration, kind, index, webhook };
    Ok(webhooks.into_iter().enumerate().map(hook).collect())
}

impl Hook<'_> {
    /// Returns the JSON pointer of the hook in its configuration.
    pub(super) fn pointer(&self) -> String {
        format!("/{}/{}", self.kind.list(), self.index)
    }

    /// Returns the hook as it is written, without defaults; null if the configuration has none at this position.
    pub(super) fn written(&self) -> &Json {
        self.configuration.object.pointer(&self.pointer()).unwrap_or(&Json::Null)
    }

    /// Returns the hook as a server reads it, with defaults.
    pub(super) fn spec(&self) -> &Spec {
        &self.webhook.spec
    }

    /// Returns namespace and name of the Service that is called, also where a URL names it; `None` for any other address.
    pub(super) fn service(&self) -> Option<(String, String)> {
        let config = &self.spec().client_config;
        if let Some(service) = &config.service {
            return Some((service.namespace.clone(), service.name.clone()));
        }
        let host = config.url.as_deref()?.strip_prefix("https://")?.split(['/', ':']).next()?;
        let (name, rest) = host.split_once('.')?;
        let (namespace, domain) = rest.split_once('.')?;
        (domain == "svc" || domain.starts_with("svc.")).then(|| (namespace.to_owned(), name.to_owned()))
    }

    /// Returns whether the hook would be called for a request, by its selectors, rules and conditions. `labels` are those of the
    /// request's namespace. A condition that cannot be evaluated counts as true.
    pub(super) fn sees(&self, request: &Attributes, labels: &Json) -> bool {
        let (spec, namespace) = (self.spec(), json!({"metadata": {"labels": labels}}));
        let in_namespace = in_namespace(&spec.namespace_selector, request, |_| Ok::<_, std::convert::Infallible>(namespace));
        let Ok(true) = in_namespace else { return false };
        let Some((_, resource)) = by_rules(spec, request).filter(|_| selects_object(&spec.object_selector, request)) else {
            return false;
        };
        let (variables, mut budget) = (variables(&resource, request), COST_LIMIT);
        let mut expressions = self.webhook.conditions.iter().filter_map(|condition| condition.expression.as_ref().ok());
        expressions.all(|expression| expression.evaluate(&variables, None, &mut budget).unwrap_or(true))
    }
}
