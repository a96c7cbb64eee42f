//! Turns the parser's error text into a diagnostic.

use plimsoll_contract::policy::Diagnostic;

use super::{Text, bodies};

/// How the parser begins an error when it takes a body for a literal.
const GIVEN_UP: &str = "try pars";

/// The parser says `--> file:row:col`, a picture, and `error: message`; or `file:row:col error: message`.
pub(super) fn diagnostic(error: &str, text: &Text<'_>) -> Diagnostic {
    let Some((row, col)) = place(error, text.key) else {
        return match bodies::literal(text.text).filter(|_| error.starts_with(GIVEN_UP)) {
            Some((at, why)) => text.error(at, why.to_owned()),
            None => text.error(0, message(error)),
        };
    };
    let (row, col) = text.written.map_or((row, col), |written| written.original(row, col));
    let line = text.lines.line(text.given(), row);
    text.error_at(row, characters(line, col), message(error))
}

/// Whether the error is that of a name which only Rego v0 allows, `input`, `data` or `contains`: no reason to take a module for v0.
pub(super) fn is_of_name(error: &Diagnostic) -> bool {
    NAMES.iter().any(|end| error.message.ends_with(end))
}

/// How such errors end.
const NAMES: [&str; 2] = [" cannot be shadowed", super::declarations::NO_NAME];

fn place(error: &str, key: &str) -> Option<(u32, u32)> {
    let after = error.find(key).and_then(|at| error.get(at + key.len()..))?.strip_prefix(':')?;
    let mut numbers = after.splitn(3, |c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn message(error: &str) -> String {
    let start = error.find("error: ").map_or(0, |at| at + "error: ".len());
    let first = error.get(start..).and_then(|rest| rest.split("\n-->").next()).unwrap_or(error);
    first.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The parser's columns count a tab as four and other characters by bytes.
fn characters(line: &str, col: u32) -> u32 {
    let mut width = 1_u32;
    let mut count = 1;
    for c in line.chars() {
        if width >= col {
            break;
        }
        width += if c == '\t' { 4 } else { u32::try_from(c.len_utf8()).unwrap_or(1) };
        count += 1;
    }
    count
}
