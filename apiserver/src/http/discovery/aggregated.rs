//! Aggregated discovery: all of `/api` or `/apis` in one document. Source: KEP-3352, `apidiscovery.k8s.io` v2 and v2beta1.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::accept;
use super::lists::{add_lists, subresources};
use super::{Document, Group, Version};
use crate::resources::{Resource, Scope};

/// Versions of the aggregated form; their bodies differ in `apiVersion` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    V2,
    V2beta1,
}

impl Form {
    const ALL: [Form; 2] = [Form::V2, Form::V2beta1];

    fn version(self) -> &'static str {
        match self {
            Form::V2 => "v2",
            Form::V2beta1 => "v2beta1",
        }
    }

    fn content_type(self) -> &'static str {
        match self {
            Form::V2 => "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
            Form::V2beta1 => "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
        }
    }
}

/// The form that an `Accept` header prefers; `None` if that is plain JSON.
pub(super) fn asked_for(header: &str) -> Option<Form> {
    for clause in accept::clauses(header) {
        let form = Form::ALL.into_iter().find(|form| {
            clause.parameter("g") == Some("apidiscovery.k8s.io")
                && clause.parameter("as") == Some("APIGroupDiscoveryList")
                && clause.parameter("v") == Some(form.version())
        });
        match form {
            Some(form) if clause.takes("application", "json") => return Some(form),
            None if clause.parameter("as").is_none() && clause.takes("application", "json") => return None,
            _ => {}
        }
    }
    None
}

/// Both roots in both forms.
pub(super) fn documents(core: &[&Group], named: &[&Group]) -> BTreeMap<(&'static str, Form), Document> {
    let mut documents = BTreeMap::new();
    for (path, groups) in [("/api", core), ("/apis", named)] {
        let items: Vec<Json> = groups.iter().map(|group| discovery(group)).collect();
        for form in Form::ALL {
            let api_version = format!("apidiscovery.k8s.io/{}", form.version());
            let body = json!({ "kind": "APIGroupDiscoveryList", "apiVersion": api_version, "metadata": {}, "items": items });
            documents.insert((path, form), Document::new(form.content_type(), body.to_string()));
        }
    }
    documents
}

fn discovery(group: &Group) -> Json {
    let version = |version: &Version| {
        let resources: Vec<Json> = version.resources.iter().map(|resource| resource_discovery(resource)).collect();
        json!({ "version": version.name, "freshness": "Current", "resources": resources })
    };
    let versions: Vec<Json> = group.versions.iter().map(version).collect();
    let metadata = if group.name.is_empty() { json!({}) } else { json!({ "name": group.name }) };
    json!({ "metadata": metadata, "versions": versions })
}

fn resource_discovery(resource: &Resource) -> Json {
    let scope = match resource.scope {
        Scope::Namespaced => "Namespaced",
        Scope::Cluster => "Cluster",
    };
    let mut entry = json!({
        "resource": resource.plural, "singularResource": resource.singular, "scope": scope, "verbs": resource.verbs,
        "responseKind": response_kind(resource, None, &resource.kind),
    });
    add_lists(&mut entry, resource);
    let below = subresources(resource).into_iter().map(|below| {
        let kind = response_kind(resource, below.elsewhere, &below.kind);
        json!({ "subresource": below.name, "responseKind": kind, "verbs": below.verbs })
    });
    let below: Vec<Json> = below.collect();
    if let (false, Some(fields)) = (below.is_empty(), entry.as_object_mut()) {
        fields.insert("subresources".into(), below.into());
    }
    entry
}

/// Spelled out: an empty group or version would mean the surrounding one, which older clients do not know.
fn response_kind(resource: &Resource, elsewhere: Option<(&str, &str)>, kind: &str) -> Json {
    let (group, version) = elsewhere.unwrap_or((&resource.group, &resource.version));
    json!({ "group": group, "version": version, "kind": kind })
}
