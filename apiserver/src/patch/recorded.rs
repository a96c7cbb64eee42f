//! The cases of `tests/patch/cases.json`, played step by step, beside what kube-apiserver 1.36.3 made of each
//! (`tests/patch/expected.json`, written by `tests/patch/record`): object, managed fields, times, texts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use time::OffsetDateTime;

use super::PatchKind;
use super::fields::{self, Manager, Operation};
use crate::resources::{FieldValidation, Live, Resource};
use crate::status::Status;

#[derive(Deserialize)]
struct File {
    bases: BTreeMap<String, Json>,
    definitions: Vec<Json>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    object: String,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    #[serde(rename = "as")]
    manager: String,
    #[serde(default)]
    on: String,
    #[serde(default)]
    force: bool,
    create: Option<Json>,
    put: Option<Json>,
    json: Option<Json>,
    merge: Option<Json>,
    strategic: Option<Json>,
    apply: Option<Json>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Outcome {
    Refused { code: u16, reason: String, message: String, causes: Vec<(Option<String>, Option<String>, Option<String>)> },
    Taken { object: Json, changed: bool },
}

/// The time of step 0.
const START: i64 = 1_800_000_000;

/// What differs on purpose, by case and step.
const DIFFERENT: [(&str, usize, &str); 9] = [
    ("configmap reset", 1, "`prepare` drops the empty list, so it resets nothing; `[{}]` does"),
    ("configmap reset", 2, "the same"),
    ("configmap reset", 3, "the same"),
    ("deployment faults", 3, "values are validated elsewhere"),
    ("widget faults", 2, "values are validated elsewhere"),
    ("widget defaults", 3, "an object that the configuration says is empty stays; upstream leaves null and refuses it"),
    ("widget empties", 1, "an object that the configuration says is empty stays; upstream loses it"),
    ("widget status", 4, "a status that is not applied is no change, so the entry has no time"),
    ("widget status", 5, "the same"),
];

/// What the real server fills in or refuses and other modules answer for.
const NOT_COMPARED: [&str; 4] = ["/spec/clusterIPs", "/spec/ipFamilies", "/spec/ipFamilyPolicy", "/metadata/namespace"];

struct Player {
    row: Arc<Resource>,
    bases: BTreeMap<String, Json>,
    id: String,
    live: Option<Json>,
    number: i64,
}

impl Player {
    fn play(&mut self, step: &Step) -> Result<Outcome, Status> {
        let mut new = self.changed(step)?;
        self.number += 1;
        let Some(old) = self.live.clone() else {
            let changed = true;
            self.live = Some(new);
            return Ok(Outcome::Taken { object: self.shown(), changed });
        };
        let changed = !is_unchanged(&old, &mut new);
        self.live = Some(new);
        Ok(Outcome::Taken { object: self.shown(), changed })
    }

    fn changed(&self, step: &Step) -> Result<Json, Status> {
        let row = &self.row;
        if let Some(body) = &step.apply {
            let config = fields::applicable(row, &step.on, &self.body(body));
            let manager = self.manager(step, Operation::Apply);
            let mut object = fields::apply(&row.schema, self.live.as_ref(), &config, &manager, step.force)?;
            self.settle(&mut object, &step.on)?;
            return Ok(object);
        }
        let empty = json!({});
        let live = self.live.as_ref().unwrap_or(&empty);
        let mut object = match step {
            Step { create: Some(body), .. } => self.body(body),
            Step { put: Some(patch), .. } | Step { merge: Some(patch), .. } => super::merge(live, patch)?,
            Step { strategic: Some(patch), .. } if !row.custom => super::strategic(&row.schema, live, patch)?,
            Step { json: Some(patch), .. } => super::json(live, patch.to_string().as_bytes())?,
            _ => {
                return Err(Status::unsupported_media_type(
                    &[PatchKind::Json, PatchKind::Merge, PatchKind::Apply].map(PatchKind::content_type),
                ));
            }
        };
        let manager = self.manager(step, Operation::Update);
        if self.live.is_none() {
            row.prepare(&mut object, FieldValidation::Ignore)?;
            let mut sent = fields::applicable(row, "", &object);
            fields::updated(&row.schema, None, &mut sent, &manager);
            object = sent;
        }
        self.settle(&mut object, &step.on)?;
        if self.live.is_some() {
            fields::updated(&row.schema, self.live.as_ref(), &mut object, &manager);
        }
        Ok(object)
    }

    fn settle(&self, object: &mut Json, subresource: &str) -> Result<(), Status> {
        self.row.prepare(object, FieldValidation::Ignore)?;
        match &self.live {
            None => self.row.before_create(object),
            Some(old) if subresource.is_empty() => self.row.before_update(object, old),
            Some(old) => self.row.before_status_update(object, old),
        }
        Ok(())
    }

    fn body(&self, body: &Json) -> Json {
        let mut object = json!({"apiVersion": self.row.api_version(), "kind": self.row.kind, "metadata": {"name": self.id}});
        let with = |object: &Json, patch: &Json| {
            let mut merged = object.clone();
            json_patch::merge(&mut merged, patch);
            merged
        };
        match body.get("base").and_then(Json::as_str) {
            Some(base) => {
                let base = with(&self.bases[base], body.get("with").unwrap_or(&json!({})));
                object = with(&object, &base);
            }
            // Nulls are what the case is about.
            None => put_all(&mut object, body),
        }
        object
    }

    fn manager(&self, step: &Step, operation: Operation) -> Manager {
        Manager {
            name: step.manager.clone(),
            operation,
            api_version: self.row.api_version(),
            subresource: step.on.clone(),
            time: OffsetDateTime::from_unix_timestamp(START + self.number).unwrap(),
        }
    }

    /// As the record shows it: times are steps.
    fn shown(&self) -> Json {
        let mut object = self.live.clone().unwrap();
        let entries = object.pointer_mut("/metadata/managedFields").and_then(Json::as_array_mut);
        for entry in entries.into_iter().flatten() {
            if let Some(time) = entry.get_mut("time") {
                let seconds = OffsetDateTime::parse(time.as_str().unwrap(), &time::format_description::well_known::Rfc3339);
                *time = json!(seconds.unwrap().unix_timestamp() - START);
            }
        }
        object
    }
}

fn put_all(target: &mut Json, source: &Json) {
    for (name, value) in source.as_object().into_iter().flatten() {
        match (target.get_mut(name), value) {
            (Some(present @ Json::Object(_)), Json::Object(_)) => put_all(present, value),
            _ => target[name] = value.clone(),
        }
    }
}

/// Times alone are no change, and stay.
fn is_unchanged(old: &Json, new: &mut Json) -> bool {
    let timeless = |object: &Json| {
        let mut object = object.clone();
        for entry in object.pointer_mut("/metadata/managedFields").and_then(Json::as_array_mut).into_iter().flatten() {
            entry.as_object_mut().unwrap().remove("time");
        }
        object
    };
    let unchanged = timeless(old) == timeless(new);
    if unchanged {
        *new = old.clone();
    }
    unchanged
}

fn refused(status: Status) -> Outcome {
    let reason = serde_json::to_value(status.reason).unwrap().as_str().unwrap().to_owned();
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    let causes = status.details.map(|details| details.causes).unwrap_or_default();
    let mut causes: Vec<_> =
        causes.into_iter().map(|cause| (some(cause.reason), some(cause.field), some(cause.message))).collect();
    causes.sort();
    Outcome::Refused { code: status.code, reason, message: status.message, causes }
}

fn comparable(mut outcome: Outcome) -> Outcome {
    if let Outcome::Taken { object, .. } = &mut outcome {
        for pointer in NOT_COMPARED {
            let (parent, field) = pointer.rsplit_once('/').unwrap();
            if let Some(parent) = object.pointer_mut(parent).and_then(Json::as_object_mut) {
                parent.remove(field);
            }
        }
    }
    outcome
}

fn shown(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Taken { object, changed } => format!("changed: {changed} {object}"),
        refused => format!("{refused:?}"),
    }
}

fn rows(definitions: &[Json]) -> Live {
    let live = Live::new().unwrap();
    let row = live.load().by_kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition").unwrap();
    let stored: Vec<Json> = definitions
        .iter()
        .cloned()
        .map(|mut definition| {
            row.prepare(&mut definition, FieldValidation::Strict).unwrap();
            definition["status"] = json!({
                "conditions": [{"type": "Established", "status": "True"}],
                "acceptedNames": definition["spec"]["names"],
            });
            definition
        })
        .collect();
    live.rebuild(&stored);
    live
}

#[test]
fn every_write_leaves_what_kube_apiserver_leaves() {
    let file: File = serde_json::from_str(include_str!("../../tests/patch/cases.json")).unwrap();
    let mut expected: BTreeMap<String, Vec<Outcome>> =
        serde_json::from_str(include_str!("../../tests/patch/expected.json")).unwrap();
    let live = rows(&file.definitions);
    let (mut wrong, mut different) = (String::new(), BTreeSet::<&(&str, usize, &str)>::new());
    for (number, case) in file.cases.iter().enumerate() {
        let (version, kind) = case.object.split_once(' ').unwrap();
        let (group, version) = version.split_once('/').unwrap_or(("", version));
        let row = live.load().by_kind(group, version, kind).unwrap();
        let id = format!("case-{number}");
        let mut player = Player { row, bases: file.bases.clone(), id, live: None, number: 0 };
        for (at, (step, theirs)) in case.steps.iter().zip(expected.remove(&case.name).unwrap()).enumerate() {
            player.number = at as i64;
            let ours = comparable(player.play(step).unwrap_or_else(refused));
            let theirs = comparable(theirs);
            let known = DIFFERENT.iter().find(|(name, step, _)| *name == case.name && *step == at);
            if (ours != theirs) != known.is_some() {
                wrong.push_str(&format!("--- {} {at}\nours   {}\ntheirs {}\n", case.name, shown(&ours), shown(&theirs)));
            }
            different.extend(known);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(different.len(), DIFFERENT.len(), "a listed difference is none");
}
