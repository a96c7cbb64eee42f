//! What is said of broken modules is what OPA says: `tests/diagnostics/cases.yaml`. With the tools of the end-to-end tests there
//! (`KUBEBUILDER_ASSETS`), real OPA is asked again.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test should say where")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use plimsoll::rego::accept::Strictness;
use plimsoll::rego::{Module, Program, RegoVersion};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    strict: bool,
    #[serde(default)]
    v0: bool,
    modules: BTreeMap<String, String>,
    /// What OPA says.
    opa: Vec<String>,
}

fn cases() -> Vec<Case> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics/cases.yaml");
    yaml_serde::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn errors_are_those_of_opa() {
    let cases = cases();
    assert!(cases.len() > 60);
    let wrong: Vec<String> = cases.iter().filter_map(differs).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn differs(case: &Case) -> Option<String> {
    let module = |(key, text): (&String, &String)| Module { key: key.clone(), text: text.clone() };
    let modules: Vec<Module> = case.modules.iter().map(module).collect();
    let version = if case.v0 { RegoVersion::V0 } else { RegoVersion::V1 };
    let strictness = if case.strict { Strictness::Strict } else { Strictness::Plain };
    let errors = Program::check(&modules, version, strictness);
    let found: Vec<String> = errors.iter().map(|e| format!("{}: {}: {}", e.location, e.code, e.message)).collect();
    let list = |errors: &[String]| errors.iter().map(|error| format!("\n    - {error:?}")).collect::<String>();
    (found != case.opa).then(|| format!("{}\n  OPA:{}\n  found:{}", case.name, list(&case.opa), list(&found)))
}

#[test]
fn opa_says_what_the_cases_say() {
    let Some(opa) = std::env::var_os("KUBEBUILDER_ASSETS").map(|folder| PathBuf::from(folder).join("opa")) else {
        return;
    };
    for case in cases() {
        assert_eq!(ask(&opa, &case), case.opa, "{}", case.name);
    }
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    errors: Vec<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    code: String,
    message: String,
    location: Place,
}

#[derive(Deserialize)]
struct Place {
    file: String,
    row: u32,
    col: u32,
}

fn ask(opa: &Path, case: &Case) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for (key, text) in &case.modules {
        std::fs::write(folder.path().join(key), text).unwrap();
    }
    let mut command = Command::new(opa);
    command.current_dir(folder.path()).args(["check", "--format=json", "--max-errors=0"]);
    command.args(case.strict.then_some("--strict")).args(case.v0.then_some("--v0-compatible")).args(case.modules.keys());
    let output = command.output().unwrap();
    let text = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    let answer: Answer = if text.is_empty() { Answer { errors: Vec::new() } } else { serde_json::from_slice(&text).unwrap() };
    let line = |e: &Refusal| format!("{}:{}:{}: {}: {}", e.location.file, e.location.row, e.location.col, e.code, e.message);
    answer.errors.iter().map(line).collect()
}
