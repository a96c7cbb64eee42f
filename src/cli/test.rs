//! `plimsoll test`: runs the tests beside policies, with the output and exit codes that users of `opa test` know.
//!
//! Exit code 0: all passed; 2: some failed; 1: the policies could not be loaded.

pub mod report;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use plimsoll_contract::policy::Diagnostic;

use crate::policies::files::{self, Tests};
use crate::rego::testing::Test;
use crate::rego::{Limits, Prepared, Program, RegoVersion, Value};
use report::{Finished, Report};

/// Options of `plimsoll test`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Policy files and directories; `*_test.rego` among them.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Say every test, not only those that did not pass, and what they printed.
    #[arg(short, long)]
    pub verbose: bool,
    /// Run only tests whose full name, `data.package.test_name`, contains this.
    #[arg(short, long, value_name = "TEXT")]
    pub run: Option<String>,
    /// How modules are read: `auto` (v1, else v0), `v0` or `v1`.
    #[arg(long, value_name = "VERSION", default_value = "auto")]
    pub rego: RegoVersion,
}

/// Runs the tests and prints a report.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let modules = files::load(&args.paths, Tests::Load).context("could not load the policies")?;
    let program = match Program::compile(&modules, args.rego) {
        Ok(program) => Arc::new(program),
        Err(errors) => {
            print_errors(&errors, out)?;
            return Ok(ExitCode::FAILURE);
        }
    };
    let prepared = program.prepare(Value::object([])).context("could not prepare the policies")?;
    let mut report = Report::default();
    for test in program.tests().into_iter().filter(|test| is_wanted(test, args.run.as_deref())) {
        report.add(finish(&prepared, test));
    }
    report.print(args.verbose, out)?;
    Ok(report.exit_code())
}

fn is_wanted(test: &Test, text: Option<&str>) -> bool {
    text.is_none_or(|text| test.to_string().contains(text))
}

fn finish(prepared: &Prepared, test: Test) -> Finished {
    let started = Instant::now();
    let run = prepared.run_test(&test, None, &Limits::default());
    Finished { test, run, took: started.elapsed() }
}

/// `N errors occurred:` and one a line, as OPA prints them.
fn print_errors(errors: &[Diagnostic], out: &mut dyn Write) -> std::io::Result<()> {
    match errors {
        [error] => writeln!(out, "1 error occurred: {error}"),
        errors => {
            writeln!(out, "{} errors occurred:", errors.len())?;
            errors.iter().try_for_each(|error| writeln!(out, "{error}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(files: &[(&str, &str)], edit: impl FnOnce(&mut Args)) -> (String, String) {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        let mut args = Args { paths: vec![dir.path().into()], verbose: false, run: None, rego: RegoVersion::Auto };
        edit(&mut args);
        let mut out = Vec::new();
        let code = run(args, &mut out).unwrap();
        (String::from_utf8(out).unwrap().replace(&format!("{}/", dir.path().display()), ""), format!("{code:?}"))
    }

    fn code(code: u8) -> String {
        format!("{:?}", ExitCode::from(code))
    }

    const POLICY: (&str, &str) = ("a.rego", "package a\n\nallow if input.x == 1\n");

    #[test]
    fn all_passing_prints_one_line_and_exits_0() {
        let tests = ("a_test.rego", "package a_test\n\nimport data.a\n\ntest_x if a.allow with input as {\"x\": 1}\n");
        assert_eq!(report(&[POLICY, tests], |_| ()), ("PASS: 1/1\n".into(), code(0)));
    }

    #[test]
    fn a_failing_test_is_named_with_its_place_and_exits_2() {
        let tests =
            ("a_test.rego", "package a_test\n\ntest_ok if true\n\ntest_bad if data.a.allow\n\ntodo_test_later if false\n");
        let (text, exit) = report(&[POLICY, tests], |_| ());
        assert!(text.starts_with("a_test.rego:5:\ndata.a_test.test_bad: FAIL ("), "{text}");
        assert!(text.contains("\ndata.a_test.todo_test_later: SKIPPED\n"), "{text}");
        assert!(text.ends_with("PASS: 1/3\nFAIL: 1/3\nSKIPPED: 1/3\n"), "{text}");
        assert_eq!(exit, code(2));
    }

    #[test]
    fn run_selects_and_verbose_says_every_test() {
        let tests = ("a_test.rego", "package a_test\n\ntest_one if true\n\ntest_two if false\n");
        let (text, exit) = report(&[POLICY, tests], |args| {
            args.run = Some("test_one".into());
            args.verbose = true;
        });
        assert!(text.contains("data.a_test.test_one: PASS ("), "{text}");
        assert!(text.ends_with("PASS: 1/1\n"), "{text}");
        assert_eq!(exit, code(0));
    }

    #[test]
    fn policies_that_do_not_compile_are_reported_with_their_place_and_exit_1() {
        let (text, exit) = report(&[("bad.rego", "package a\n\nallow if x\n")], |_| ());
        assert!(text.starts_with("1 error occurred: bad.rego:3:"), "{text}");
        assert_eq!(exit, code(1));
    }
}
