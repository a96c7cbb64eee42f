//! Options of OPA's subcommands that are not here: whoever types one is told so, instead of being led to one that sounds alike.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Those of `opa eval`, `test`, `check` and `bench` (OPA 1.22, their `--help`) that none of our subcommands has, or not each of these.
const OPTIONS: [&str; 38] = [
    "bench",
    "benchmem",
    "capabilities",
    "config-file",
    "count",
    "coverage-runs",
    "disable-early-exit",
    "disable-indexing",
    "disable-inlining",
    "e2e",
    "entrypoint",
    "exit-zero-on-skipped",
    "fail-on-empty",
    "ignore",
    "instrument",
    "max-errors",
    "metrics",
    "nondeterminstic-builtins",
    "optimize",
    "optimize-store-for-read-speed",
    "parallel",
    "partial",
    "pretty-limit",
    "profile-limit",
    "profile-sort",
    "schema",
    "shallow-inlining",
    "show-builtin-errors",
    "shutdown-grace-period",
    "shutdown-wait-period",
    "sort",
    "strict",
    "target",
    "timeout",
    "unknowns",
    "v0-v1",
    "var-values",
    "watch",
];

/// Returns an error of the command line, with another tip where the option is one of OPA's.
pub(super) fn explained(mut error: clap::Error) -> clap::Error {
    let option = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(option)) if error.kind() == ErrorKind::UnknownArgument => option.clone(),
        _ => return error,
    };
    let name = option.trim_start_matches('-').split('=').next().unwrap_or_default();
    if option.starts_with("--") && OPTIONS.contains(&name) {
        let tip = StyledStr::from(format!("OPA has '--{name}', this command has not: see '--help'"));
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn an_option_of_opas_is_not_taken_for_one_that_sounds_alike() {
        for (line, told, untold) in [
            ("eval --partial data.x", "tip: OPA has '--partial'", "--data"),
            ("check --schema=x y", "tip: OPA has '--schema'", "to pass"),
            ("eval --dota x data.x", "'--data'", "OPA"),
            ("serve --polices=x", "'--policies'", "OPA"),
        ] {
            let error = Cli::try_parse_from(std::iter::once("plimsoll").chain(line.split(' '))).unwrap_err();
            let text = explained(error).to_string();
            let tips: String = text.lines().filter(|line| line.contains("tip:")).collect();
            assert!(tips.contains(told) && !tips.contains(untold), "{line}: {text}");
        }
    }
}
