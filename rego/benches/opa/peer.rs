//! OPA's side: `opa bench`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Instant;

use plimsoll_rego::value::Value;
use serde_json::Value as Json;

use super::case::{Case, Outcome};
use super::clock;

/// OPA with a case's files.
pub(crate) struct Peer {
    program: OsString,
    folder: PathBuf,
    path: String,
}

impl Peer {
    /// Writes the files; `None` without OPA.
    pub(crate) fn new(case: &Case) -> Outcome<Option<Self>> {
        let program = std::env::var_os("OPA").unwrap_or_else(|| "opa".into());
        if Command::new(&program).arg("version").output().is_err() {
            return Ok(None);
        }
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("opa-bench").join(case.name.replace([' ', '/'], "-"));
        std::fs::remove_dir_all(&folder).ok();
        std::fs::create_dir_all(folder.join("rules"))?;
        for (name, text) in &case.texts {
            std::fs::write(folder.join("rules").join(name), text)?;
        }
        std::fs::write(folder.join("rules/data.json"), &case.data)?;
        std::fs::write(folder.join("input.json"), &case.input)?;
        Ok(Some(Self { program, folder, path: case.path.clone() }))
    }

    fn run(&self, command: &str, flags: &[&str]) -> Outcome<Output> {
        let mut run = Command::new(&self.program);
        run.env("GOMAXPROCS", "1").current_dir(&self.folder).args([
            command,
            "--format",
            "json",
            "-b",
            "rules",
            "-i",
            "input.json",
        ]);
        let output = run.args(flags).arg(&self.path).output()?;
        if output.status.success() { Ok(output) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned().into()) }
    }

    /// Fails unless OPA answers the same.
    pub(crate) fn agrees(&self, answer: &Value) -> Outcome<()> {
        let theirs: Json = serde_json::from_slice(&self.run("eval", &[])?.stdout)?;
        let theirs = theirs.pointer("/result/0/expressions/0/value").ok_or("OPA: undefined")?;
        let ours: Json = serde_json::from_str(&plimsoll_rego::value::json::write(answer, usize::MAX)?)?;
        if *theirs == ours { Ok(()) } else { Err(format!("OPA answers\n{theirs}\nand not\n{ours}").into()) }
    }

    /// Nanoseconds for each evaluation: what `opa bench` says, less what others ran meanwhile.
    pub(crate) fn measure(&self) -> Outcome<f64> {
        let (wall, before) = (Instant::now(), clock::children()?);
        let output = self.run("bench", &["--benchmem=false", "--metrics=false"])?;
        let share = (clock::children()? - before) / 1e9 / wall.elapsed().as_secs_f64();
        let result: Json = serde_json::from_slice(&output.stdout)?;
        let number = |name: &str| result.get(name).and_then(Json::as_f64).ok_or("no result");
        Ok(number("T")? / number("N")? * share.min(1.0))
    }
}
