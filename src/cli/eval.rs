//! `plimsoll eval`: asks a query of policies and data, with the answers, formats and exit codes of `opa eval`.
//!
//! Exit code 0: evaluated; 1: `--fail` and undefined, `--fail-defined` and defined, or wrong use; 2: an error.

mod beside;
mod print;
mod profile;
mod shown;
mod table;
mod timers;

pub use beside::Beside;
pub(super) use table::Table;

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;
use shown::Shown;
use timers::Timers;

use super::failure::{self, Failure};
use super::material::{self, LoadError, Material, Origin};
use crate::rego::query::expressions::{Asked, Bound, Expressions, Row};
use crate::rego::trace::{QueryReport, Wanted};
use crate::rego::{EvalError, Limits, RegoVersion, Value, parse};

/// Options of `plimsoll eval`.
#[derive(Clone, Debug, clap::Args)]
#[command(args_override_self = true, override_usage = "plimsoll eval [OPTIONS] <QUERY>\n       plimsoll eval [OPTIONS] --stdin")]
pub struct Args {
    /// What to ask, and of what.
    #[command(flatten)]
    pub question: Question,
    /// What to print.
    #[arg(short, long, value_enum, default_value = "json")]
    pub format: Format,
    /// Exit with 1 when the result is undefined.
    #[arg(long, conflicts_with = "fail_defined")]
    pub fail: bool,
    /// Exit with 1 when the result is defined.
    #[arg(long)]
    pub fail_defined: bool,
    /// An error of a built-in function ends the evaluation.
    #[arg(long)]
    pub strict_builtin_errors: bool,
    /// What to show beside the answer.
    #[command(flatten)]
    pub beside: Beside,
}

/// A query and what it is asked of: the options that `eval` and `bench` share.
#[derive(Clone, Debug, clap::Args)]
pub struct Question {
    /// The query.
    #[arg(required_unless_present = "stdin", conflicts_with = "stdin")]
    pub query: Option<String>,
    /// Read the query from standard input.
    #[arg(long, conflicts_with = "stdin_input")]
    pub stdin: bool,
    /// A file or directory of policies and data; `a.b:path` puts its data below `data.a.b`. May be given several times.
    #[arg(short, long, value_name = "PATH")]
    pub data: Vec<String>,
    /// A bundle: a directory or a tarball. May be given several times.
    #[arg(short, long, value_name = "PATH")]
    pub bundle: Vec<PathBuf>,
    /// The input document, JSON or YAML.
    #[arg(short, long, value_name = "FILE", conflicts_with = "stdin_input")]
    pub input: Option<PathBuf>,
    /// Read the input document from standard input.
    #[arg(short = 'I', long)]
    pub stdin_input: bool,
    /// The package that the query is asked in: its rules have short names.
    #[arg(long, value_name = "PACKAGE")]
    pub package: Option<String>,
    /// A document that the query imports, such as `data.app.rules as r`. May be given several times.
    #[arg(long, value_name = "PATH")]
    pub import: Vec<String>,
    /// How policies are read.
    #[command(flatten)]
    pub rego: Rego,
}

/// Which Rego.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Rego {
    /// How modules are read: `auto` (v1, else v0), `v0` or `v1`.
    #[arg(long, value_name = "VERSION", default_value = "auto")]
    pub rego: RegoVersion,
    /// Read modules as Rego v0, as before OPA 1.0.
    #[arg(long, conflicts_with = "rego")]
    pub v0_compatible: bool,
    /// As in OPA nothing but what is so anyway; `--v0-compatible` counts beside it.
    #[arg(long)]
    pub v1_compatible: bool,
}

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Everything, as JSON.
    Json,
    /// A JSON array of the expressions' values for each result.
    Values,
    /// A JSON object of the variables for each result.
    Bindings,
    /// For people: the value, or a table.
    Pretty,
    /// Values separated by blanks, strings without quotes: for scripts.
    Raw,
    /// Rego: of partial evaluation only, which there is none of.
    #[value(hide = true)]
    Source,
    /// Nothing but that it was evaluated.
    Discard,
}

impl Rego {
    /// Returns the version of Rego by which policies are read; `--v0-compatible` counts more than `--rego`.
    pub fn version(self) -> RegoVersion {
        if self.v0_compatible { RegoVersion::V0 } else { self.rego }
    }
}

/// A query, compiled and bound to its data and input: it can be evaluated any number of times.
#[derive(Debug)]
pub struct Prepared {
    query: Bound,
    input: Option<Value>,
    keys: Vec<String>,
    /// Lines for standard error that are no errors: which version of Rego each module was read by.
    pub notes: Vec<String>,
}

impl Prepared {
    /// Evaluates the query and returns its results. Fails when the evaluation does, or a limit is reached.
    pub fn ask(&self, limits: &Limits) -> Result<Vec<Row>, EvalError> {
        self.query.evaluate(self.input.as_ref(), limits)
    }

    /// Evaluates the query and writes the lines of `print` to `err`, also when it fails. Returns what the evaluation recorded, beside its
    /// results or its error. Fails when `err` cannot be written.
    fn run(&self, limits: &Limits, wanted: &Wanted, err: &mut dyn Write) -> io::Result<(QueryReport, Result<Vec<Row>, Failure>)> {
        let (mut recorded, rows) = self.query.run(self.input.as_ref(), limits, wanted);
        for line in &recorded.prints {
            writeln!(err, "{}", material::printed(self.keys.iter().map(String::as_str), line))?;
        }
        if let Some(left_out) = recorded.trace.as_ref().map(|trace| trace.left_out).filter(|left_out| *left_out > 0) {
            writeln!(err, "{left_out} more steps are left out")?;
        }
        let failed = |error| Failure { stack_trace: std::mem::take(&mut recorded.stack), ..Failure::from(error) };
        let rows = rows.map_err(failed);
        Ok((recorded, rows))
    }
}

impl Question {
    /// Loads policies, data and input, and compiles the query. Fails with every error of the policies, or the first one of anything else.
    pub fn prepare(&self, stdin: &mut dyn Read) -> Result<Prepared, Vec<Failure>> {
        self.prepare_timed(stdin, &mut Timers::default())
    }

    /// Does the work of [`Question::prepare`], and adds how long its steps took to `timers`.
    fn prepare_timed(&self, stdin: &mut dyn Read, timers: &mut Timers) -> Result<Prepared, Vec<Failure>> {
        let one = |error: LoadError| vec![Failure::from(error)];
        let of_input = |error: LoadError| vec![Failure::of_input(&error)];
        let query = match &self.query {
            Some(query) => query.clone(),
            None => material::bounded("standard input", stdin).map_err(one)?,
        };
        let query = query.trim_start_matches('\u{feff}');
        empty(query)?;
        let rego = self.rego.version();
        let origin = Origin { files: self.data.clone(), bundles: self.bundle.clone(), modules_only: false, rego };
        let material = Material::load(&origin)?;
        let took = [
            ("load_files", !origin.files.is_empty(), material.took.files),
            ("load_bundles", !origin.bundles.is_empty(), material.took.bundles),
        ];
        took.into_iter().filter(|(_, was, _)| *was).for_each(|(step, _, time)| timers.took(step, time));
        let input = match &self.input {
            Some(path) => Some(material::input(path).map_err(of_input)?),
            None if self.stdin_input => Some(material::input_from(stdin).map_err(of_input)?),
            None => None,
        };
        let program = material.compile().map_err(failure::all)?;
        if !material.modules.is_empty() {
            timers.compiled("module", program.times());
        }
        let asked = Asked { package: self.package.clone(), imports: self.import.clone(), ..Asked::new(query) };
        let compiled = Expressions::compile(&program, &asked).map_err(failure::refused)?;
        timers.compiled("query", compiled.times());
        let query = compiled.bind(material.value());
        let keys = material.modules.iter().map(|module| module.key.clone()).collect();
        Ok(Prepared { query, input, keys, notes: material::versions_noted(&program, rego) })
    }
}

/// Fails for an empty query. OPA has another error for a query of nothing but blanks and comments.
fn empty(query: &str) -> Result<(), Vec<Failure>> {
    if query.is_empty() {
        return Err(vec![Failure::plain("cannot evaluate empty query")]);
    }
    if parse::is_blank(query) {
        let code = Some("rego_compile_error".into());
        return Err(vec![Failure { code, ..Failure::plain("empty query cannot be compiled") }]);
    }
    Ok(())
}

/// Evaluates the query and prints the answer. Exit codes are those of `opa eval`. Fails when the output cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    ask(args, &mut std::io::stdin().lock(), out, &mut std::io::stderr())
}

fn ask(args: &Args, stdin: &mut dyn Read, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<ExitCode> {
    if args.format == Format::Source {
        writeln!(err, "error: invalid output format for evaluation")?;
        return Ok(ExitCode::FAILURE);
    }
    // A developer's own machine and query: as long as it takes, within reason.
    let limits = Limits { time: Duration::from_secs(600), output: 256 << 20, strict_builtin_errors: args.strict_builtin_errors };
    let mut timers = Timers::default();
    let (recorded, answer) = match args.question.prepare_timed(stdin, &mut timers) {
        Ok(prepared) => {
            prepared.notes.iter().try_for_each(|note| writeln!(err, "{note}"))?;
            let wanted = args.beside.wanted(args.format);
            let (recorded, rows) = prepared.run(&limits, &wanted, err)?;
            timers.took("query_eval", recorded.took);
            (recorded, rows.map_err(|error| vec![error]))
        }
        Err(errors) => (args.beside.nothing(), Err(errors)),
    };
    let shown = Shown { recorded, metrics: args.beside.shows_metrics().then_some(timers) };
    print::answer(args.format, &answer, &shown, out, err)?;
    let Ok(rows) = answer else { return Ok(ExitCode::from(2)) };
    let failed = if rows.is_empty() { args.fail } else { args.fail_defined };
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
