//! `plimsoll check`: says what is wrong with policies, all at once, as `opa check` does.
//!
//! Exit code 0: nothing is; 1: something is, or wrong use.

use std::io::Write;
use std::process::ExitCode;

use clap::ValueEnum;

use super::failure::{self, Failures};
use super::material::{self, Material};
use super::subject::Subject;

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

/// Checks, and prints errors where OPA does: to standard error, whatever the format.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    check(args, &mut std::io::stderr())
}

fn check(args: &Args, err: &mut dyn Write) -> anyhow::Result<ExitCode> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str, format: Format) -> (String, bool) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.rego"), text).unwrap();
        let paths = vec![dir.path().display().to_string()];
        let mut err = Vec::new();
        let subject = Subject { paths, ..Subject::default() };
        let code = check(&Args { subject, strict: false, format }, &mut err).unwrap();
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
    fn a_module_read_as_v0_is_said() {
        let (text, right) = checked("package a\n\nallow { input.x }\n", Format::Pretty);
        assert_eq!((text.as_str(), right), ("note: a.rego was read as Rego v0\n", true));
    }
}
