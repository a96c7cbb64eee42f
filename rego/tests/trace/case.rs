//! Cases, and what OPA says of them.

use std::path::{Path, PathBuf};

use plimsoll_rego::value::{Value, json};

/// A module with a query.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) text: String,
    /// Under which name the module is read.
    pub(super) file: String,
    pub(super) query: String,
    pub(super) input: Option<Value>,
    pub(super) data: Value,
    pub(super) v0: bool,
    /// Modes, and what OPA prints.
    pub(super) recorded: Vec<(String, String)>,
    /// What OPA's API answers to `explain=full`, as far as that was recorded.
    pub(super) raw: Option<Value>,
    /// What OPA counts, row by row, as far as that was recorded.
    pub(super) profile: Option<Value>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trace/cases")
}

/// All cases, in the order of their names.
pub(super) fn all() -> Vec<Case> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut modules: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "rego")).collect();
    modules.sort();
    modules.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Case {
    let text = std::fs::read_to_string(path).unwrap();
    let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
    let field = |key: &str| text.lines().find_map(|line| line.strip_prefix(&format!("# {key}: "))).map(str::to_owned);
    let value = |key: &str| field(key).map(|text| json::read(text.as_bytes(), 128).unwrap());
    let modes = field("explain").unwrap();
    let recorded = |mode: &str| {
        let path = folder().join(format!("{name}.{mode}.txt"));
        (mode.to_owned(), std::fs::read_to_string(path).unwrap())
    };
    let member = |kind: &str, member: &str| {
        let path = folder().join(format!("{name}.{kind}.json"));
        json::read(&std::fs::read(path).unwrap(), 1000).unwrap().get(&member.into()).unwrap().clone()
    };
    Case {
        file: field("file").unwrap_or(format!("{name}.rego")),
        query: field("query").unwrap(),
        input: value("input"),
        data: value("data").unwrap_or_else(|| Value::object([])),
        v0: field("v0").is_some(),
        raw: field("raw").map(|_| member("raw", "explanation")),
        profile: field("profile").map(|_| member("profile", "profile")),
        recorded: modes.split(' ').map(recorded).collect(),
        name,
        text,
    }
}
