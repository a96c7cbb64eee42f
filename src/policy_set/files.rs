//! Reads policy directories as they are mounted: several files, folders, ConfigMaps with their `..data` symlink. JSON and
//! YAML files beside modules are data, as in `opa run DIR`: what is in `DIR/a/b/x.json` is at `data.a.b`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use plimsoll_contract::policy::{Diagnostic, Location};

use super::data::{self, Data, DataError, folder as names_of};
use crate::rego::Module;
use crate::snapshot::{Document, Offer};
use crate::state::{Incoming, Node, exact};
use crate::yaml::{self, YamlError};

/// Bytes of one module.
const MODULE_BYTES: u64 = 1 << 20;
/// Modules of all directories together.
const MODULES: usize = 10_000;
/// Folders within folders; a symlink that leads back ends here.
const DEPTH: usize = 32;

/// Whether `*_test.rego` is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tests {
    /// For `test` and `check`.
    Load,
    /// For everything that decides: one `with` in a test would turn the fast path off.
    Skip,
}

/// Why the directories could not be read. Nothing of them is used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Missing, unreadable, or a symlink that leads nowhere.
    #[error("could not read `{path}`")]
    Read {
        /// What was read.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Not text.
    #[error("`{0}` is not UTF-8")]
    NotText(PathBuf),
    /// Too large to be a policy.
    #[error("`{path}` is larger than {limit} bytes: split it")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit: u64,
    },
    /// More modules than anybody writes by hand.
    #[error("`{path}` holds more than {limit} modules")]
    TooMany {
        /// The directory.
        path: PathBuf,
        /// The limit.
        limit: usize,
    },
    /// JSON or YAML that is none.
    #[error("data in `{path}` cannot be used: {why}")]
    Document {
        /// The file.
        path: PathBuf,
        /// Why; it stands in the message, hence it is no `source`.
        why: DocumentError,
    },
    /// Data that does not fit beside the rest.
    #[error("data in `{path}` cannot be used: bundle load failed on `{inner}`: {why}")]
    Data {
        /// The file.
        path: PathBuf,
        /// The file below its directory.
        inner: String,
        /// Why; it stands in the message, hence it is no `source`.
        why: DataError,
    },
    /// Folders nest too deep.
    #[error("`{0}` nests deeper than 32 folders: does a symlink lead back?")]
    TooDeep(PathBuf),
}

/// Why a text is no document.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// Not YAML.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// A number that is not kept.
    #[error(transparent)]
    Inexact(#[from] exact::Inexact),
    /// Not JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// Data of all directories together.
const DATA_BYTES: u64 = 64 << 20;

/// Returns the modules of all directories, and their data, each below the names of its folders. Fails when one file cannot be read.
pub fn load_all(paths: &[PathBuf], tests: Tests) -> Result<Offer, Error> {
    let modules = load(paths, tests)?;
    let (mut data, mut left) = (Data::default(), DATA_BYTES);
    for path in paths.iter().filter(|path| path.is_dir()) {
        data_below(path, "", &mut data, &mut left, 0)?;
    }
    let origin = paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let mut documents = Vec::new();
    let root = data.iter().map(|(name, node)| (name.to_owned(), node));
    root.for_each(|(name, node)| split(vec![name], node, &origin, &mut documents));
    Ok(Offer { modules, documents, bundle: None })
}

/// Documents of keys such as `namespace/configmap/key`: all of them, or what is wrong with each that cannot be read.
pub fn documents(texts: &BTreeMap<String, String>) -> Result<Vec<Document>, Vec<Diagnostic>> {
    let (mut documents, mut errors) = (Vec::new(), Vec::new());
    for (key, text) in texts {
        let path: Vec<_> = key.split('/').map(str::to_owned).collect();
        match parse(Path::new(key), text, path.len()) {
            Ok(value) => documents.push(Document { path, value, origin: key.clone() }),
            Err(why) => {
                let location = Location { file: key.clone(), row: 1, col: 1 };
                errors.push(Diagnostic {
                    code: "data_parse_error".into(),
                    message: why.to_string(),
                    location,
                    ..Diagnostic::default()
                });
            }
        }
    }
    if errors.is_empty() { Ok(documents) } else { Err(errors) }
}

fn is_data(name: &str) -> bool {
    [".json", ".yaml", ".yml"].iter().any(|end| name.ends_with(end))
}

/// Reads YAML or JSON, by the path's extension, for a place so many names below `data`.
fn parse(path: &Path, text: &str, depth: usize) -> Result<Incoming, DocumentError> {
    if path.extension().is_some_and(|end| end == "yaml" || end == "yml") {
        return Ok(Incoming::of(&yaml::load(text)?, depth));
    }
    exact::check(text.as_bytes())?;
    Ok(Incoming::read(text.as_bytes(), depth)?)
}

fn data_below(folder: &Path, below: &str, data: &mut Data, left: &mut u64, depth: usize) -> Result<(), Error> {
    let failed = |source| Error::Read { path: folder.into(), source };
    if depth > DEPTH {
        return Err(Error::TooDeep(folder.into()));
    }
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        if name.starts_with('.') {
            continue;
        }
        let inner = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        if path.is_dir() {
            data_below(&path, &inner, data, left, depth + 1)?;
        } else if is_data(&name) {
            let text = text_of(&path, *left)?;
            *left = left.saturating_sub(text.len() as u64);
            let value = parse(&path, &text, names_of(&inner).len());
            let value = value.map_err(|why| Error::Document { path: path.clone(), why })?;
            data.insert(&inner, &value).map_err(|why| Error::Data { path, inner, why })?;
        }
    }
    Ok(())
}

/// One document for each member of a member of the root: beside a source's kinds there may be other things.
fn split(path: Vec<String>, node: &Node, origin: &str, documents: &mut Vec<Document>) {
    let members = data::members(node, path.len()).filter(|members| path.len() < 2 && !members.is_empty());
    let Some(members) = members else {
        return documents.push(Document { value: Incoming::placed_at(node, path.len()), path, origin: origin.into() });
    };
    for (name, node) in &members {
        let path = path.iter().cloned().chain([name.to_string()]).collect();
        split(path, node, origin, documents);
    }
}

/// Every `*.rego` below the given directories (or the given files), sorted by path; the path as given is the key.
pub fn load(paths: &[PathBuf], tests: Tests) -> Result<Vec<Module>, Error> {
    let mut modules = Vec::new();
    for path in paths {
        visit(path, tests, 0, &mut modules)?;
    }
    modules.sort();
    modules.dedup();
    Ok(modules)
}

fn visit(path: &Path, tests: Tests, depth: usize, modules: &mut Vec<Module>) -> Result<(), Error> {
    let failed = |source| Error::Read { path: path.into(), source };
    if fs::metadata(path).map_err(failed)?.is_file() {
        if depth == 0 || is_wanted(path, tests) {
            modules.push(read(path)?);
        }
        return if modules.len() > MODULES { Err(Error::TooMany { path: path.into(), limit: MODULES }) } else { Ok(()) };
    }
    if depth > DEPTH {
        return Err(Error::TooDeep(path.into()));
    }
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        // `..data` and the timestamped folder behind it: the kubelet's own; the files beside it lead there.
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            visit(&entry.path(), tests, depth + 1, modules)?;
        }
    }
    Ok(())
}

fn is_wanted(path: &Path, tests: Tests) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    name.ends_with(".rego") && (tests == Tests::Load || !name.ends_with("_test.rego"))
}

fn read(path: &Path) -> Result<Module, Error> {
    Ok(Module { key: path.display().to_string(), text: text_of(path, MODULE_BYTES)? })
}

fn text_of(path: &Path, limit: u64) -> Result<String, Error> {
    let failed = |source| Error::Read { path: path.into(), source };
    let mut bytes = Vec::new();
    // One more than allowed, whatever the file's size claims to be.
    fs::File::open(path).map_err(failed)?.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(Error::TooLarge { path: path.into(), limit });
    }
    String::from_utf8(bytes).map_err(|_| Error::NotText(path.into()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn write(path: PathBuf, text: &[u8]) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn keys(dir: &Path, tests: Tests) -> Vec<String> {
        let modules = load(&[dir.into()], tests).unwrap();
        modules.iter().map(|m| Path::new(&m.key).strip_prefix(dir).unwrap().display().to_string()).collect()
    }

    #[test]
    fn folders_are_read_sorted_and_tests_only_when_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["b.rego", "a/c.rego", "a/c_test.rego", "notes.md", ".hidden.rego"] {
            write(dir.path().join(name), b"package x");
        }
        assert_eq!(keys(dir.path(), Tests::Skip), ["a/c.rego", "b.rego"]);
        assert_eq!(keys(dir.path(), Tests::Load), ["a/c.rego", "a/c_test.rego", "b.rego"]);
    }

    #[test]
    fn a_mounted_configmap_is_read_once_through_its_symlinks() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path().join("..2026_11_21/p.rego"), b"package p");
        symlink("..2026_11_21", dir.path().join("..data")).unwrap();
        symlink("..data/p.rego", dir.path().join("p.rego")).unwrap();
        assert_eq!(keys(dir.path(), Tests::Skip), ["p.rego"]);
    }

    #[test]
    fn an_empty_directory_is_an_empty_set_and_a_missing_one_an_error_that_names_it() {
        let dir = tempfile::tempdir().unwrap();
        assert!(keys(dir.path(), Tests::Skip).is_empty());
        let error = load(&[dir.path().join("gone")], Tests::Skip).unwrap_err();
        assert!(matches!(error, Error::Read { path, .. } if path.ends_with("gone")));
    }

    #[test]
    fn json_and_yaml_are_data_where_their_folder_is() {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("a/b/x.json", "{\"p\": 1}"),
            ("a/b/y.yaml", "q: [2]\n"),
            ("root.json", "{\"r\": {\"s\": 3}}"),
            ("p.rego", "package p"),
        ] {
            write(dir.path().join(name), text.as_bytes());
        }
        let offer = load_all(&[dir.path().into()], Tests::Skip).unwrap();
        let found: Vec<_> = offer
            .documents
            .iter()
            .map(|document| format!("{}={}", document.path.join("/"), document.value.decode().unwrap()))
            .collect();
        assert_eq!(found, ["a/b={\"p\":1,\"q\":[2]}", "r/s=3"]);
        write(dir.path().join("a/b/z.json"), b"{\"p\": 2}");
        let error = load_all(&[dir.path().into()], Tests::Skip).unwrap_err().to_string();
        assert!(error.contains("at `a/b/p`") || error.contains("cannot be used"), "{error}");
    }

    #[test]
    fn keys_are_paths_and_each_that_cannot_be_read_is_named() {
        let texts = |texts: &[(&str, &str)]| texts.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect();
        let read = documents(&texts(&[("ns/cm/a.json", "{\"x\": 1}"), ("ns/cm/b.yaml", "x: 2\n")])).unwrap();
        assert_eq!(read[1].path, ["ns", "cm", "b.yaml"]);
        assert_eq!(read[1].value, serde_json::json!({"x": 2}).into());
        let errors = documents(&texts(&[("ns/cm/a.json", "{"), ("ns/cm/b", "x: 2")])).unwrap_err();
        assert_eq!(errors.iter().map(|error| error.location.file.as_str()).collect::<Vec<_>>(), ["ns/cm/a.json", "ns/cm/b"]);
    }

    #[test]
    fn what_is_no_policy_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path().join("bin.rego"), b"package \xff");
        assert!(matches!(load(&[dir.path().into()], Tests::Skip), Err(Error::NotText(path)) if path.ends_with("bin.rego")));
        write(dir.path().join("bin.rego"), &vec![b' '; MODULE_BYTES as usize + 1]);
        assert!(matches!(load(&[dir.path().into()], Tests::Skip), Err(Error::TooLarge { .. })));
    }

    #[test]
    fn a_symlink_that_leads_back_ends_with_an_error() {
        let dir = tempfile::tempdir().unwrap();
        symlink(".", dir.path().join("again")).unwrap();
        assert!(matches!(load(&[dir.path().into()], Tests::Skip), Err(Error::TooDeep(_) | Error::Read { .. })));
    }
}
