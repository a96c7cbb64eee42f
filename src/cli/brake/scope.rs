//! Whether a scope that is to be paused exists. The API server is asked, with the caller's own credentials.

use anyhow::bail;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResource;
use kube::{Api, Client};
use plimsoll_contract::kind::Gvr;
use plimsoll_contract::still::{Scope, resource};

/// A resource that the API server serves.
#[derive(Clone, Debug)]
pub(super) struct Served {
    /// The name that kubectl prints: `deployments.apps`, `pods`.
    resource: String,
    /// Other names of the resource: plural, singular, kind and short names, in lower case.
    words: Vec<String>,
}

/// Fails for the first scope that names no namespace or resource of the API server. A scope passes where the server cannot be asked, for
/// lack of rights or of an answer: a pause during an incident must not wait for it, and the sidecar's record lists the scopes that pause
/// nothing.
pub(super) async fn check(client: &Client, scopes: &[Scope]) -> anyhow::Result<()> {
    let mut known = None;
    for scope in scopes {
        match scope {
            Scope::Fleet => {}
            Scope::Namespace(name) => {
                let found = Api::<Namespace>::all(client.clone()).get_opt(name).await;
                if matches!(found, Ok(None)) {
                    bail!("`{scope}`: there is no namespace `{name}`; nothing was paused. See `kubectl get namespaces`");
                }
            }
            Scope::Kind(name) => {
                if known.is_none() {
                    known = served(client).await.ok();
                }
                if let Some(known) = &known {
                    is_served(name, known)?;
                }
            }
        }
    }
    Ok(())
}

/// Fails when `name` is none of the resources in `known`; the error suggests those that may be meant.
pub(super) fn is_served(name: &str, known: &[Served]) -> anyhow::Result<()> {
    if known.iter().any(|served| served.resource == name) {
        return Ok(());
    }
    let (word, group) = name.split_once('.').unwrap_or((name, ""));
    let is_meant = |served: &&Served| {
        let of_group = served.resource.split_once('.').map_or("", |(_, group)| group);
        (group.is_empty() || of_group == group) && served.words.iter().any(|known| known == word)
    };
    let mut meant: Vec<String> = known.iter().filter(is_meant).map(|served| format!("`kind/{}`", served.resource)).collect();
    meant.dedup();
    let hint = match meant.is_empty() {
        true => "see `kubectl api-resources`".to_owned(),
        false => format!("did you mean {}?", meant.join(" or ")),
    };
    bail!("`kind/{name}`: the API server serves no resource `{name}`; nothing was paused; {hint}")
}

/// Returns all resources that the API server serves, without subresources. Fails when one API group cannot be listed, because the
/// resource that is looked for may be in it.
async fn served(client: &Client) -> kube::Result<Vec<Served>> {
    let mut all = Vec::new();
    for version in client.list_core_api_versions().await?.versions {
        let list = client.list_core_api_resources(&version).await?;
        all.extend(list.resources.iter().filter_map(|found| one(&list.group_version, found)));
    }
    for version in client.list_api_groups().await?.groups.iter().flat_map(|group| &group.versions) {
        let list = client.list_api_group_resources(&version.group_version).await?;
        all.extend(list.resources.iter().filter_map(|found| one(&list.group_version, found)));
    }
    Ok(all)
}

fn one(group_version: &str, found: &APIResource) -> Option<Served> {
    let gvr = Gvr::try_from(format!("{group_version}/{}", found.name)).ok()?;
    let short = found.short_names.iter().flatten();
    let words = [&found.name, &found.singular_name, &found.kind].into_iter().chain(short).map(|word| word.to_lowercase());
    Some(Served { resource: resource(&gvr), words: words.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<Served> {
        let found = |name: &str, kind: &str, short: &str| APIResource {
            name: name.into(),
            singular_name: kind.to_lowercase(),
            kind: kind.into(),
            short_names: Some(vec![short.into()]),
            ..APIResource::default()
        };
        let all = [
            one("apps/v1", &found("deployments", "Deployment", "deploy")),
            one("apps/v1", &found("deployments/status", "Deployment", "")),
            one("v1", &found("pods", "Pod", "po")),
            one("v1", &found("events", "Event", "ev")),
            one("events.k8s.io/v1", &found("events", "Event", "ev")),
        ];
        all.into_iter().flatten().collect()
    }

    #[test]
    fn a_resource_is_named_as_kubectl_names_it_and_what_was_meant_is_said() {
        let known = known();
        assert_eq!(known.len(), 4, "a subresource is none");
        for name in ["deployments.apps", "pods", "events.events.k8s.io"] {
            assert!(is_served(name, &known).is_ok(), "{name}");
        }
        for (name, hint) in [
            ("deployment", "did you mean `kind/deployments.apps`?"),
            ("deploy", "`kind/deployments.apps`"),
            ("deployments", "`kind/deployments.apps`"),
            ("deployment.apps", "`kind/deployments.apps`"),
            ("ev", "`kind/events` or `kind/events.events.k8s.io`"),
            ("deployments.extensions", "kubectl api-resources"),
            ("nosuch", "kubectl api-resources"),
        ] {
            let error = is_served(name, &known).unwrap_err().to_string();
            assert!(error.contains(hint) && error.contains("nothing was paused"), "{name}: {error}");
        }
    }
}
