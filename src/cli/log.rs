//! Logging to standard error, for every subcommand. One event is one line, whatever requests, objects and files hold.

mod fields;
mod line;
mod panics;

use std::io;

use clap::ValueEnum;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

/// How to log.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Form of the log on standard error.
    #[arg(long, global = true, value_enum, default_value = "text", env = "PLIMSOLL_LOG_FORMAT", help_heading = "Log")]
    pub log_format: Format,
    /// What is logged, by default `info` (`dev`: `warn`): `error`, `warn`, `info`, `debug`, `trace`, or per module as
    /// `plimsoll::server=debug`.
    #[arg(long, global = true, value_name = "FILTER", env = "PLIMSOLL_LOG_LEVEL")]
    #[arg(value_parser = filter, help_heading = "Log")]
    pub log_level: Option<String>,
}

/// Form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

impl Args {
    /// Begins to write events to standard error; `default` is the filter without `--log-level`. Only the first call in a process has an
    /// effect.
    pub fn install(&self, default: &str) {
        let filter = EnvFilter::try_new(self.log_level.as_deref().unwrap_or(default)).unwrap_or_else(|_| EnvFilter::new("info"));
        let builder = tracing_subscriber::fmt().with_env_filter(filter);
        let installed = match self.log_format {
            Format::Text => {
                let ansi = io::IsTerminal::is_terminal(&io::stderr());
                builder.with_writer(io::stderr).fmt_fields(fields::Escaped).with_ansi(ansi).try_init()
            }
            Format::Json => builder.with_writer(|| line::Json(io::stderr())).json().try_init(),
        };
        if installed.is_ok() {
            panics::log();
        }
    }
}

/// Returns the text if it is a filter of `tracing`. Fails when it is none.
fn filter(text: &str) -> Result<String, ParseError> {
    EnvFilter::try_new(text).map(|_| text.to_owned())
}
