//! Globs of `glob.match` as regular expressions (OPA: `gobwas/glob`, `syntax/lexer.go` and `parse.go`).

use crate::builtins::BuiltinError;

const ANY: &str = "(?s:.)";
const ENDED: &str = "unexpected end of input";

/// A glob as it is read.
struct Reader<'g> {
    glob: &'g str,
    rest: &'g str,
    /// What `?` matches.
    one: String,
    /// How many braces are open.
    open: usize,
}

/// The expression that matches what a glob matches: the whole of a text.
pub(super) fn expression(glob: &str, separators: &[char]) -> Result<String, BuiltinError> {
    let mut reader = Reader { glob, rest: glob, one: one(separators), open: 0 };
    let mut expression = String::from(r"\A(?:");
    while let Some(c) = reader.next() {
        reader.part(c, &mut expression)?;
    }
    if reader.open > 0 {
        return Err(reader.error("unclosed `{`"));
    }
    expression.push_str(r")\z");
    Ok(expression)
}

/// Any character but the separators.
fn one(separators: &[char]) -> String {
    if separators.is_empty() {
        return ANY.to_owned();
    }
    let codes = separators.iter().map(|c| code(*c)).collect::<String>();
    format!("[^{codes}]")
}

fn code(c: char) -> String {
    format!(r"\x{{{:X}}}", u32::from(c))
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next()?;
        self.rest = characters.as_str();
        Some(next)
    }

    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn error(&self, reason: &str) -> BuiltinError {
        let at = self.glob.len().saturating_sub(self.rest.len());
        BuiltinError::failed(format!("glob: syntax error at {at}: {reason}"))
    }

    fn part(&mut self, c: char, out: &mut String) -> Result<(), BuiltinError> {
        match c {
            '*' if self.take("*") => out.extend([ANY, "*"]),
            '*' => out.extend([&self.one, "*"]),
            '?' => out.push_str(&self.one),
            '[' => out.push_str(&self.class()?),
            '{' => {
                self.open += 1;
                out.push_str("(?:");
            }
            ',' if self.open > 0 => out.push('|'),
            '}' if self.open > 0 => {
                self.open -= 1;
                out.push(')');
            }
            '\\' => match self.next() {
                Some(escaped) => out.push_str(&code(escaped)),
                None => return Err(self.error("trailing backslash")),
            },
            c => out.push_str(&code(c)),
        }
        Ok(())
    }

    /// `[a-z]` or `[abc]`, after the bracket; `!` is not. As in OPA the bracket is missed before what is inside it.
    fn class(&mut self) -> Result<String, BuiltinError> {
        let not = if self.take("!") { "^" } else { "" };
        let range = self.range()?;
        let set = if range.is_none() { self.set()? } else { String::new() };
        match self.next() {
            Some(']') => {}
            Some(_) => return Err(self.error("expected close range character")),
            None => return Err(self.error(ENDED)),
        }
        match range {
            Some((low, high)) if high < low => Err(self.error("range hi character is less than lo")),
            Some((low, high)) => Ok(format!("[{not}{}-{}]", code(low), code(high))),
            None if set.is_empty() => Err(self.error("could not parse range")),
            None => Ok(format!("[{not}{set}]")),
        }
    }

    /// Two characters with `-` between them, whatever they are.
    fn range(&mut self) -> Result<Option<(char, char)>, BuiltinError> {
        let before = self.rest;
        let low = self.next().ok_or_else(|| self.error(ENDED))?;
        if !self.take("-") {
            self.rest = before;
            return Ok(None);
        }
        let high = self.next().ok_or_else(|| self.error(ENDED))?;
        Ok(Some((low, high)))
    }

    /// Characters up to the bracket.
    fn set(&mut self) -> Result<String, BuiltinError> {
        let mut members = String::new();
        while !self.rest.starts_with(']') {
            let Some(c) = self.next() else { break };
            let member = if c == '\\' { self.next().ok_or_else(|| self.error(ENDED))? } else { c };
            members.push_str(&code(member));
        }
        Ok(members)
    }
}
