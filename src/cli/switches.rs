//! Switches with a value, such as `--fail=false`: OPA's command line takes them, with every word that Go accepts as a boolean.

use std::ffi::{OsStr, OsString};

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, Command};

/// The subcommands that OPA has, too.
const OPAS: [&str; 4] = ["bench", "check", "eval", "test"];

/// Returns the arguments as clap takes them: a switch that is on without its value, and none that is off. Of several values of one switch
/// the last counts.
pub fn plain(args: Vec<OsString>, root: &Command) -> Vec<OsString> {
    let at = args.iter().position(|arg| arg.to_str().is_some_and(|arg| OPAS.contains(&arg)));
    let found = at.and_then(|at| Some((at, root.find_subcommand(args.get(at)?)?)));
    let Some((at, command)) = found else { return args };
    let mut plain = Vec::with_capacity(args.len());
    let mut open = true;
    for (index, arg) in args.into_iter().enumerate() {
        open &= arg != "--";
        match valued(command, &arg).filter(|_| open && index > at) {
            Some((switch, on)) => set(&mut plain, switch, on),
            None => plain.push(arg),
        }
    }
    plain
}

fn valued<'c>(command: &'c Command, arg: &OsStr) -> Option<(&'c Arg, bool)> {
    let (name, value) = arg.to_str()?.split_once('=')?;
    // Go: `strconv.ParseBool`.
    let on = match value {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => true,
        "0" | "f" | "F" | "FALSE" | "false" | "False" => false,
        _ => return None,
    };
    let switch = command.get_arguments().find(|switch| names(switch).contains(&name.into()))?;
    let is_switch = matches!(switch.get_action(), ArgAction::SetTrue) || is_bool(switch.get_value_parser());
    is_switch.then_some((switch, on))
}

fn set(plain: &mut Vec<OsString>, switch: &Arg, on: bool) {
    let names = names(switch);
    let Some(long) = names.first() else { return };
    if !matches!(switch.get_action(), ArgAction::SetTrue) {
        plain.push(format!("{long}={on}").into());
    } else if on {
        plain.push(long.into());
    } else {
        plain.retain(|arg| !names.iter().any(|name| arg == name.as_str()));
    }
}

fn is_bool(parser: &ValueParser) -> bool {
    parser.type_id() == clap::builder::ValueParser::bool().type_id()
}

/// Returns the spellings of a switch, `--long` and `-s`.
fn names(switch: &Arg) -> Vec<String> {
    let long = switch.get_long().map(|long| format!("--{long}"));
    long.into_iter().chain(switch.get_short().map(|short| format!("-{short}"))).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn a_switch_takes_a_value() {
        let table = [
            ("eval --fail=true 1", "eval --fail 1"),
            ("eval --fail --fail=f 1", "eval 1"),
            ("eval --fail=0 --fail=T 1", "eval --fail 1"),
            ("eval -I=1 --strict-builtin-errors=False 1", "eval --stdin-input 1"),
            ("eval --fail=x 1", "eval --fail=x 1"),
            ("eval -- --fail=true", "eval -- --fail=true"),
            ("eval --format=true 1", "eval --format=true 1"),
            ("bench --fail=0 1", "bench --fail=false 1"),
            ("check -S --strict=false a", "check a"),
            ("test -v=1 --bundle=t a", "test --verbose --bundle a"),
            ("serve --tls=true", "serve --tls=true"),
        ];
        for (given, expected) in table {
            let args = std::iter::once("plimsoll").chain(given.split(' ')).map(OsString::from).collect();
            let plain: Vec<_> = plain(args, &Cli::command()).into_iter().skip(1).map(|arg| arg.into_string().unwrap()).collect();
            assert_eq!(plain.join(" "), expected, "{given}");
        }
    }
}
