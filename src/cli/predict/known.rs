//! Tells which parts of a request are certain before it is made.
//!
//! A server changes much of a file before a hook sees it: it sets defaults, drops what is empty or unknown, writes quantities and times
//! in its own form, and owns `status` and parts of `metadata`. Plugins and earlier hooks change more. The rest is certain: fields that
//! are present, not empty, and written in only one way.

mod written;

use plimsoll_apiserver::expression::{Read, Step, Use};
use serde_json::Value as Json;

use super::schema::{Schema, SchemaError};
use written::written;

/// Why a part of a request is not certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// It depends on this, which happens before.
    On(String),
    /// It cannot be known, for this reason.
    Unknown(String),
}

/// The fields of `metadata` that a file can set; all others are the server's.
const WRITTEN: [&str; 6] = ["name", "namespace", "labels", "annotations", "finalizers", "ownerReferences"];

/// What plugins of kube-apiserver change although the file sets it: resource, path, name of the plugin. Plugins that only fill in missing
/// fields are not listed, because missing fields are never certain. Source: `kubernetes/plugin/pkg/admission`, 1.36.
const PLUGINS: [(&str, &[&str], &str); 5] = [
    ("pods", &["spec"], "in-tree plugins (ServiceAccount, Priority, RuntimeClass, …)"),
    ("pods", &["metadata", "annotations"], "the in-tree plugin LimitRanger"),
    ("persistentvolumeclaims", &["metadata", "finalizers"], "the in-tree plugin StorageObjectInUseProtection"),
    ("persistentvolumes", &["metadata", "finalizers"], "the in-tree plugin StorageObjectInUseProtection"),
    ("certificatesigningrequests", &["spec"], "what the server itself writes into the spec"),
];

/// What the server itself changes after the mutating hooks, beside `metadata` and `status`: resource and path. Source:
/// `kubernetes/pkg/registry`, 1.36.
const COMPLETED: [(&str, &[&str]); 4] = [
    ("services", &["spec"]),
    ("jobs", &["spec"]),
    ("persistentvolumeclaims", &["spec"]),
    ("certificatesigningrequests", &["spec"]),
];

/// One state of the object, new or stored, and how it is known.
#[derive(Clone, Copy)]
pub(super) struct State<'a> {
    pub(super) object: Option<&'a Json>,
    pub(super) origin: Origin<'a>,
    /// Hooks and policies that may change it before it is looked at.
    pub(super) changed_by: &'a [String],
}

/// How a state of the object is known.
#[derive(Clone, Copy)]
pub(super) enum Origin<'a> {
    /// From the file of an object that is to be stored. `plural` is the resource's name.
    Written { schema: Result<&'a Schema, &'a SchemaError>, plural: &'a str, is_embedded: bool },
    /// From the file of an object that is stored already.
    Remembered,
    /// From a dry run: complete, but for what each request gets anew, such as the uid.
    DryRun,
    /// From a dry run, for a hook that is called before the server completes the object.
    Before {
        /// The resource's name.
        plural: &'a str,
    },
    /// From the server, which has it stored.
    Stored,
}

impl State<'_> {
    /// Fails with the reason if a part of the object is not certain; `by` is what is asked of that part.
    pub(super) fn tells(&self, path: &[Step], by: Use) -> Result<(), Doubt> {
        let Some(object) = self.object else { return Ok(()) };
        let fields = path.iter().map_while(|step| if let Step::Field(name) = step { Some(name.as_str()) } else { None });
        let names: Vec<&str> = fields.collect();
        match names.as_slice() {
            ["apiVersion" | "kind"] | ["metadata", "namespace"] => return Ok(()),
            [] | ["metadata"] if !matches!(self.origin, Origin::Stored) => return Err(servers(&names)),
            _ => {}
        }
        if !self.changed_by.is_empty() {
            return Err(Doubt::On(self.changed_by.join(", ")));
        }
        self.origin.tells(object, path, &names, by)
    }

    /// Fails with the reason if the labels are not certain. A server sets no default for labels, except those that it takes from a Pod
    /// template.
    pub(super) fn tells_labels(&self) -> Result<(), Doubt> {
        let Some(object) = self.object else { return Ok(()) };
        if !self.changed_by.is_empty() {
            return Err(Doubt::On(self.changed_by.join(", ")));
        }
        let filled = |pointer: &str| object.pointer(pointer).and_then(Json::as_object).is_some_and(|labels| !labels.is_empty());
        let from_template = !filled("/metadata/labels")
            && filled("/spec/template/metadata/labels")
            && object.get("apiVersion") != Some(&"apps/v1".into());
        let is_whole = matches!(self.origin, Origin::Stored | Origin::DryRun | Origin::Before { .. });
        if from_template && !is_whole { Err(on("defaulting: labels may be taken from the template")) } else { Ok(()) }
    }
}

impl Origin<'_> {
    /// Does the work of [`State::tells`] for an object that no hook changes; `names` are the fields with which the path begins.
    fn tells(self, object: &Json, path: &[Step], names: &[&str], by: Use) -> Result<(), Doubt> {
        let is_late = is_servers(names) || names.first() == Some(&"status");
        match self {
            Self::Stored => Ok(()),
            Self::Remembered if at(object, path) => Ok(()),
            Self::Remembered => Err(Doubt::On(format!("the stored object, whose `{}` the file lacks", shown(path)))),
            Self::DryRun => {
                if is_servers(names) {
                    Err(servers(names))
                } else {
                    Ok(())
                }
            }
            Self::Before { plural } => {
                let is_completed = COMPLETED.iter().any(|(of, part)| *of == plural && names.starts_with(part));
                if is_late || is_completed { Err(servers(names)) } else { Ok(()) }
            }
            Self::Written { .. } if is_late => Err(servers(names)),
            Self::Written { schema, plural, is_embedded } => match plugin(plural, names, is_embedded) {
                Some(plugin) => Err(on(plugin)),
                None => written(object, path, by, schema),
            },
        }
    }
}

fn on(what: &str) -> Doubt {
    Doubt::On(what.to_owned())
}

fn servers(names: &[&str]) -> Doubt {
    let what = if names.is_empty() { "parts of the object".to_owned() } else { format!("`{}`", names.join(".")) };
    Doubt::On(format!("what the server itself writes: {what}"))
}

fn is_servers(names: &[&str]) -> bool {
    matches!(names, ["metadata", name, ..] if !WRITTEN.contains(name))
}

fn plugin(plural: &str, names: &[&str], is_embedded: bool) -> Option<&'static str> {
    if is_embedded && names.starts_with(&["metadata", "annotations"]) {
        return Some("the in-tree plugin SchedulingPolicy");
    }
    PLUGINS.iter().find(|(of, part, _)| !is_embedded && *of == plural && names.starts_with(part)).map(|(_, _, who)| *who)
}

/// Returns whether there is a value at a path, for every member of the lists on the way.
fn at(value: &Json, path: &[Step]) -> bool {
    match (path.split_first(), value) {
        (None, _) => true,
        (Some((Step::Field(name), rest)), _) => value.get(name).is_some_and(|member| at(member, rest)),
        (Some((Step::Each, rest)), Json::Array(members)) => members.iter().all(|member| at(member, rest)),
        (Some((Step::Each, _)), _) => true,
    }
}

/// Returns a path as people write it: `spec.containers[].image`.
pub(super) fn shown(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Field(name) if text.is_empty() => text.push_str(name),
            Step::Field(name) => text = format!("{text}.{name}"),
            Step::Each => text.push_str("[]"),
        }
    }
    text
}

/// Returns variable and path that an expression reads: `object.spec.replicas`.
pub(super) fn of_read(read: &Read) -> String {
    let path = shown(&read.path);
    if path.is_empty() { read.variable.clone() } else { format!("{}.{path}", read.variable) }
}

#[cfg(test)]
mod tests;
