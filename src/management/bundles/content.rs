//! What the files of a bundle mean: a manifest, modules and data; or, for a delta, a patch.

use serde::de::DeserializeSeed;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use super::files::{Files, base};
use super::{BundleError, FileError, Manifest, ManifestError};
use crate::fields::{Each, Fields, List, NoText, first};
use crate::policy_set::data::{self, Conflict, Data, DataError, folder};
use crate::state::incoming::At;
use crate::state::{Incoming, Node, exact};
use crate::yaml;

/// A whole bundle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Content {
    /// The manifest; without one, a default that owns everything.
    pub manifest: Manifest,
    /// Modules: path in the bundle, text.
    pub modules: Vec<(String, String)>,
    /// All data of the bundle, in place.
    pub data: Data,
    /// What a delta changes; then there is nothing else.
    pub patch: Option<Vec<Change>>,
}

/// One step of a delta.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// `upsert`, `replace` or `remove`.
    pub op: String,
    /// Slash-separated, below `data`.
    pub path: String,
    /// For `upsert` and `replace`.
    pub value: Incoming,
}

/// The purpose of a file of a bundle.
enum Purpose {
    Module,
    Json,
    Yaml,
    Manifest,
    Patch,
    /// Why the bundle is refused for it.
    Foreign(&'static str),
    Nothing,
}

impl Content {
    /// Reads every file; `*_test.rego` is a module like others, as for OPA: who makes a bundle decides what is in it.
    pub fn parse(files: &Files) -> Result<Self, BundleError> {
        Self::read(files, &|_| true)
    }

    /// Parses a bundle that was downloaded: a data file that is `null`, or an empty YAML, brings nothing there
    /// (opa `v1/plugins/bundle/plugin.go` reads these files later than others, with `WithLazyLoadingMode`).
    pub fn downloaded(files: &Files) -> Result<Self, BundleError> {
        Self::read(files, &|document| !document.is_null())
    }

    /// `counts` says which documents are data.
    fn read(files: &Files, counts: &dyn Fn(&Incoming) -> bool) -> Result<Self, BundleError> {
        let mut content = Self::default();
        let add = |data: &mut Data, path, document: Incoming| match counts(&document) {
            true => data.insert(path, &document).map_err(|error| invalid(path, error)),
            false => Ok(()),
        };
        let (mut manifest, mut patch) = (None, None);
        for (path, bytes) in files.iter() {
            match purpose(path) {
                Purpose::Module => content.modules.push((path.into(), text(path, bytes)?.into())),
                Purpose::Json => add(&mut content.data, path, json(path, bytes)?)?,
                Purpose::Yaml => add(&mut content.data, path, yaml(path, bytes)?)?,
                Purpose::Patch if patch.is_some() => return Err(invalid(path, FileError::SeveralPatches)),
                Purpose::Patch => patch = Some((path, changes(path, bytes)?)),
                Purpose::Foreign(why) => return Err(invalid(path, FileError::Foreign(why))),
                Purpose::Nothing => {}
                Purpose::Manifest => {
                    if let Some(other) = manifest.replace(path) {
                        return Err(ManifestError::Several { first: other.into(), second: path.into() }.into());
                    }
                    content.manifest = Manifest::parse(path, bytes)?;
                }
            }
        }
        if let Some((path, changes)) = patch {
            content.patched(path, changes)?;
        }
        content.check()?;
        Ok(content)
    }

    /// A patch without steps leaves a bundle whole, as in OPA; OPA also takes one with nothing else for an empty bundle.
    fn patched(&mut self, path: &str, changes: Vec<Change>) -> Result<(), BundleError> {
        if !changes.is_empty() {
            changes.iter().try_for_each(|change| change.check().map_err(|why| invalid(path, why)))?;
            self.patch = Some(changes);
        } else if self.modules.is_empty() && self.data.is_empty() {
            return Err(invalid(path, FileError::ChangesNothing));
        }
        Ok(())
    }

    fn check(&self) -> Result<(), BundleError> {
        if let Some(patch) = &self.patch {
            let what = if self.modules.is_empty() { "data" } else { "policy" };
            if !self.data.is_empty() || !self.modules.is_empty() {
                return Err(ManifestError::DeltaWith(what).into());
            }
            let outside = patch.iter().find(|change| !self.manifest.permits(&change.segments()));
            return outside.map_or(Ok(()), |change| {
                let roots = self.manifest.roots();
                Err(ManifestError::Patch { roots, path: change.path.clone() }.into())
            });
        }
        self.data.iter().try_for_each(|(name, node)| self.permitted(&mut vec![name.to_owned()], node))
    }

    /// Data lies in the roots, or is an object on the way to one.
    fn permitted(&self, path: &mut Vec<String>, node: &Node) -> Result<(), BundleError> {
        if self.manifest.permits(path) {
            return Ok(());
        }
        let above = self.manifest.roots().iter().any(|root| super::manifest::contains(&path.join("/"), root));
        match data::members(node, path.len()).filter(|_| above) {
            Some(members) => members.iter().try_for_each(|(name, node)| {
                path.push(name.to_string());
                self.permitted(path, node)?;
                path.pop();
                Ok(())
            }),
            None => Err(ManifestError::Data { roots: self.manifest.roots(), path: path.join("/") }.into()),
        }
    }
}

impl Change {
    /// OPA decodes `%2F` and the like, and takes the name between two slashes for the empty one.
    fn check(&self) -> Result<(), FileError> {
        if self.path.contains('%') || self.path.trim_matches('/').contains("//") {
            return Err(FileError::StepPath(self.path.clone()));
        }
        match self.op == "upsert" && self.segments().is_empty() {
            true => Err(FileError::StepAtRoot),
            false => Ok(()),
        }
    }

    /// The path below `data`, `~1` and `~0` decoded.
    pub fn segments(&self) -> Vec<String> {
        let parts = self.path.trim_matches('/').split('/').filter(|part| !part.is_empty());
        parts.map(|part| part.replace("~1", "/").replace("~0", "~")).collect()
    }
}

/// By the last name of the path, wherever the file lies, in this order (OPA: `v1/bundle/bundle.go`, `Read`). Plans are for
/// other programs than OPA's server, which does not read them either.
fn purpose(path: &str) -> Purpose {
    match base(path) {
        name if name.ends_with(".rego") => Purpose::Module,
        "policy.wasm" => Purpose::Foreign("compiled policies are not run here: build the bundle from Rego"),
        "data.json" => Purpose::Json,
        "data.yaml" | "data.yml" => Purpose::Yaml,
        "patch.json" => Purpose::Patch,
        name if name.ends_with(".manifest.pb") => Purpose::Foreign("a manifest is read as JSON here, from `.manifest`"),
        name if name.ends_with(".manifest") => Purpose::Manifest,
        _ => Purpose::Nothing,
    }
}

/// Whether a bundle changes data of another; one that cannot be read is refused elsewhere.
pub fn is_delta(files: &Files) -> bool {
    let patches = files.iter().filter(|(path, _)| matches!(purpose(path), Purpose::Patch));
    patches.into_iter().any(|(path, bytes)| changes(path, bytes).is_ok_and(|changes| !changes.is_empty()))
}

/// Says which file of the bundle is wrong.
pub(super) fn invalid(path: &str, why: impl Into<FileError>) -> BundleError {
    BundleError::Invalid { path: path.into(), why: why.into() }
}

fn text<'a>(path: &str, bytes: &'a [u8]) -> Result<&'a str, BundleError> {
    str::from_utf8(bytes).map_err(|error| invalid(path, FileError::NotText(error)))
}

fn json(path: &str, bytes: &[u8]) -> Result<Incoming, BundleError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    exact::check(bytes).map_err(|error| invalid(path, error))?;
    Incoming::read(bytes, folder(path).len()).map_err(|error| invalid(path, error))
}

fn yaml(path: &str, bytes: &[u8]) -> Result<Incoming, BundleError> {
    let value = yaml::load(text(path, bytes)?).map_err(|error| invalid(path, error))?;
    Ok(Incoming::of(&value, folder(path).len()))
}

fn changes(path: &str, bytes: &[u8]) -> Result<Vec<Change>, BundleError> {
    let written = first::<Option<Fields<Box<RawValue>>>>(bytes).map_err(|error| invalid(path, error))?;
    exact::check(bytes).map_err(|error| invalid(path, error))?;
    let data = written.and_then(|mut written| written.take("data"));
    // From its text: the order of names counts.
    let steps = data.map(|data| steps_of(data.get())).transpose().map_err(|error| invalid(path, error))?;
    let step = |mut step: Fields<Incoming>| {
        let mut text = |name| step.text(name).map_err(|NoText| invalid(path, FileError::StepText(name)));
        Ok(Change { op: text("op")?, path: text("path")?, value: step.take("value").unwrap_or_else(|| Json::Null.into()) })
    };
    steps.unwrap_or_default().into_iter().map(step).collect()
}

fn steps_of(text: &str) -> serde_json::Result<Vec<Fields<Incoming>>> {
    let mut text = serde_json::Deserializer::from_str(text);
    // Where each goes is not known before it is read.
    let steps = List(Each(At(0))).deserialize(&mut text)?;
    text.end().map(|()| steps)
}

/// Puts a file's content where its folder is; objects are merged, anything else is a conflict.
pub fn insert(data: &mut Map<String, Json>, path: &str, value: Json) -> Result<(), BundleError> {
    insert_below(data, &folder(path), value).map_err(|error| invalid(path, error))
}

/// Puts a document below the names of a path, as [`insert`] does.
pub fn insert_below(data: &mut Map<String, Json>, names: &[String], value: Json) -> Result<(), DataError> {
    let wrap = |inner, name: &String| Json::Object(Map::from_iter([(name.clone(), inner)]));
    let Json::Object(members) = names.iter().rev().fold(value, wrap) else {
        return Err(DataError::NotAnObject);
    };
    Ok(merge(data, members)?)
}

/// Merges objects. Fails where both have something that is not an object in both, with the path to it.
fn merge(into: &mut Map<String, Json>, from: Map<String, Json>) -> Result<(), Conflict> {
    for (name, value) in from {
        match (into.get_mut(&name), value) {
            (None, value) => drop(into.insert(name, value)),
            (Some(Json::Object(into)), Json::Object(from)) => merge(into, from).map_err(|inner| inner.below(&name))?,
            (Some(_), _) => return Err(Conflict(name)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::management::bundles::Limits;

    fn content(files: &[(&str, &str)]) -> Result<Content, String> {
        let mut all = Files::default();
        for (path, text) in files {
            all.add(path, text.as_bytes(), Limits::default()).unwrap();
        }
        Content::parse(&all).map_err(|error| error.to_string())
    }

    #[test]
    fn data_stands_where_its_folder_is_and_is_merged() {
        let files = [
            ("data.json", "\u{feff}{\"a\": {\"x\": 1}}"),
            ("a/b/data.yaml", "y: 2\n"),
            ("a/b/c/data.json", "[3]"),
            ("other.json", "not read"),
            ("p.rego", "package a.p"),
            ("p_test.rego", "package a.q"),
        ];
        let content = content(&files).unwrap();
        assert_eq!(content.data.decode().unwrap(), json!({"a": {"x": 1, "b": {"y": 2, "c": [3]}}}));
        let modules = [("p.rego", "package a.p"), ("p_test.rego", "package a.q")];
        assert_eq!(content.modules, modules.map(|(path, text)| (path.to_owned(), text.to_owned())));
    }

    #[test]
    fn documents_of_nothing_bring_nothing_when_downloaded() {
        let mut files = Files::default();
        let nothing = [
            ("data.json", "{\"a\": {\"k\": null}}"),
            ("a/data.json", "null"),
            ("b/data.json", "null"),
            ("c/data.yaml", "# none\n"),
        ];
        for (path, text) in nothing {
            files.add(path, text.as_bytes(), Limits::default()).unwrap();
        }
        assert_eq!(Content::downloaded(&files).unwrap().data.decode().unwrap(), json!({"a": {"k": null}}));
        assert!(Content::parse(&files).is_err());
        let data = content(&[("b/data.json", "null"), ("c/data.yaml", "# none\n")]).unwrap().data;
        assert_eq!(data.decode().unwrap(), json!({"b": null, "c": null}));
    }

    #[test]
    fn files_of_sub_folders_count_as_in_opa() {
        let files = [
            ("plan.json", "any text"),
            ("terraform/plan.json", r#"{"resource_changes": []}"#),
            ("terraform/plan.pb", "x"),
            ("fixtures/patch.json", r#"{"data": null, "other": 1}"#),
            ("sub/x.manifest", r#"{"revision": "r"}"#),
            ("p.rego", "package a.p"),
        ];
        let content = content(&files).unwrap();
        assert_eq!((content.manifest.revision.as_str(), content.modules.len(), content.patch), ("r", 1, None));
    }

    #[test]
    fn names_of_a_patch_are_in_any_case() {
        let patch = r#"{"Data": [{"Op": "upsert", "PATH": "/a", "value": 1, "Value": 2, "from": "x"}], "data": null} and more"#;
        assert_eq!(content(&[("patch.json", patch), ("p.rego", "package a")]).unwrap().patch, None);
        let patch = patch.replace(r#", "data": null"#, "");
        let expected = Change { op: "upsert".into(), path: "/a".into(), value: json!(2).into() };
        assert_eq!(content(&[("patch.json", &patch)]).unwrap().patch, Some(vec![expected]));
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_file() {
        let table: [(&[(&str, &str)], &str); 18] = [
            (&[("data.json", "{")], "`data.json`"),
            (&[("data.json", "[]")], "must be an object"),
            (&[("data.json", r#"{"a": 1}"#), ("a/data.json", "{}")], "at `a`"),
            (&[("policy.wasm", "")], "compiled"),
            (&[(".manifest", "{}"), ("x/.manifest", "{}")], "multiple manifest files"),
            (&[(".manifest", r#"{"roots": ["a"]}"#), ("data.json", r#"{"b": 1}"#)], "do not permit data at path '/b'"),
            (&[(".manifest", r#"{"roots": ["a/b"]}"#), ("data.json", r#"{"a": 1}"#)], "do not permit data at path '/a'"),
            (
                &[("patch.json", r#"{"data": [{"op": "remove", "path": "/b"}]}"#), ("p.rego", "package a")],
                "only patch file but policy",
            ),
            (&[("patch.json", "{}")], "must change something"),
            (&[("patch.json", r#"{"data": [{"op": "upsert", "path": "/"}]}"#)], "upserts nothing"),
            (&[("patch.json", r#"{"data": [{"op": 1, "path": "/a"}]}"#)], "no string"),
            (&[("patch.json", "[]"), ("p.rego", "package a")], "`patch.json`"),
            (&[("patch.json", "{}"), ("x/patch.json", "{}")], "multiple patch files"),
            (&[("patch.json", r#"{"data": [{"op": "remove", "path": "/a%2Fb"}]}"#)], "has `%`"),
            (&[("patch.json", r#"{"data": [{"op": "remove", "path": "/a//b"}]}"#)], "empty name"),
            (&[(".manifest.pb", "")], "as JSON"),
            (&[(".manifest", "{}"), ("x.manifest", "{}")], "multiple manifest files"),
            (
                &[(".manifest", r#"{"roots": ["a"]}"#), ("patch.json", r#"{"data": [{"op": "remove", "path": "/b"}]}"#)],
                "patch at path '/b'",
            ),
        ];
        for (files, part) in table {
            let error = content(files).unwrap_err();
            assert!(error.contains(part), "{files:?}: {error}");
        }
    }
}
