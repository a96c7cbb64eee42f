//! A decision together with its object.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_contract::outcome::Outcome;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::read::Manifest;
use crate::decision::exempt::{self, Exempt};
use crate::decision::{Config, Decision, Subject, Way, Writer, decide};
use crate::snapshot::Snapshot;

/// An object and the decision about it.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) manifest: Manifest,
    pub(super) decision: Decision,
    /// Why the object is never placed; `None` if it may be.
    pub(super) exempt: Option<Exempt>,
    /// Errors of the policies, one `file:row:col: …` each.
    pub(super) diagnostics: Vec<String>,
    /// The object as it would be stored, with the patch.
    pub(super) patched: Json,
}

/// A decision in the JSON and YAML output.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    place: &'a str,
    api_version: &'a str,
    kind: &'a str,
    namespace: &'a str,
    name: &'a str,
    #[serde(flatten)]
    outcome: &'a Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    exempt: Option<String>,
    kept: bool,
    clusters: Arc<Vec<String>>,
    rejected: Arc<BTreeMap<String, String>>,
    warnings: &'a [String],
    diagnostics: &'a [String],
    annotations: BTreeMap<String, String>,
    patch: &'a BTreeMap<String, Option<String>>,
    object: &'a Json,
}

impl Report {
    pub(super) fn of(snapshot: &Snapshot, manifest: Manifest, config: &Config) -> Self {
        // Manifests of a live fleet are judged as a sweep does; nobody is there whom an owner could be asserted to.
        let (way, writer) = (Way::Stored, Writer::Controller);
        let subject = Subject { object: &manifest.object, kind: None, way, writer, last: None };
        let decision = decide(snapshot, subject, config);
        let exempt = exempt::exempt(subject, &snapshot.state, config);
        let errors = snapshot.policies.sets.values().flat_map(|set| &set.errors);
        let diagnostics = errors.map(ToString::to_string).collect();
        let mut report = Self { patched: manifest.object.clone(), manifest, decision, exempt, diagnostics };
        let patch = report.merge_patch();
        json_patch::merge(&mut report.patched, &patch);
        report
    }

    /// Returns the JSON merge patch that the decision makes, `{}` for none.
    pub(super) fn merge_patch(&self) -> Json {
        match &self.decision.patch {
            patch if patch.is_empty() => json!({}),
            patch => json!({"metadata": {"annotations": patch}}),
        }
    }

    fn entry(&self) -> Entry<'_> {
        let Self { manifest, decision, exempt, diagnostics, patched } = self;
        Entry {
            place: &manifest.place,
            api_version: manifest.text("/apiVersion"),
            kind: manifest.text("/kind"),
            namespace: manifest.text("/metadata/namespace"),
            name: manifest.text("/metadata/name"),
            outcome: &decision.outcome,
            exempt: exempt.as_ref().map(ToString::to_string),
            kept: decision.kept,
            clusters: decision.clusters(),
            rejected: decision.rejected(),
            warnings: &decision.warnings,
            diagnostics,
            annotations: decision.annotations(),
            patch: &decision.patch,
            object: patched,
        }
    }
}

/// Returns all decisions as one JSON document.
pub(super) fn document(reports: &[Report]) -> Json {
    json!({"decisions": reports.iter().map(Report::entry).collect::<Vec<_>>()})
}
