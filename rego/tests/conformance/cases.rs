//! OPA's cases: where they are, and what one holds.

use std::path::{Path, PathBuf};
use std::process::Command;

use plimsoll_rego::value::Value;
use serde::Deserialize;
use yaml_serde::Value as Yaml;

use super::engine::{Input, Version};
use super::yaml;

/// The Go module that holds the cases.
const OPA: &str = "github.com/open-policy-agent/opa";

/// One case; the fields are those of OPA's `v1/test/cases/cases.go`.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) version: Version,
    pub(super) folder: String,
    pub(super) note: String,
    pub(super) query: String,
    pub(super) modules: Vec<String>,
    pub(super) data: Value,
    pub(super) input: Option<Input>,
    /// Solutions: objects of the variables' values.
    pub(super) want_result: Option<Vec<Value>>,
    pub(super) want_error: Option<String>,
    pub(super) want_error_code: Option<String>,
    pub(super) sort_bindings: bool,
    pub(super) ignore_generated_vars: bool,
    pub(super) strict_error: bool,
}

#[derive(Deserialize)]
struct File {
    cases: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    note: String,
    query: String,
    #[serde(default)]
    modules: Option<Vec<String>>,
    #[serde(default)]
    data: Option<Yaml>,
    #[serde(default, deserialize_with = "present")]
    input: Option<Yaml>,
    input_term: Option<String>,
    want_result: Option<Vec<Yaml>>,
    want_error: Option<String>,
    want_error_code: Option<String>,
    #[serde(default)]
    sort_bindings: bool,
    #[serde(default)]
    ignore_generated_vars: bool,
    #[serde(default)]
    strict_error: bool,
}

/// Keeps `input: null` apart from no input.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Yaml>, D::Error> {
    Yaml::deserialize(deserializer).map(Some)
}

/// The folder of the cases, or `None` where it need not be.
pub(super) fn folder() -> Option<PathBuf> {
    let required = std::env::var("PLIMSOLL_E2E").as_deref() == Ok("required");
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/tools/opa");
    if required {
        // OPA itself may come from a cache, without its source.
        let _ = Command::new("go").args(["mod", "download", OPA]).current_dir(&module).status();
    }
    let listed = Command::new("go")
        .args(["list", "-m", "-f", "{{.Dir}}", OPA])
        .current_dir(module)
        .env("GOFLAGS", "-mod=readonly")
        .output();
    let reason = match listed {
        Ok(output) if output.status.success() => {
            let folder = Path::new(String::from_utf8_lossy(&output.stdout).trim()).join("v1/test/cases/testdata");
            if folder.is_dir() {
                return Some(folder);
            }
            "OPA's Go module is not downloaded: run tests/tools/build".to_owned()
        }
        Ok(output) => format!("`go list` failed: {}", String::from_utf8_lossy(&output.stderr).trim()),
        Err(error) => format!("no `go` to ask where OPA's module is: {error}"),
    };
    assert!(!required, "{reason}");
    #[allow(clippy::print_stderr, reason = "says that it was skipped, as the end-to-end tests do")]
    {
        eprintln!("skipped: {reason}");
    }
    None
}

/// All cases, in the order of folders and files.
pub(super) fn load(folder: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for version in [Version::V0, Version::V1] {
        for topic in entries(&folder.join(version.name())) {
            for file in entries(&topic) {
                let text = std::fs::read_to_string(&file).unwrap();
                let parsed: File = yaml_serde::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
                let topic = topic.file_name().unwrap().to_string_lossy();
                cases.extend(parsed.cases.into_iter().map(|entry| case(version, &topic, entry)));
            }
        }
    }
    cases
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn case(version: Version, folder: &str, entry: Entry) -> Case {
    let input = entry.input_term.map(Input::Term);
    Case {
        version,
        folder: folder.to_owned(),
        note: entry.note,
        query: entry.query,
        modules: entry.modules.unwrap_or_default(),
        data: entry.data.map_or_else(|| Value::object([]), |data| yaml::value(&data)),
        input: input.or_else(|| entry.input.map(|input| Input::Value(yaml::value(&input)))),
        want_result: entry.want_result.map(|rows| rows.iter().map(yaml::value).collect()),
        want_error: entry.want_error,
        want_error_code: entry.want_error_code,
        sort_bindings: entry.sort_bindings,
        ignore_generated_vars: entry.ignore_generated_vars,
        strict_error: entry.strict_error,
    }
}
