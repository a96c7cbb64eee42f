//! What begins with `(?`: flags, groups, names (Go: `parsePerlFlags`).

use super::reader::{PatternError, Reader};

const NAME: &str = "invalid named capture";
const PERL: &str = "invalid or unsupported Perl syntax";

/// What a pattern has switched on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    /// `i`: ignore case.
    pub(super) fold: bool,
    /// `m`: `^` and `$` are at lines.
    pub(super) lines: bool,
    /// `s`: `.` is also the end of a line.
    pub(super) all: bool,
    /// `U`: repetitions take the least.
    pub(super) least: bool,
}

/// What was opened.
pub(super) enum Opened {
    /// A group that is remembered under a name.
    Named(String),
    /// A group that is not remembered, with these flags in it.
    Group(Flags),
    /// No group: the flags are other ones from here on.
    Flags(Flags),
}

/// Reads from `(?` to the colon, the closing parenthesis, or the end of the name.
pub(super) fn opened(reader: &mut Reader<'_>, flags: Flags) -> Result<Opened, PatternError> {
    let before = reader.rest;
    let named = ["(?P<", "(?<"].iter().find_map(|start| before.strip_prefix(start));
    if let Some(name) = named.filter(|name| !name.is_empty()) {
        return self::named(reader, before, name);
    }
    reader.take("(?");
    let (mut flags, mut on, mut seen) = (flags, true, false);
    while let Some(c) = reader.next() {
        match c {
            '-' if on => (on, seen) = (false, false),
            ':' | ')' if !on && !seen => break,
            ':' => return Ok(Opened::Group(flags)),
            ')' => return Ok(Opened::Flags(flags)),
            other => match flags.named(other) {
                Some(flag) => (*flag, seen) = (on, true),
                None => break,
            },
        }
    }
    Err(PatternError::syntax(PERL, reader.since(before)))
}

impl Flags {
    fn named(&mut self, c: char) -> Option<&mut bool> {
        match c {
            'i' => Some(&mut self.fold),
            'm' => Some(&mut self.lines),
            's' => Some(&mut self.all),
            'U' => Some(&mut self.least),
            _ => None,
        }
    }
}

fn named<'p>(reader: &mut Reader<'p>, before: &'p str, name: &'p str) -> Result<Opened, PatternError> {
    let Some((name, rest)) = name.split_once('>') else { return Err(PatternError::syntax(NAME, before)) };
    reader.rest = rest;
    if name.is_empty() || !name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
        return Err(PatternError::syntax(NAME, reader.since(before)));
    }
    Ok(Opened::Named(name.to_owned()))
}
