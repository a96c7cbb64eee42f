//! `plimsoll check`: says what is wrong with policies, all at once, as `opa check` does.
//!
//! Exit code 0: nothing is; 1: something is, or wrong use.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;

use super::eval::Rego;
use super::failure::{self, Failures};
use super::material::{self, Material, Origin};

/// Options of `plimsoll check`.
#[derive(Clone, Debug, clap::Args)]
#[command(args_override_self = true)]
pub struct Args {
    /// Policy files and directories, or bundles.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
    /// The paths are bundles.
    #[arg(short, long)]
    pub bundle: bool,
    /// Refuse unused imports, variables and arguments too.
    #[arg(short = 'S', long)]
    pub strict: bool,
    /// What to print.
    #[arg(short, long, value_enum, default_value = "pretty")]
    pub format: Format,
    /// How policies are read.
    #[command(flatten)]
    pub rego: Rego,
}

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Pretty,
    /// As one JSON document.
    Json,
}

/// What to load when paths are either files or bundles.
pub(super) fn origin(paths: &[String], bundle: bool, rego: Rego, modules_only: bool) -> Origin {
    let (files, bundles) =
        if bundle { (Vec::new(), paths.iter().map(PathBuf::from).collect()) } else { (paths.to_vec(), Vec::new()) };
    Origin { files, bundles, modules_only, rego: rego.version() }
}

/// Checks, and prints errors where OPA does: to standard error, whatever the format.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    check(args, &mut std::io::stderr())
}

fn check(args: &Args, err: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let loaded = Material::load(&origin(&args.paths, args.bundle, args.rego, true));
    let checked = loaded.and_then(|material| {
        // All of it at once: strict mode says what is wrong anyway, too.
        let strict = if args.strict { material.strictly() } else { Vec::new() };
        if strict.is_empty() { material.compile().map_err(failure::all) } else { Err(failure::all(strict)) }
    });
    match checked {
        Ok(program) => {
            for note in material::versions_noted(&program, args.rego.version()) {
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
        let code = check(&Args { paths, bundle: false, strict: false, format, rego: Rego::default() }, &mut err).unwrap();
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
