//! Reads manifests: YAML with several documents, JSON and Lists. Each object knows the file and line where it stands.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

/// The most bytes of one file.
pub(in crate::cli) const FILE_BYTES: u64 = 256 << 20;
/// How deep folders may nest; a symlink that leads back ends here.
const DEPTH: usize = 16;

/// An object, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) struct Manifest {
    pub(in crate::cli) object: Json,
    /// `file:line`.
    pub(in crate::cli) place: String,
}

/// Manifests that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum ReadError {
    /// A file or folder that is not there, or cannot be read.
    #[error("could not read `{path}`")]
    Io {
        /// What was read.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file larger than any manifest.
    #[error("`{0}` is larger than {FILE_BYTES} bytes")]
    TooLarge(PathBuf),
    /// A folder in too many others.
    #[error("`{0}` nests deeper than {DEPTH} folders: does a symlink lead back?")]
    TooDeep(PathBuf),
    /// Standard input where only files are read.
    #[error("`-` (standard input) is possible for the objects to place only")]
    NoStdin,
    /// A text that is neither YAML nor JSON.
    #[error("{file}:{line}: {message}")]
    Syntax {
        /// The path, as it was given.
        file: String,
        /// The line of the error, from 1.
        line: usize,
        /// The parser's message.
        message: String,
    },
    /// A document that is no Kubernetes object.
    #[error("{place}: {what}")]
    NotAnObject {
        /// `file:line`.
        place: String,
        /// What is missing.
        what: String,
    },
}

impl Manifest {
    /// Returns kind, namespace and name: `ReplicaSet shop/web`.
    pub(in crate::cli) fn title(&self) -> String {
        let kind = self.text("/kind");
        let name = match self.text("/metadata/name") {
            "" => format!("{}…", self.text("/metadata/generateName")),
            name => name.to_owned(),
        };
        match self.text("/metadata/namespace") {
            "" => format!("{kind} {name}"),
            namespace => format!("{kind} {namespace}/{name}"),
        }
    }

    /// Returns the string at a JSON pointer; empty if there is none.
    pub(in crate::cli) fn text(&self, pointer: &str) -> &str {
        self.object.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
    }
}

/// Returns all objects in files and directories; `stdin` is read for `-`. Fails when a path cannot be read, or a document is no object.
pub(in crate::cli) fn read(paths: &[PathBuf], mut stdin: Option<&mut dyn Read>) -> Result<Vec<Manifest>, ReadError> {
    let mut manifests = Vec::new();
    for path in paths {
        if path == Path::new("-") {
            let stdin = stdin.take().ok_or(ReadError::NoStdin)?;
            parse("-", &text(Path::new("-"), stdin)?, &mut manifests)?;
        } else {
            visit(path, 0, &mut manifests)?;
        }
    }
    Ok(manifests)
}

fn visit(path: &Path, depth: usize, manifests: &mut Vec<Manifest>) -> Result<(), ReadError> {
    let failed = |source| ReadError::Io { path: path.into(), source };
    if !fs::metadata(path).map_err(failed)?.is_dir() {
        let text = text(path, &mut File::open(path).map_err(failed)?)?;
        return parse(&path.display().to_string(), &text, manifests);
    }
    if depth == DEPTH {
        return Err(ReadError::TooDeep(path.into()));
    }
    let entries = fs::read_dir(path).map_err(failed)?.map(|entry| Ok(entry?.path()));
    let mut entries = entries.collect::<Result<Vec<PathBuf>, io::Error>>().map_err(failed)?;
    entries.retain(|entry| is_wanted(entry));
    entries.sort();
    entries.iter().try_for_each(|entry| visit(entry, depth + 1, manifests))
}

/// How `apiVersion` of a kustomization begins. It often lies beside manifests, and is never sent to an API server.
const KUSTOMIZE: &str = "kustomize.config.k8s.io/";

/// Names of files of kustomizations, which may have no `apiVersion` and `kind` (kustomize `api/konfig/general.go`, `RecognizedKustomizationFileNames`).
const KUSTOMIZATIONS: [&str; 2] = ["kustomization.yaml", "kustomization.yml"];

/// Returns whether a file of a directory is read as a manifest. Hidden ones are not: a mounted ConfigMap has every file twice, once below `..data`.
fn is_wanted(path: &Path) -> bool {
    let is_other = |name: &str| name.starts_with('.') || KUSTOMIZATIONS.contains(&name);
    let other = path.file_name().and_then(OsStr::to_str).is_some_and(is_other);
    let manifest = path.extension().and_then(OsStr::to_str).is_some_and(|e| ["yaml", "yml", "json"].contains(&e));
    !other && (manifest || path.is_dir())
}

fn text(path: &Path, from: &mut dyn Read) -> Result<String, ReadError> {
    let mut text = String::new();
    let read = from.take(FILE_BYTES + 1).read_to_string(&mut text);
    match read.map_err(|source| ReadError::Io { path: path.into(), source })? {
        bytes if bytes as u64 > FILE_BYTES => Err(ReadError::TooLarge(path.into())),
        _ => Ok(text),
    }
}

fn parse(file: &str, text: &str, manifests: &mut Vec<Manifest>) -> Result<(), ReadError> {
    // YAML may begin with a byte order mark (YAML 1.2.2, 5.2); the parser takes it for a document of its own.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let documents = match json(file, text) {
        // `{` also begins YAML in flow style.
        Some(Err(_)) if !file.ends_with(".json") => yaml(file, text)?,
        Some(documents) => documents?,
        None => yaml(file, text)?,
    };
    documents.into_iter().try_for_each(|(line, document)| objects(document, &format!("{file}:{line}"), manifests))
}

type Documents = Vec<(usize, Json)>;

fn json(file: &str, text: &str) -> Option<Result<Documents, ReadError>> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Json>();
    let mut documents = Vec::new();
    loop {
        let rest = text.get(stream.byte_offset()..).unwrap_or_default();
        let start = text.len() - rest.trim_start().len();
        let line = 1 + text.get(..start).unwrap_or_default().matches('\n').count();
        match stream.next()? {
            Ok(document) => documents.push((line, document)),
            Err(error) => {
                let message = error.to_string();
                return Some(Err(ReadError::Syntax { file: file.into(), line: error.line(), message }));
            }
        }
        if text.get(stream.byte_offset()..).unwrap_or_default().trim().is_empty() {
            return Some(Ok(documents));
        }
    }
}

/// Reads the documents of a YAML file. A line that begins with `---` separates them, even inside a block of text.
fn yaml(file: &str, text: &str) -> Result<Documents, ReadError> {
    let mut documents = Vec::new();
    let mut part = String::new();
    for (index, line) in text.lines().enumerate() {
        let content = line.strip_prefix("---").filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
        if content.is_some() {
            documents.extend(yaml_document(file, &part)?);
            // The parser counts lines from the file's beginning.
            part = "\n".repeat(index);
        }
        part.push_str(content.unwrap_or(line));
        part.push('\n');
    }
    documents.extend(yaml_document(file, &part)?);
    Ok(documents)
}

fn yaml_document(file: &str, part: &str) -> Result<Option<(usize, Json)>, ReadError> {
    let has_content = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let Some(first) = part.lines().position(has_content) else {
        return Ok(None);
    };
    let document: Json = yaml_serde::from_str(part).map_err(|error| {
        let line = error.location().map_or(first + 1, |location| location.line());
        ReadError::Syntax { file: file.into(), line, message: error.to_string() }
    })?;
    Ok(Some((first + 1, document)).filter(|(_, document)| !document.is_null()))
}

/// Adds one object to `manifests`, or those of a List; nothing for what `kustomize` reads alone. Fails when `apiVersion`, `kind` or the name is missing.
fn objects(document: Json, place: &str, manifests: &mut Vec<Manifest>) -> Result<(), ReadError> {
    let wrong = |what: &str| Err(ReadError::NotAnObject { place: place.into(), what: what.into() });
    let mut manifest = Manifest { object: document, place: place.into() };
    if manifest.text("/apiVersion").starts_with(KUSTOMIZE) {
        return Ok(());
    }
    if manifest.text("/apiVersion").is_empty() || manifest.text("/kind").is_empty() {
        return wrong("not a Kubernetes object: `apiVersion` or `kind` is missing");
    }
    if let Some(item_kind) = manifest.text("/kind").strip_suffix("List").map(str::to_owned)
        && let Some(Json::Array(items)) = manifest.object.get_mut("items").map(Json::take)
    {
        let api_version = manifest.text("/apiVersion").to_owned();
        return items.into_iter().enumerate().try_for_each(|(index, mut item)| {
            // Items of a typed list may leave their type out.
            if let Some(members) = item.as_object_mut().filter(|_| !item_kind.is_empty()) {
                members.entry("apiVersion").or_insert_with(|| api_version.clone().into());
                members.entry("kind").or_insert_with(|| item_kind.clone().into());
            }
            objects(item, &format!("{place} item {index}"), manifests)
        });
    }
    if manifest.text("/metadata/name").is_empty() && manifest.text("/metadata/generateName").is_empty() {
        return wrong("`metadata.name` is missing");
    }
    manifests.push(manifest);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(file: &str, text: &str) -> Result<Vec<(String, String)>, String> {
        let mut manifests = Vec::new();
        parse(file, text, &mut manifests).map_err(|error| error.to_string())?;
        Ok(manifests.into_iter().map(|m| (m.title(), m.place)).collect())
    }

    fn pairs(expected: &[(&str, &str)]) -> Result<Vec<(String, String)>, String> {
        Ok(expected.iter().map(|(title, place)| ((*title).into(), (*place).into())).collect())
    }

    #[test]
    fn what_kustomize_reads_is_no_object_and_says_nothing() {
        let yaml = "kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\nresources: [a.yaml]\n";
        assert_eq!(parsed("x.yaml", yaml), Ok(vec![]));
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("kustomization.yaml"), "resources: [a.yaml]\n").unwrap();
        fs::write(directory.path().join("a.yaml"), "{kind: A, apiVersion: v1, metadata: {name: a}}\n").unwrap();
        let read = read(&[directory.path().into()], None).unwrap();
        assert_eq!(read.iter().map(Manifest::title).collect::<Vec<_>>(), ["A a"]);
        // Named by itself and without a type, it is taken for an object.
        assert!(super::read(&[directory.path().join("kustomization.yaml")], None).is_err());
    }

    #[test]
    fn documents_lists_and_json_know_their_line() {
        let yaml = "# one\napiVersion: v1\nkind: A\nmetadata: {name: a, namespace: n}\n---\n---\n# only a comment\n---\n\nkind: B\napiVersion: v1\nmetadata: {generateName: b-}\n";
        assert_eq!(parsed("x.yaml", yaml), pairs(&[("A n/a", "x.yaml:2"), ("B b-…", "x.yaml:10")]));
        let list = "--- # list\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a}}\n";
        assert_eq!(parsed("x.yaml", list), pairs(&[("A a", "x.yaml:2 item 0")]));
        let typed = "apiVersion: v1\nkind: ClusterList\nitems:\n- metadata: {name: a}\n";
        assert_eq!(parsed("x.yaml", typed), pairs(&[("Cluster a", "x.yaml:1 item 0")]));
        let json = "{\"apiVersion\":\"v1\",\"kind\":\"A\",\n\"metadata\":{\"name\":\"a\"}}\n\n{\"apiVersion\":\"v1\",\"kind\":\"B\",\"metadata\":{\"name\":\"b\"}}\n";
        assert_eq!(parsed("-", json), pairs(&[("A a", "-:1"), ("B b", "-:4")]));
        assert_eq!(parsed("x.yaml", "{apiVersion: v1, kind: A, metadata: {name: a}}"), pairs(&[("A a", "x.yaml:1")]));
        assert_eq!(parsed("x.yaml", "# nothing\n"), pairs(&[]));
        let marked = "\u{feff}apiVersion: v1\nkind: A\nmetadata: {name: a}\n";
        assert_eq!(parsed("x.yaml", marked), pairs(&[("A a", "x.yaml:1")]));
    }

    #[test]
    fn a_mistake_is_shown_with_file_and_line() {
        let cases = [
            ("x.yaml", "apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\nkind: B\n bad: indent\n", "x.yaml:6: "),
            ("x.yaml", "kind: A\n", "x.yaml:1: not a Kubernetes object"),
            ("x.yaml", "\n\napiVersion: v1\nkind: A\n", "x.yaml:3: `metadata.name` is missing"),
            ("x.yaml", "- 1\n", "x.yaml:1: not a Kubernetes object"),
            ("x.json", "{\n\"a\": }\n", "x.json:2: "),
            ("x.yaml", "apiVersion: v1\nkind: List\nitems: [{kind: A}]\n", "x.yaml:1 item 0: not a Kubernetes object"),
        ];
        for (file, text, expected) in cases {
            let error = parsed(file, text).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn directories_are_read_in_order_and_hidden_files_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let object = |name: &str| format!("apiVersion: v1\nkind: A\nmetadata: {{name: {name}}}\n");
        fs::create_dir_all(dir.path().join("b/..data")).unwrap();
        for (file, name) in [("b/x.yml", "two"), ("a.yaml", "one"), ("b/..data/x.yml", "twice"), ("notes.txt", "no")] {
            fs::write(dir.path().join(file), object(name)).unwrap();
        }
        let read = read(&[dir.path().into()], None).unwrap();
        assert_eq!(read.iter().map(Manifest::title).collect::<Vec<_>>(), ["A one", "A two"]);
    }

    #[test]
    fn standard_input_is_read_once_and_only_where_it_is_offered() {
        let text = "apiVersion: v1\nkind: A\nmetadata: {name: a}\n";
        let paths = [PathBuf::from("-"), PathBuf::from("-")];
        assert_eq!(read(&paths[..1], Some(&mut text.as_bytes())).unwrap()[0].place, "-:1");
        assert!(matches!(read(&paths, Some(&mut text.as_bytes())), Err(ReadError::NoStdin)));
        assert!(matches!(read(&paths[..1], None), Err(ReadError::NoStdin)));
    }
}
