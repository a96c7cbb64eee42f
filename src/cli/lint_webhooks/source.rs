//! Reads configurations from files, with the line of each field, or from an API server, with the objects around each webhook.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use plimsoll_sidecar::cluster::Fault;
use serde_json::{Value as Json, json};

use super::lines::Lines;
use crate::cli::place::read;
use crate::cli::predict::api::Server;

/// The kinds of configurations, with their paths on an API server; the first one that is served is read.
const KINDS: [(&str, &[&str]); 3] = [
    ("MutatingWebhookConfiguration", &["v1/mutatingwebhookconfigurations", "v1beta1/mutatingwebhookconfigurations"]),
    ("ValidatingWebhookConfiguration", &["v1/validatingwebhookconfigurations", "v1beta1/validatingwebhookconfigurations"]),
    ("ExternalAdmissionHookConfiguration", &["v1alpha1/externaladmissionhookconfigurations"]),
];
/// Their group.
pub(super) const GROUP: &str = "admissionregistration.k8s.io";
/// The path that stands for standard input.
const STDIN: &str = "-";

/// An object, and where it was read.
#[derive(Debug)]
pub(super) struct Configuration {
    pub(super) object: Json,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// In a file: the field `prefix` of the document that begins on `line`.
    File {
        file: String,
        line: usize,
        prefix: String,
        lines: Arc<Lines>,
    },
    Server,
}

impl Configuration {
    /// Returns `metadata.name`.
    pub(super) fn name(&self) -> String {
        self.text("/metadata/name").to_owned()
    }

    /// Returns the string at a JSON pointer; empty if there is none.
    pub(super) fn text(&self, pointer: &str) -> &str {
        self.object.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
    }

    /// Returns where a field is: `file:line`, or kind and name of an object of the API server.
    pub(super) fn place(&self, pointer: &str) -> String {
        match &self.place {
            Place::File { file, line, prefix, lines } => format!("{file}:{}", lines.at(*line, &format!("{prefix}{pointer}"))),
            Place::Server => format!("{}/{}", self.text("/kind"), self.text("/metadata/name")),
        }
    }

    /// Returns the JSON pointers of fields that the object has more than once; `None` for an object of the API server, which cannot have
    /// them.
    pub(super) fn twice(&self) -> Option<Vec<String>> {
        match &self.place {
            Place::File { line, prefix, lines, .. } => Some(lines.twice(*line, prefix).map(str::to_owned).collect()),
            Place::Server => None,
        }
    }
}

/// Returns all objects in files and directories; `-` is standard input. Fails when one cannot be read.
pub(super) fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<Configuration>> {
    files_and(paths, &mut std::io::stdin())
}

/// Does the work of [`files`]; `stdin` is read for `-`.
pub(super) fn files_and(paths: &[PathBuf], stdin: &mut dyn Read) -> anyhow::Result<Vec<Configuration>> {
    let (mut typed, mut known) = (Vec::new(), BTreeMap::new());
    if paths.iter().any(|path| path == Path::new(STDIN)) {
        // One byte more than what is taken for a manifest, so that too much is told.
        stdin.take(read::FILE_BYTES + 1).read_to_end(&mut typed).context("could not read standard input")?;
        known.insert(STDIN.to_owned(), Arc::new(Lines::of(&String::from_utf8_lossy(&typed))));
    }
    let manifests = read::read(paths, Some(&mut typed.as_slice())).context("could not read the files")?;
    let placed = manifests.into_iter().map(|manifest| {
        let (place, prefix) = manifest
            .place
            .split_once(" item ")
            .map_or((manifest.place.as_str(), String::new()), |(place, item)| (place, format!("/items/{item}")));
        let (file, line) = place.rsplit_once(':').unwrap_or((place, "1"));
        let lines = known.entry(file.to_owned()).or_insert_with(|| Arc::new(lines(Path::new(file))));
        let place = Place::File { file: file.to_owned(), line: line.parse().unwrap_or(1), prefix, lines: Arc::clone(lines) };
        Configuration { object: manifest.object, place }
    });
    Ok(placed.collect())
}

/// Returns the lines of a file that was read before; none if it is gone since.
fn lines(file: &Path) -> Lines {
    std::fs::read_to_string(file).map(|text| Lines::of(&text)).unwrap_or_default()
}

/// Returns all webhook configurations of an API server. Fails when it does not serve them, or they cannot be listed.
pub(super) async fn configurations(server: &Server) -> anyhow::Result<Vec<Configuration>> {
    server.has_registrations().await?;
    let mut all = Vec::new();
    for (kind, paths) in KINDS {
        for path in paths {
            let version = path.split('/').next().unwrap_or_default();
            match server.get(&format!("/apis/{GROUP}/{path}")).await {
                Ok(list) => {
                    all.extend(items(list, &format!("{GROUP}/{version}"), kind));
                    break;
                }
                Err(Fault::Answered { code: 404, .. }) => {}
                Err(fault) => return Err(fault).with_context(|| format!("could not list {path}")),
            }
        }
    }
    Ok(all)
}

/// Returns the objects around a webhook that runs in `namespace`: the Namespace, its Services, and the workloads that run pods. What
/// cannot be read is left out and added to `notes`.
pub(super) async fn around(server: &Server, namespace: &str, notes: &mut Vec<String>) -> Vec<Configuration> {
    let mut all = Vec::new();
    match server.get(&format!("/api/v1/namespaces/{namespace}")).await {
        Ok(found) => all.extend(items(json!({"items": [found]}), "v1", "Namespace")),
        Err(fault) => notes.push(format!("the namespace `{namespace}` cannot be read: {fault}")),
    }
    for (path, api_version, kind) in [
        (format!("/api/v1/namespaces/{namespace}/services"), "v1", "Service"),
        (format!("/apis/apps/v1/namespaces/{namespace}/deployments"), "apps/v1", "Deployment"),
        (format!("/apis/apps/v1/namespaces/{namespace}/statefulsets"), "apps/v1", "StatefulSet"),
    ] {
        match server.get(&path).await {
            Ok(list) => all.extend(items(list, api_version, kind)),
            Err(fault) => notes.push(format!("{path} cannot be listed: {fault}")),
        }
    }
    all
}

/// Returns the items of a list, with the type that they leave out.
fn items(mut list: Json, api_version: &str, kind: &str) -> Vec<Configuration> {
    let items = list.get_mut("items").map(Json::take).unwrap_or_default();
    let items = if let Json::Array(items) = items { items } else { Vec::new() };
    let typed = items.into_iter().map(|mut object| {
        if let Some(fields) = object.as_object_mut() {
            fields.insert("apiVersion".to_owned(), api_version.into());
            fields.insert("kind".to_owned(), kind.into());
        }
        Configuration { object, place: Place::Server }
    });
    typed.collect()
}
