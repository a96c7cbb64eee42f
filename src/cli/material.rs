//! What authors' commands work on: policies and data from files, directories and bundles, placed as OPA places them.
//!
//! `--data dir` reads every `.rego`, `.json` and `.yaml` below; a document stands under the names of its folders, below the
//! directory given. `a.b:path` puts it under `data.a.b` (OPA: `v1/loader/loader.go`). `--bundle` reads bundles.

mod bundled;
mod documents;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_contract::policy::{Diagnostic, Location};
use serde_json::{Map, Value as Json};

use super::failure::{self, Failure};
use crate::management::bundles::{self, BundleError};
use crate::rego::accept::Strictness;
use crate::rego::{Module, Program, RegoVersion, Value};

/// The most bytes of one file.
const FILE_BYTES: u64 = 256 << 20;
/// How deep folders may nest; a symlink that leads back ends here.
const DEPTH: usize = 32;

/// Why something cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file that is not there, or cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A file that is not what its name says.
    #[error("{path}: {why}")]
    Invalid {
        /// The file.
        path: String,
        /// Why.
        why: String,
    },
    /// A bundle that cannot be used.
    #[error("bundle {path}: {source}")]
    Bundle {
        /// Its path.
        path: String,
        /// Why.
        source: BundleError,
    },
}

/// What to load, and by which version of Rego.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Paths of files and directories, each with its prefix, if any.
    pub files: Vec<String>,
    /// Paths of bundles: directories and tarballs.
    pub bundles: Vec<PathBuf>,
    /// Whether only modules are loaded, and documents among `files` passed over.
    pub modules_only: bool,
    /// How modules are read.
    pub rego: RegoVersion,
}

/// The policies and data that were loaded.
#[derive(Debug, Default)]
pub struct Material {
    /// Modules, in the order of their keys.
    pub modules: Vec<Module>,
    /// The document `data`.
    pub data: Map<String, Json>,
    /// Parts of it from files, with numbers as those write them, where trees of JSON have them in another way.
    written: Vec<Value>,
    versions: BTreeMap<String, RegoVersion>,
    rego: RegoVersion,
    broken: Vec<LoadError>,
    /// How long loading took.
    pub took: Took,
}

/// How long it took to load files and bundles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Took {
    /// Time for files and directories.
    pub files: Duration,
    /// Time for bundles.
    pub bundles: Duration,
}

impl Material {
    /// Loads everything in `origin`. Fails with all errors: each file that cannot be read, and the first syntax error of each module.
    pub fn load(origin: &Origin) -> Result<Self, Vec<Failure>> {
        let mut material = Self { rego: origin.rego, ..Self::default() };
        let started = Instant::now();
        for given in &origin.files {
            let (prefix, path) = split_prefix(given);
            let place = Place { path: Path::new(path).to_owned(), below: prefix, modules_only: origin.modules_only };
            let visited = material.visit(place, 0);
            material.broken.extend(visited.err());
        }
        material.took.files = started.elapsed();
        material.bundles(&origin.bundles);
        material.took.bundles = started.elapsed().saturating_sub(material.took.files);
        material.modules.sort();
        material.modules.dedup();
        if material.broken.is_empty() { Ok(material) } else { Err(material.failures()) }
    }

    fn failures(mut self) -> Vec<Failure> {
        let mut failures = failure::all(std::mem::take(&mut self.broken));
        let syntax = self.compile().err().unwrap_or_default().into_iter().filter(|error| error.code == "rego_parse_error");
        failures.extend(syntax.map(Failure::from));
        failures
    }

    /// Compiles the modules. Fails with the errors that OPA's compiler reports together; a rule where the data has a value is one.
    pub fn compile(&self) -> Result<Arc<Program>, Vec<Diagnostic>> {
        let version = |key: &str| self.versions.get(key).copied().unwrap_or(self.rego);
        let data = Json::Object(self.data.clone());
        Program::compile_beside(data, &self.modules, &version).map(Arc::new)
    }

    /// Returns the errors that strict mode reports beside those of [`Self::compile`].
    pub fn strictly(&self) -> Vec<Diagnostic> {
        let version = |key: &str| self.versions.get(key).copied().unwrap_or(self.rego);
        Program::check_each(&self.modules, &version, Strictness::Strict)
    }

    /// Returns the data as the value that policies read.
    pub fn value(&self) -> Value {
        let data = Value::from(Json::Object(self.data.clone()));
        if self.written.is_empty() { data } else { data.as_written(&self.written) }
    }

    fn visit(&mut self, place: Place, depth: usize) -> Result<(), LoadError> {
        let path = place.path.as_path();
        let failed = |source| LoadError::Read { path: path.display().to_string(), source };
        if !fs::metadata(path).map_err(failed)?.is_dir() {
            return self.file(&place, depth);
        }
        if depth > DEPTH {
            return Err(invalid(path, "folders nest deeper than 32: does a symlink lead back?"));
        }
        let mut entries = fs::read_dir(path).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        entries.sort_by_key(fs::DirEntry::file_name);
        let folder = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let below: Vec<_> = place.below.iter().cloned().chain(folder.filter(|_| depth > 0)).collect();
        // `..data` and the timestamped folder behind it: the kubelet's own; the files beside it lead there.
        for entry in entries.into_iter().filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"..")) {
            let inner = Place { path: path.join(entry.file_name()), below: below.clone(), modules_only: place.modules_only };
            let visited = self.visit(inner, depth + 1);
            self.broken.extend(visited.err());
        }
        Ok(())
    }

    fn file(&mut self, place: &Place, depth: usize) -> Result<(), LoadError> {
        let path = place.path.as_path();
        let kind = path.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
        let (document, written) = match kind.as_str() {
            "rego" => {
                self.modules.push(Module { key: clean(path), text: text(path)? });
                return Ok(());
            }
            "json" | "yaml" | "yml" if place.modules_only => return Ok(()),
            "json" => documents::json(path, &text(path)?)?,
            "yaml" | "yml" => documents::yaml(path, &text(path)?)?,
            _ if depth > 0 => return Ok(()),
            _ => return Err(invalid(path, "unrecognized file: .rego, .json and .yaml are read")),
        };
        let inserted = bundles::content::insert_below(&mut self.data, &place.below, document);
        inserted.map_err(|error| invalid(path, &error.to_string()))?;
        let wrap = |inner, name: &String| Value::object([(name.clone(), inner)]);
        self.written.extend(written.map(|written| place.below.iter().rev().fold(written, wrap)));
        Ok(())
    }
}

/// A file or directory, and the path below `data` at which its documents are placed.
struct Place {
    path: PathBuf,
    below: Vec<String>,
    modules_only: bool,
}

/// Splits `a.b:path` into prefix and path. The colon of a URL does not separate them.
pub(super) fn split_prefix(given: &str) -> (Vec<String>, &str) {
    match given.split_once(':') {
        Some((prefix, path)) if !prefix.is_empty() && !path.starts_with("//") => {
            (prefix.split('.').map(str::to_owned).collect(), path)
        }
        // A host that a URL names is passed over, as by OPA.
        _ => match given.strip_prefix("file://") {
            Some(rest) => (Vec::new(), rest.find('/').and_then(|at| rest.get(at..)).unwrap_or_default()),
            None => (Vec::new(), given),
        },
    }
}

/// Returns the path as OPA names a module: without a leading `./`.
fn clean(path: &Path) -> String {
    path.components().filter(|part| *part != std::path::Component::CurDir).collect::<PathBuf>().display().to_string()
}

/// Reads the input document from a JSON or YAML file. Fails when it is neither, or cannot be read.
pub fn input(path: &Path) -> Result<Value, LoadError> {
    document(&path.display().to_string(), &text(path)?)
}

/// Reads the input document from an open stream, as [`input`] does from a file.
pub fn input_from(stdin: &mut dyn Read) -> Result<Value, LoadError> {
    document("standard input", &bounded("standard input", stdin)?)
}

fn document(name: &str, text: &str) -> Result<Value, LoadError> {
    let invalid = |why: String| LoadError::Invalid { path: name.into(), why };
    match Value::from_json(text.as_bytes()) {
        Ok(value) => Ok(value),
        // What is wrong with it as JSON.
        Err(error) if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() => Err(invalid(error.to_string())),
        Err(_) => Value::from_yaml(text).map_err(|error| invalid(error.to_string())),
    }
}

fn text(path: &Path) -> Result<String, LoadError> {
    let name = path.display().to_string();
    let mut file = fs::File::open(path).map_err(|source| LoadError::Read { path: name.clone(), source })?;
    bounded(&name, &mut file)
}

/// Reads a stream to its end. Fails when it holds more than 256 MiB or no UTF-8; `name` is the stream's name in the error.
pub fn bounded(name: &str, stream: &mut dyn Read) -> Result<String, LoadError> {
    let mut text = String::new();
    let read = stream.take(FILE_BYTES + 1).read_to_string(&mut text);
    read.map_err(|source| LoadError::Read { path: name.into(), source })?;
    if text.len() as u64 > FILE_BYTES {
        return Err(LoadError::Invalid { path: name.into(), why: format!("it is larger than {FILE_BYTES} bytes") });
    }
    Ok(text)
}

fn invalid(path: &Path, why: &str) -> LoadError {
    LoadError::Invalid { path: clean(path), why: why.into() }
}

/// Returns a note for each module that was read as Rego v0 without being asked for.
pub fn versions_noted(program: &Program, rego: RegoVersion) -> Vec<String> {
    let noted = program.versions().into_iter().filter(|(_, version)| rego == RegoVersion::Auto && version == "v0");
    noted.map(|(key, _)| format!("note: {key} was read as Rego v0")).collect()
}

/// Returns a line of `print` without the place that it begins with: that of one of the modules in `keys`, or of the query, which has no
/// name.
pub fn printed<'l>(keys: impl IntoIterator<Item = &'l str>, line: &'l str) -> &'l str {
    let placed = keys.into_iter().chain([""]).find_map(|key| line.strip_prefix(key)?.strip_prefix(':'));
    let message = placed.and_then(|rest| rest.split_once(": ")).filter(|(row, _)| row.parse::<u32>().is_ok());
    message.map_or(line, |(_, message)| message)
}

/// Returns a place as messages show it: file and line, or line and column of a query.
pub fn place(location: &Location) -> String {
    if location.file.is_empty() { format!("{}:{}", location.row, location.col) } else { location.to_string() }
}
