//! Policies and data of folders, as `opa check` and `opa test` read them (opa `v1/loader/loader.go`): modules by their extension,
//! other files as the document at the path of their folder.

use std::path::{Path, PathBuf};

use plimsoll_rego::program::Text;
use plimsoll_rego::value::{Value, json};
use yaml_serde::Value as Yaml;

/// What folders hold.
#[derive(Debug)]
pub(crate) struct Set {
    /// In the order of their paths.
    pub(crate) texts: Vec<Text>,
    /// An object.
    pub(crate) data: Value,
}

/// Reads folders or files below a root, without those whose names fit a pattern (`*` is any text) or whose path is one of these.
pub(crate) fn load(root: &Path, below: &[&str], without: &[&str]) -> Set {
    let mut set = Set { texts: Vec::new(), data: Value::object([]) };
    for start in below {
        let top = root.join(start);
        let mut files = Vec::new();
        walk(&top, &mut files);
        for file in files {
            let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
            let base = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if !without.iter().any(|pattern| name == *pattern || fits(pattern, &base)) {
                set.read(&file, name, &folder(&top, &file));
            }
        }
    }
    set
}

impl Set {
    fn read(&mut self, file: &Path, name: String, folder: &[String]) {
        let Ok(text) = std::fs::read_to_string(file) else { return };
        let extension = file.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
        let document = match extension.as_str() {
            "rego" => {
                // OPA reads none that has nothing in it.
                let empty = text.trim().is_empty();
                return if !empty {
                    self.texts.push(Text { name, text, version: None });
                };
            }
            "json" => json::read(text.as_bytes(), 10_000).ok(),
            "yaml" | "yml" => yaml_serde::from_str(&text).ok().map(|yaml| of_yaml(&yaml)),
            _ => None,
        };
        if let Some(document) = document {
            let document = folder.iter().rev().fold(document, |inner, key| Value::object([(Value::from(key.as_str()), inner)]));
            self.data = merged(&self.data, &document);
        }
    }
}

/// The folders between the one that was asked for and a file.
fn folder(top: &Path, file: &Path) -> Vec<String> {
    let below = file.parent().and_then(|parent| parent.strip_prefix(top).ok());
    below.into_iter().flatten().map(|part| part.to_string_lossy().into_owned()).collect()
}

fn walk(path: &Path, files: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        return files.push(path.to_owned());
    }
    let mut entries: Vec<_> = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    entries.iter().for_each(|entry| walk(entry, files));
}

/// Whether a name fits a pattern with one `*` at its beginning or end.
fn fits(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (_, Some(begin)) => name.starts_with(begin),
        _ => name == pattern,
    }
}

/// Objects are merged, member by member.
pub(crate) fn merged(a: &Value, b: &Value) -> Value {
    let (Value::Object(mine), Value::Object(others)) = (a, b) else { return b.clone() };
    let kept = mine.iter().filter(|(key, _)| others.get(key).is_none()).map(|(key, value)| (key.clone(), value.clone()));
    let new =
        others.iter().map(|(key, value)| (key.clone(), mine.get(key).map_or_else(|| value.clone(), |old| merged(old, value))));
    Value::object(kept.chain(new))
}

fn of_yaml(yaml: &Yaml) -> Value {
    match yaml {
        Yaml::Null => Value::Null,
        Yaml::Bool(value) => Value::from(*value),
        Yaml::Number(number) => Value::number(&number.to_string()).unwrap_or(Value::Null),
        Yaml::String(text) => Value::from(text.as_str()),
        Yaml::Sequence(items) => Value::array(items.iter().map(of_yaml)),
        Yaml::Mapping(members) => Value::object(members.iter().map(|(key, member)| {
            let key = of_yaml(key);
            (if key.as_str().is_some() { key } else { Value::from(key.to_string()) }, of_yaml(member))
        })),
        Yaml::Tagged(tagged) => of_yaml(&tagged.value),
    }
}
