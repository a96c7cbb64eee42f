//! `plimsoll check`: says what is wrong with policies, all at once, as `opa check` does.
//!
//! Exit code 0: nothing is; 1: something is, or wrong use.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;

use clap::ValueEnum;

use super::failure::{self, Failures};
use super::material::{self, Material};
use super::reads;
use super::serve::args::{PlacementPath, placement_path};
use super::subject::Subject;
use crate::rego::Program;
use crate::state::FLEET_PATH;

/// Options of `plimsoll check`.
#[derive(Clone, Debug, clap::Args)]
#[command(args_override_self = true)]
pub struct Args {
    /// What is checked.
    #[command(flatten)]
    pub subject: Subject,
    /// Refuse unused imports, variables and arguments too.
    #[arg(short = 'S', long)]
    pub strict: bool,
    /// Say what the document at this path below `data` depends on, such as `kubernetes/placement`. May be given several times.
    #[arg(long, value_name = "PATH", value_parser = placement_path, action = clap::ArgAction::Append)]
    pub reads: Vec<PlacementPath>,
    /// What to print.
    #[arg(short, long, value_enum, default_value = "pretty")]
    pub format: Format,
}

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Pretty,
    /// As one JSON document.
    Json,
}

/// Checks the policies. Prints errors to standard error in both formats, as OPA does. Exit code 1: there is an error. Fails when the
/// output cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    check(args, out, &mut std::io::stderr())
}

fn check(args: &Args, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let loaded = Material::load(&args.subject.origin(true));
    let checked = loaded.and_then(|material| {
        // All of it at once: strict mode says what is wrong anyway, too.
        let strict = if args.strict { material.strictly() } else { Vec::new() };
        if strict.is_empty() { material.compile().map_err(failure::all) } else { Err(failure::all(strict)) }
    });
    match checked {
        Ok(program) => {
            for note in material::versions_noted(&program, args.subject.rego.version()) {
                writeln!(err, "{note}")?;
            }
            reads(args, &program, out)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(errors) => {
            match args.format {
                Format::Pretty => failure::print(&errors, err)?,
                Format::Json => failure::json(&Failures { errors: &errors }, err)?,
            }
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Prints what each document of `--reads` depends on, in the order of their paths.
fn reads(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<()> {
    let each = args.reads.iter().map(|PlacementPath(path)| (path.join("/"), program.entry(path).reads(program, &FLEET_PATH)));
    let each: BTreeMap<_, _> = each.collect();
    match args.format {
        _ if each.is_empty() => Ok(()),
        Format::Json => failure::json(&serde_json::json!({ "reads": each }), out),
        Format::Pretty => each.iter().try_for_each(|(path, reads)| {
            writeln!(out, "{path}")?;
            Ok(reads::print(reads, out)?)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str, format: Format) -> (String, bool) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.rego"), text).unwrap();
        let paths = vec![dir.path().display().to_string()];
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let subject = Subject { paths, ..Subject::default() };
        let reads = vec![placement_path("a").unwrap()];
        let reads = if text.contains("fleet") { reads } else { Vec::new() };
        let code = check(&Args { subject, strict: false, reads, format }, &mut out, &mut err).unwrap();
        err.extend(out);
        let text = String::from_utf8(err).unwrap().replace(&format!("{}/", dir.path().display()), "");
        (text, format!("{code:?}") == format!("{:?}", ExitCode::SUCCESS))
    }

    #[test]
    fn what_is_right_needs_no_words_and_what_is_wrong_is_said_at_once() {
        assert_eq!(checked("package a\n\nallow if input.x\n", Format::Pretty), (String::new(), true));
        let (text, right) = checked("package a\n\nallow if x\n\ndeny if y == 1\n", Format::Pretty);
        assert!(!right && text.starts_with("2 errors occurred:\na.rego:3:10: rego_unsafe_var_error: var x is unsafe"), "{text}");
        let (text, right) = checked("package a\n\nallow if x\n", Format::Json);
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(!right, "{text}");
        assert_eq!(report.pointer("/errors/0/location"), Some(&serde_json::json!({"file": "a.rego", "row": 3, "col": 10})));
    }

    #[test]
    fn what_is_read_is_said() {
        let policy = "package a\n\nx if data.fleet[_].ready == input.labels.ready\n\ny := json.marshal(input)\n";
        let (text, right) = checked(policy, Format::Pretty);
        let expected = "a\n  reads  input\n         data.a\n         data.fleet (keys)\n         data.fleet[_].ready\n  \
                        all of input is read at a.rego:5:6: no two objects are alike\n";
        assert_eq!((text.as_str(), right), (expected, true));
        let (text, _) = checked(policy, Format::Json);
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["reads"]["a"]["kept"], true);
        let (text, _) = checked("package a\n\nx if input.fleet == count(data.kubernetes.clusters)\n", Format::Pretty);
        assert!(
            text.ends_with(
                "several clusters are looked at together at a.rego:3:27: each cluster's change asks again for all objects\n"
            ),
            "{text}"
        );
        let (text, _) = checked("package a\n\nx if data.fleet == time.now_ns()\n", Format::Pretty);
        assert!(
            text.contains("answers are not kept: they depend on the clock, on randomness, or on how the process was started"),
            "{text}"
        );
    }

    #[test]
    fn a_module_read_as_v0_is_said() {
        let (text, right) = checked("package a\n\nallow { input.x }\n", Format::Pretty);
        assert_eq!((text.as_str(), right), ("note: a.rego was read as Rego v0\n", true));
    }
}
