//! `.manifest`: revision, roots, Rego versions.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::pattern::matches;
use super::{BundleError, ManifestError};
use crate::fields::{Fields, first};
use crate::rego::RegoVersion;

/// A bundle's manifest (OPA: `v1/bundle/bundle.go`, `Manifest`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Manifest {
    /// Of whoever made the bundle.
    #[serde(default)]
    pub revision: String,
    /// The paths below `data` that are the bundle's; without it, all.
    #[serde(default)]
    pub roots: Option<Vec<String>>,
    /// `0` or `1`, for all modules.
    #[serde(default)]
    pub rego_version: Option<u8>,
    /// Patterns of files that are read otherwise.
    #[serde(default)]
    pub file_rego_versions: BTreeMap<String, u8>,
    /// Compiled policies, which only OPA runs.
    #[serde(default)]
    pub wasm: Option<Vec<Json>>,
    /// Anything.
    #[serde(default)]
    pub metadata: Map<String, Json>,
}

impl Manifest {
    /// Reads and checks a manifest. Fails where `text` is no JSON of its shape, and where roots overlap.
    pub fn parse(path: &str, text: &[u8]) -> Result<Self, BundleError> {
        let invalid = |error: serde_json::Error| BundleError::Invalid { path: path.into(), why: error.into() };
        let written: Option<Fields<Json>> = first(text).map_err(invalid)?;
        let Some(written) = written else { return Ok(Self::default()) };
        let written = Json::Object(written.folded(&["revision"]));
        let manifest: Self = serde_json::from_value(written).map_err(invalid)?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), ManifestError> {
        let roots = self.roots();
        for (at, a) in roots.iter().enumerate() {
            if let Some(b) = roots.iter().skip(at + 1).find(|b| contains(a, b) || contains(b, a)) {
                return Err(ManifestError::OverlappedRoots(a.clone(), b.clone()));
            }
        }
        if self.wasm.as_ref().is_some_and(|wasm| !wasm.is_empty()) {
            return Err(ManifestError::Wasm);
        }
        let versions = self.rego_version.iter().chain(self.file_rego_versions.values());
        if let Some(unknown) = versions.into_iter().find(|version| **version > 1) {
            return Err(ManifestError::UnknownVersion(*unknown));
        }
        let odd = |pattern: &&String| pattern.contains(['[', '{', '\\']);
        match self.file_rego_versions.keys().find(odd) {
            Some(pattern) => Err(ManifestError::Pattern(pattern.clone())),
            None => Ok(()),
        }
    }

    /// The roots without slashes around them; `[""]` is everything.
    pub fn roots(&self) -> Vec<String> {
        let given = self.roots.clone().unwrap_or_else(|| vec![String::new()]);
        given.iter().map(|root| root.trim_matches('/').to_owned()).collect()
    }

    /// Whether a path below `data` lies in one of the roots.
    pub fn permits(&self, path: &[String]) -> bool {
        let path = path.join("/");
        self.roots().iter().any(|root| contains(root, &path))
    }

    /// Returns the version of Rego that a module is read as; `None` where the manifest names none.
    pub fn rego_of(&self, path: &str) -> Option<RegoVersion> {
        let named = self.file_rego_versions.iter().find(|(pattern, _)| matches(pattern.trim_start_matches('/'), path));
        let version = named.map(|(_, version)| *version).or(self.rego_version)?;
        Some(if version == 0 { RegoVersion::V0 } else { RegoVersion::V1 })
    }

    /// As policies see it at `data.system.bundles[name].manifest`.
    pub fn shown(&self) -> Json {
        let mut shown = json!({ "revision": self.revision, "roots": self.roots() });
        if let Some(fields) = shown.as_object_mut() {
            fields.extend(self.rego_version.map(|version| ("rego_version".to_owned(), version.into())));
            if !self.file_rego_versions.is_empty() {
                fields.insert("file_rego_versions".into(), json!(self.file_rego_versions));
            }
            if !self.metadata.is_empty() {
                fields.insert("metadata".into(), Json::Object(self.metadata.clone()));
            }
        }
        shown
    }
}

/// Whether a root is a path or lies above it.
pub fn contains(root: &str, path: &str) -> bool {
    root.is_empty() || path == root || path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(text: &str) -> Result<Manifest, String> {
        Manifest::parse(".manifest", text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn without_roots_everything_is_the_bundles() {
        let all = manifest(r#"{"revision": "r"}"#).unwrap();
        assert!(all.permits(&["a".into()]) && all.permits(&[]));
        let nothing = manifest(r#"{"revision": null, "roots": null, "metadata": null}"#).unwrap();
        assert_eq!(nothing, Manifest::default());
        for text in ["null", "{} and more", "{\"rootſ\": null}"] {
            assert_eq!(manifest(text).unwrap(), Manifest::default(), "{text}");
        }
        let some = manifest(r#"{"Roots": ["/a/b/", "c"]}"#).unwrap();
        let table = [("a/b", true), ("a/b/c", true), ("a", false), ("a/bc", false), ("c/d", true), ("", false)];
        for (path, expected) in table {
            let path: Vec<_> = path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
            assert_eq!(some.permits(&path), expected, "{path:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let table = [
            (r#"{"roots": ["a", "a/b"]}"#, "overlapped roots: 'a' and 'a/b'"),
            (r#"{"roots": ["", "b"]}"#, "overlapped roots: '' and 'b'"),
            (r#"{"rego_version": 7}"#, "rego version 7"),
            (r#"{"wasm": [{"module": "policy.wasm"}]}"#, "wasm"),
            (r#"{"file_rego_versions": {"[a]": 0}}"#, "pattern `[a]`"),
            (r#"{"revision": 1}"#, ".manifest"),
        ];
        for (text, part) in table {
            let error = manifest(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn rego_versions_are_for_all_or_by_pattern() {
        let manifest = manifest(r#"{"rego_version": 1, "file_rego_versions": {"/old/*.rego": 0}}"#).unwrap();
        assert_eq!(manifest.rego_of("old/a/b.rego"), Some(RegoVersion::V0));
        assert_eq!(manifest.rego_of("new.rego"), Some(RegoVersion::V1));
        assert_eq!(Manifest::default().rego_of("new.rego"), None);
    }
}
