//! What may be done with a resource: paths, methods, parameters. Both versions of OpenAPI are written from this.
//! Source: apiserver's `endpoints/installer.go`.

use serde_json::{Map, Value as Json};

use crate::resources::{Resource, Scope};

use super::definitions::{self, DELETE_OPTIONS, PATCH, SCALE, STATUS};

/// Operations at one path.
pub(super) struct Path {
    /// Such as `/apis/apps/v1/namespaces/{namespace}/deployments/{name}`.
    pub(super) path: String,
    /// Names in braces, in alphabetical order.
    pub(super) variables: Vec<&'static str>,
    pub(super) operations: Vec<Operation>,
}

impl Path {
    /// The path and what stands at it, in the words of one dialect: how it says an operation, and a variable of the path.
    pub(super) fn item(self, described: fn(&Operation) -> Json, variable: fn(&str) -> Json) -> (String, Json) {
        let operations = self.operations.iter().map(|operation| (operation.method.to_owned(), described(operation)));
        let mut item: Map<String, Json> = operations.collect();
        if !self.variables.is_empty() {
            item.insert("parameters".into(), self.variables.into_iter().map(variable).collect());
        }
        (self.path, Json::Object(item))
    }
}

/// One method at a path.
pub(super) struct Operation {
    /// In lower case.
    pub(super) method: &'static str,
    /// `x-kubernetes-action`.
    pub(super) action: &'static str,
    pub(super) id: String,
    pub(super) description: String,
    pub(super) query: Vec<Parameter>,
    /// Name of the definition of the body, and whether one must be sent.
    pub(super) body: Option<(String, bool)>,
    /// Name of the definition of the answer.
    pub(super) answer: String,
    pub(super) takes: Vec<&'static str>,
    /// Group, version and kind.
    pub(super) kind: [String; 3],
    pub(super) tag: String,
}

/// A query parameter.
#[derive(Clone, Copy)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) description: &'static str,
}

/// Media types of answers.
pub(super) const GIVES: [&str; 2] = ["application/json", "application/yaml"];

const DRY_RUN: Parameter =
    Parameter { name: "dryRun", kind: "string", description: "All: go through every stage, store nothing." };
const MANAGER: Parameter =
    Parameter { name: "fieldManager", kind: "string", description: "Who is noted as the owner of the fields that change." };
const VALIDATION: Parameter = Parameter {
    name: "fieldValidation",
    kind: "string",
    description: "What is done about unknown and duplicate fields: Ignore, Warn or Strict.",
};
const FORCE: Parameter =
    Parameter { name: "force", kind: "boolean", description: "Apply only: take fields over that others own." };
const WRITE: &[Parameter] = &[DRY_RUN, MANAGER, VALIDATION];
const PATCHED: &[Parameter] = &[DRY_RUN, MANAGER, VALIDATION, FORCE];
const SELECT: &[Parameter] = &[
    Parameter { name: "continue", kind: "string", description: "The token of the page before." },
    Parameter { name: "fieldSelector", kind: "string", description: "Only objects with these fields." },
    Parameter { name: "labelSelector", kind: "string", description: "Only objects with these labels." },
    Parameter { name: "limit", kind: "integer", description: "The most objects in one answer." },
    Parameter { name: "resourceVersion", kind: "string", description: "The state that is asked for." },
    Parameter { name: "resourceVersionMatch", kind: "string", description: "How resourceVersion is meant." },
    Parameter { name: "sendInitialEvents", kind: "boolean", description: "Watch: begin with what is there." },
    Parameter { name: "timeoutSeconds", kind: "integer", description: "How long the answer may take." },
];
const LIST: &[Parameter] = &[
    Parameter { name: "allowWatchBookmarks", kind: "boolean", description: "Watch: send bookmarks." },
    Parameter { name: "watch", kind: "boolean", description: "Send changes as they happen." },
];
const DELETE: &[Parameter] = &[
    DRY_RUN,
    Parameter { name: "gracePeriodSeconds", kind: "integer", description: "How long the object may take to end." },
    Parameter { name: "orphanDependents", kind: "boolean", description: "Deprecated: use propagationPolicy." },
    Parameter {
        name: "propagationPolicy",
        kind: "string",
        description: "What becomes of dependents: Orphan, Background, Foreground.",
    },
];

/// Everything that is served of a resource.
pub(super) fn paths(resource: &Resource) -> Vec<Path> {
    let root = match (resource.group.as_str(), resource.version.as_str()) {
        ("", version) => format!("/api/{version}"),
        (group, version) => format!("/apis/{group}/{version}"),
    };
    let namespaced = resource.scope == Scope::Namespaced;
    let (collection, place): (String, &[&'static str]) = if namespaced {
        (format!("{root}/namespaces/{{namespace}}/{}", resource.plural), &["namespace"])
    } else {
        (format!("{root}/{}", resource.plural), &[])
    };
    let of_object = |below: &str| Path {
        path: format!("{collection}/{{name}}{below}"),
        variables: std::iter::once("name").chain(place.iter().copied()).collect(),
        operations: Vec::new(),
    };
    let mut paths = Vec::new();
    if namespaced && resource.is_stored() {
        let everywhere = Operation { id: id(resource, "list", "ForAllNamespaces", false), ..operation(resource, "list", "") };
        paths.push(Path { path: format!("{root}/{}", resource.plural), variables: Vec::new(), operations: vec![everywhere] });
    }
    paths.push(Path {
        path: collection.clone(),
        variables: place.to_vec(),
        operations: main(resource, &["list", "create", "deletecollection"]),
    });
    paths.push(Path { operations: main(resource, &["get", "update", "delete", "patch"]), ..of_object("") });
    let below = [
        ("status", resource.subresources.status, ["get", "update", "patch"].as_slice()),
        ("scale", resource.subresources.scale.is_some(), &["get", "update", "patch"]),
        ("finalize", resource.subresources.finalize, &["update"]),
    ];
    for (name, _, verbs) in below.into_iter().filter(|(_, served, _)| *served) {
        let operations = verbs.iter().map(|verb| operation(resource, verb, name)).collect();
        paths.push(Path { operations, ..of_object(&format!("/{name}")) });
    }
    paths.retain(|path| !path.operations.is_empty());
    paths
}

fn main(resource: &Resource, verbs: &[&'static str]) -> Vec<Operation> {
    let served = verbs.iter().filter(|verb| resource.verbs.iter().any(|served| served == *verb));
    served.map(|verb| operation(resource, verb, "")).collect()
}

/// One verb on a resource, or on what is below its objects.
fn operation(resource: &Resource, verb: &str, below: &str) -> Operation {
    let own = if below == "scale" { SCALE.to_owned() } else { definitions::name(resource) };
    let of = if below.is_empty() { String::new() } else { format!("{below} of ") };
    let (method, action, word, query): (_, _, _, Vec<&[Parameter]>) = match verb {
        "list" => ("get", "list", "list", vec![LIST, SELECT]),
        "create" => ("post", "post", "create", vec![WRITE]),
        "deletecollection" => ("delete", "deletecollection", "deletecollection", vec![DELETE, SELECT]),
        "update" => ("put", "put", "replace", vec![WRITE]),
        "delete" => ("delete", "delete", "delete", vec![DELETE]),
        "patch" => ("patch", "patch", "patch", vec![PATCHED]),
        _ => ("get", "get", "read", Vec::new()),
    };
    let (body, answer) = match word {
        "list" => (None, definitions::list_name(resource)),
        "create" | "replace" => (Some((own.clone(), true)), own),
        "delete" | "deletecollection" => (Some((DELETE_OPTIONS.to_owned(), false)), STATUS.to_owned()),
        "patch" => (Some((PATCH.to_owned(), true)), own),
        _ => (None, own),
    };
    let kind = match below {
        "scale" => ["autoscaling", "v1", "Scale"].map(str::to_owned),
        _ => [resource.group.clone(), resource.version.clone(), resource.kind.clone()],
    };
    Operation {
        method,
        action,
        id: id(resource, word, &capitalized(below), true),
        description: format!("{word} {of}{}", resource.kind),
        query: query.concat(),
        body,
        answer,
        takes: takes(resource, word),
        kind,
        tag: format!("{}_{}", lowered(&group_words(resource)), resource.version),
    }
}

fn takes(resource: &Resource, word: &str) -> Vec<&'static str> {
    match word {
        "patch" => {
            let strategic = (!resource.custom).then_some("application/strategic-merge-patch+json");
            let always = ["application/json-patch+json", "application/merge-patch+json"];
            always.into_iter().chain(strategic).chain(["application/apply-patch+yaml"]).collect()
        }
        _ => vec!["*/*"],
    }
}

/// Such as `patchAppsV1NamespacedDeploymentStatus`.
fn id(resource: &Resource, word: &str, suffix: &str, in_namespace: bool) -> String {
    let namespaced = if in_namespace && resource.scope == Scope::Namespaced { "Namespaced" } else { "" };
    let (word, collection) = if word == "deletecollection" { ("delete", "Collection") } else { (word, "") };
    let version = capitalized(&resource.version);
    format!("{word}{}{version}{collection}{namespaced}{}{suffix}", group_words(resource), resource.kind)
}

/// `Core`, `Apps`, `RbacAuthorization`.
fn group_words(resource: &Resource) -> String {
    match resource.group.strip_suffix(".k8s.io").unwrap_or(&resource.group) {
        "" => "Core".into(),
        group => group.split('.').map(capitalized).collect(),
    }
}

fn capitalized(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

fn lowered(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map(|first| first.to_lowercase().chain(characters).collect()).unwrap_or_default()
}
