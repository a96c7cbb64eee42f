//! Go's regular expressions as those of the `regex` crate: the same answers from another library.
//!
//! Every part says what it is whatever flags are set: `.` is `(?-s:.)`, `$` is `\z`, a letter of any case `(?i:a)`. Nothing
//! recurses; what nests too deeply ends the evaluation.

use super::classes;
use super::escapes;
use super::flags::{self, Flags, Opened};
use super::groups::{Group, Part};
use super::reader::{PatternError, Reader};
use super::repeats::{self, Repeat};

/// Groups and repetitions inside one another (Go: `maxHeight`).
const DEEPEST: u32 = 1000;

const MISSING_PAREN: &str = "missing closing )";
const UNEXPECTED_PAREN: &str = "unexpected )";
const NO_ARGUMENT: &str = "missing argument to repetition operator";
const NESTED: &str = "invalid nested repetition operator";
const COUNT: &str = "invalid repeat count";

/// A pattern for the crate.
#[derive(Debug)]
pub(super) struct Translation {
    pub(super) regex: String,
    /// The names of the groups by number, beginning with the whole; those without a name are empty.
    pub(super) names: Vec<String>,
    /// How many characters and looks it is when all repetitions are written out.
    pub(super) size: u64,
}

struct Translator<'p> {
    whole: &'p str,
    reader: Reader<'p>,
    flags: Flags,
    /// The groups around the innermost.
    around: Vec<Group>,
    group: Group,
    names: Vec<String>,
}

/// Reads Go's syntax, and says what Go says.
pub(super) fn translate(pattern: &str) -> Result<Translation, PatternError> {
    let flags = Flags::default();
    let (reader, group) = (Reader { rest: pattern }, Group::new("", flags));
    let mut translator = Translator { whole: pattern, reader, flags, around: Vec::new(), group, names: vec![String::new()] };
    let mut repeated = None;
    while !translator.reader.rest.is_empty() {
        repeated = translator.part(repeated)?;
    }
    if !translator.around.is_empty() {
        return Err(PatternError::syntax(MISSING_PAREN, pattern));
    }
    translator.group.write();
    Ok(Translation { regex: translator.group.text, names: translator.names, size: translator.group.size })
}

impl<'p> Translator<'p> {
    fn too_deep(&self) -> PatternError {
        PatternError::syntax("expression nests too deeply", self.whole)
    }

    /// One part; `repeated` is where the repetition begins that is right before it. The same for the next part.
    fn part(&mut self, repeated: Option<&'p str>) -> Result<Option<&'p str>, PatternError> {
        let before = self.reader.rest;
        if let Some(repeat) = repeats::next(&mut self.reader)? {
            self.repeat(&repeat, before, repeated)?;
            return Ok(Some(before));
        }
        match before.chars().next() {
            Some('(') => self.open()?,
            Some('[') => {
                let class = classes::bracketed(&mut self.reader)?;
                self.push(&class);
            }
            Some('\\') => self.escape()?,
            _ => self.character()?,
        }
        Ok(None)
    }

    fn character(&mut self) -> Result<(), PatternError> {
        match self.reader.next() {
            Some('|') => {
                self.group.write();
                self.group.text.push('|');
            }
            Some(')') => self.close()?,
            Some('^') => self.push_plain(if self.flags.lines { "(?m:^)" } else { r"\A" }),
            Some('$') => self.push_plain(if self.flags.lines { "(?m:$)" } else { r"\z" }),
            Some('.') => self.push_plain(if self.flags.all { "(?s:.)" } else { "(?-s:.)" }),
            Some(c) => self.literal(c.into()),
            None => {}
        }
        Ok(())
    }

    fn literal(&mut self, code: u32) {
        match char::from_u32(code) {
            Some(c) => self.push(&regex::escape(c.encode_utf8(&mut [0; 4]))),
            None => self.push_plain(classes::NOTHING),
        }
    }

    /// A part whose letters have a case.
    fn push(&mut self, text: &str) {
        if self.flags.fold { self.push_plain(&format!("(?i:{text})")) } else { self.push_plain(text) }
    }

    fn push_plain(&mut self, text: &str) {
        self.group.push(Part { text: text.to_owned(), copies: 1, depth: 0, size: 1 });
    }

    fn escape(&mut self) -> Result<(), PatternError> {
        const LOOKS: [(&str, &str); 4] = [(r"\A", r"\A"), (r"\b", r"(?-u:\b)"), (r"\B", r"(?-u:\B)"), (r"\z", r"\z")];
        if let Some((_, look)) = LOOKS.iter().find(|(escape, _)| self.reader.take(escape)) {
            self.push_plain(look);
        } else if self.reader.take(r"\Q") {
            let (text, rest) = self.reader.rest.split_once(r"\E").unwrap_or((self.reader.rest, ""));
            self.reader.rest = rest;
            text.chars().for_each(|c| self.literal(c.into()));
        } else if let Some(class) = classes::escaped(&mut self.reader)? {
            self.push(&class);
        } else {
            let code = escapes::character(&mut self.reader)?;
            self.literal(code);
        }
        Ok(())
    }

    fn open(&mut self) -> Result<(), PatternError> {
        let outside = self.flags;
        let mut open = "(";
        if self.reader.rest.starts_with("(?") {
            match flags::opened(&mut self.reader, outside)? {
                Opened::Flags(flags) => {
                    self.flags = flags;
                    return Ok(());
                }
                Opened::Group(flags) => (open, self.flags) = ("(?:", flags),
                Opened::Named(name) => self.names.push(name),
            }
        } else {
            self.reader.next();
            self.names.push(String::new());
        }
        let group = std::mem::replace(&mut self.group, Group::new(open, outside));
        self.around.push(group);
        if self.around.len() >= DEEPEST as usize { Err(self.too_deep()) } else { Ok(()) }
    }

    fn close(&mut self) -> Result<(), PatternError> {
        let around = self.around.pop().ok_or_else(|| PatternError::syntax(UNEXPECTED_PAREN, self.whole))?;
        let mut group = std::mem::replace(&mut self.group, around);
        group.write();
        group.text.push(')');
        self.flags = group.outside;
        self.deeper(Part { text: group.text, copies: group.copies, depth: group.depth, size: group.size })
    }

    fn deeper(&mut self, part: Part) -> Result<(), PatternError> {
        let depth = part.depth.saturating_add(1);
        self.group.push(Part { depth, ..part });
        if depth >= DEEPEST { Err(self.too_deep()) } else { Ok(()) }
    }

    /// Go's `repeat`; `before` begins with the repetition.
    fn repeat(&mut self, repeat: &Repeat, before: &'p str, repeated: Option<&'p str>) -> Result<(), PatternError> {
        let least = self.reader.take("?") != self.flags.least;
        if let Some(repeated) = repeated {
            return Err(PatternError::syntax(NESTED, self.reader.since(repeated)));
        }
        let text = self.reader.since(before);
        let part = self.group.last.take().ok_or_else(|| PatternError::syntax(NO_ARGUMENT, text))?;
        let copies = repeat.copies(part.copies).ok_or_else(|| PatternError::syntax(COUNT, text))?;
        let text = format!("(?:{}){repeat}{}", part.text, if least { "?" } else { "" });
        self.deeper(Part { text, copies, depth: part.depth, size: part.size.saturating_mul(repeat.times()) })
    }
}
