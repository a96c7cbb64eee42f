//! Logging to standard error, for every subcommand. One event is one line, whatever requests, objects and files hold.

mod fields;
mod line;
mod panics;

use std::io;

use clap::ValueEnum;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::{LevelFilter, ParseError};

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
        // A line that cannot be written is lost: told on the same standard error, that would end the process.
        let builder = tracing_subscriber::fmt().with_env_filter(filter).log_internal_errors(false);
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

/// Why nothing could be logged by a filter.
#[derive(Debug, thiserror::Error)]
enum FilterError {
    /// Not a filter of `tracing`.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// `tracing` takes a word for a module, and logs nothing else.
    #[error("`{0}` is no level: expected one of off, error, warn, info, debug, trace, or MODULE=LEVEL")]
    Level(String),
}

/// Returns a filter of `tracing` without the spaces that it takes for parts of names. Fails when it is none, or has a word that is neither a
/// level nor a module's.
fn filter(text: &str) -> Result<String, FilterError> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let is_plain = |word: &&&str| !word.contains(['=', '[', ':']);
    match words.iter().filter(is_plain).find(|word| word.parse::<LevelFilter>().is_err() || word.is_empty()) {
        Some(word) => Err(FilterError::Level((*word).to_owned())),
        None => {
            let filter = words.join(",");
            Ok(EnvFilter::try_new(&filter).map(|_| filter)?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_level() {
        for text in ["info", "WARN", "off", "plimsoll::server=debug,warn", "plimsoll[span]=info", "hyper::x[r{a}]=debug"] {
            assert_eq!(filter(text).unwrap(), text);
        }
        assert_eq!(filter(" hyper=trace, error ").unwrap(), "hyper=trace,error");
        for (text, word) in [("warning", "warning"), ("", ""), ("plimsoll=debug,verbose", "verbose"), ("info,", "")] {
            let error = filter(text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{word}` is no level: expected one of off, error")), "{text}: {error}");
        }
        assert!(filter("plimsoll::server=foo").is_err());
    }
}
