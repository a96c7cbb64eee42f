//! Real OPA: a program that is asked in bulk (`tools/tree/answer`).

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;

/// What OPA says of a set.
#[derive(Debug, Deserialize)]
pub(super) struct Answers {
    pub(super) rounds: Vec<Round>,
    /// By input, by path.
    pub(super) answers: Vec<Vec<Answer>>,
}

/// Which blocks were compiled, by module, and what is wrong with them; nothing in the last round.
#[derive(Debug, Deserialize)]
pub(super) struct Round {
    pub(super) kept: Vec<Vec<usize>>,
    pub(super) errors: Vec<String>,
}

/// A value as JSON, or an error; without either it is undefined.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default)]
pub(super) struct Answer {
    pub(super) value: String,
    pub(super) error: String,
    pub(super) prints: Vec<String>,
}

/// Builds the program, or says that there is nothing to build it with.
pub(super) fn build() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools/tree");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("opa-answers");
    let required = std::env::var("PLIMSOLL_E2E").as_deref() == Ok("required");
    let mut go = Command::new("go");
    go.args(["build", "-o"]).arg(&program).arg("./answer").current_dir(folder).env("GOFLAGS", "-mod=readonly");
    if !required {
        // What is not there is not fetched.
        go.env("GOPROXY", "off");
    }
    let reason = match go.output() {
        Ok(output) if output.status.success() => return Some(program),
        Ok(output) => format!("`go build` failed: {}", String::from_utf8_lossy(&output.stderr).trim()),
        Err(error) => format!("no `go` to build OPA with: {error}"),
    };
    assert!(!required, "{reason}");
    #[allow(clippy::print_stderr, reason = "says that it was skipped, as the end-to-end tests do")]
    {
        eprintln!("skipped: {reason}");
    }
    None
}

/// A process that answers one line with one line, and ends with what reads from it.
pub(super) struct Opa {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Opa {
    pub(super) fn start(program: &Path) -> Self {
        let mut process = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (process.stdin.take(), BufReader::new(process.stdout.take().unwrap()));
        Self { process, input, output }
    }

    /// Returns OPA's answers to one set.
    pub(super) fn ask(&mut self, question: &str) -> Answers {
        writeln!(self.input.as_mut().unwrap(), "{question}").unwrap();
        self.answer().unwrap()
    }

    /// Returns OPA's answers set by set, as they are asked for: questions are written ahead.
    pub(super) fn answers(mut self, questions: impl Iterator<Item = String> + Send + 'static) -> impl Iterator<Item = Answers> {
        let mut input = self.input.take().unwrap();
        std::thread::spawn(move || {
            for question in questions {
                // Nobody reads any more.
                if writeln!(input, "{question}").is_err() {
                    return;
                }
            }
        });
        std::iter::from_fn(move || self.answer())
    }

    fn answer(&mut self) -> Option<Answers> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line).unwrap();
        (read > 0).then(|| serde_json::from_str(&line).unwrap())
    }
}

impl Drop for Opa {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
