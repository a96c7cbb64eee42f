//! OPA's own parser, asked through a small program (`rego/tests/tools/tree`): a process for each module would take an hour.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use plimsoll_rego::syntax::tree::Version;
use plimsoll_rego::value::Value;
use plimsoll_rego::value::json::read;
use serde_json::json;

use super::cases::Module;

/// The Go module that holds the cases.
const OPA: &str = "github.com/open-policy-agent/opa";

/// How OPA reads a module.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) tree: Option<Value>,
    pub(crate) text: String,
    pub(crate) errors: Vec<Finding>,
}

/// An error of OPA.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) message: String,
    pub(crate) row: u32,
    pub(crate) col: u32,
    pub(crate) details: Vec<String>,
}

fn program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools/tree")
}

/// The folder of OPA's cases, or `None` where it need not be.
pub(crate) fn folder() -> Option<PathBuf> {
    let required = std::env::var("PLIMSOLL_E2E").as_deref() == Ok("required");
    if required {
        let _ = Command::new("go").args(["mod", "download", OPA]).current_dir(program()).status();
    }
    let listed = Command::new("go").args(["list", "-m", "-f", "{{.Dir}}", OPA]).current_dir(program()).output();
    let reason = match listed {
        Ok(output) if output.status.success() => {
            let folder = Path::new(String::from_utf8_lossy(&output.stdout).trim()).join("v1/test/cases/testdata");
            if folder.is_dir() {
                return Some(folder);
            }
            "OPA's Go module is not downloaded".to_owned()
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

/// What OPA answers, module by module.
pub(crate) fn answers(modules: &[Module]) -> Vec<Answer> {
    let mut child = Command::new("go")
        .args(["run", "."])
        .current_dir(program())
        .env("GOFLAGS", "-mod=readonly")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines: Vec<String> = modules.iter().map(question).collect();
    let writer = std::thread::spawn(move || lines.iter().for_each(|line| input.write_all(line.as_bytes()).unwrap()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Answer> = text.lines().map(answer).collect();
    assert_eq!(answers.len(), modules.len());
    answers
}

fn answer(line: &str) -> Answer {
    // A tree may have numbers that are no values.
    let Ok(answer) = read(line.as_bytes(), 100_000) else {
        let message = "no JSON".to_owned();
        let errors = vec![Finding { message, row: 0, col: 0, details: Vec::new() }];
        return Answer { tree: None, text: String::new(), errors };
    };
    let answer = answer.as_object().unwrap();
    let errors = answer.member("errors").and_then(Value::as_array).unwrap_or_default();
    Answer {
        tree: answer.member("tree").cloned(),
        text: answer.member("text").and_then(Value::as_str).map(ToString::to_string).unwrap_or_default(),
        errors: errors.iter().map(finding).collect(),
    }
}

fn finding(error: &Value) -> Finding {
    let member = |name: &str| error.as_object().unwrap().member(name);
    let number = |name: &str| u32::try_from(member(name).and_then(Value::as_i64).unwrap()).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let details = member("details").and_then(Value::as_array).unwrap_or_default();
    Finding {
        message: text(member("message").unwrap()),
        row: number("row"),
        col: number("col"),
        details: details.iter().map(text).collect(),
    }
}

fn question(module: &Module) -> String {
    let version = match module.version {
        Version::V0 => "v0",
        Version::V0CompatV1 => "v0v1",
        Version::V1 => "v1",
        Version::V2 => "v2",
    };
    json!({"name": module.name, "version": version, "text": module.text}).to_string()
}
