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
    let required = std::env::var("PLIMSOLL_E2E").as_deref() == Ok("required");
    let mut go = go(["build", "-o"]);
    go.arg(program("opa-answers")).arg("./answer");
    if !required {
        // What is not there is not fetched.
        go.env("GOPROXY", "off");
    }
    let reason = match go.output() {
        Ok(output) if output.status.success() => return Some(program("opa-answers")),
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

/// The line of OPA's `object.insert` that loses keys. When a key gets a value again and other keys have its hash (1 and 1.5 have the same,
/// and so have null, false, 0, -0 and `[]`), the keys that were put in after it are no longer found: OPA shows them, but does not go
/// through them, and puts them in a second time.
const LOSES_KEYS: &str = "\t\t\tobj.elems[hash] = curr\n";

/// Builds the program with an OPA that loses no keys: its `v1/ast/term.go` without one line. Answers that differ from OPA's, and not from
/// this one's, are that defect's.
pub(super) fn build_mended() -> PathBuf {
    let module = done(&mut go(["list", "-m", "-f", "{{.Dir}}", "github.com/open-policy-agent/opa"]));
    let (mended, modfile) = (program("opa-mended"), program("opa-mended.mod"));
    if !mended.exists() {
        let copy = program("opa-copy");
        done(Command::new("cp").args(["-rT", "--no-preserve=mode", module.trim()]).arg(&copy));
        let file = copy.join("v1/ast/term.go");
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text.matches(LOSES_KEYS).count(), 1, "{} is another one", file.display());
        std::fs::write(file, text.replace(LOSES_KEYS, "")).unwrap();
        std::fs::rename(copy, &mended).unwrap();
    }
    let tools = Path::new(TOOLS);
    std::fs::copy(tools.join("go.mod"), &modfile).unwrap();
    std::fs::copy(tools.join("go.sum"), modfile.with_extension("sum")).unwrap();
    let replaced = format!("-replace=github.com/open-policy-agent/opa={}", mended.display());
    done(go(["mod", "edit"]).arg(replaced).arg(&modfile));
    done(go(["build", "-modfile"]).arg(modfile).arg("-o").arg(program("opa-answers-mended")).arg("./answer"));
    program("opa-answers-mended")
}

const TOOLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tools/tree");

/// Returns what a command writes.
fn done(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn go<const N: usize>(arguments: [&str; N]) -> Command {
    let mut go = Command::new("go");
    go.args(arguments).current_dir(TOOLS).env("GOFLAGS", "-mod=readonly");
    go
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
