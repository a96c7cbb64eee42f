//! Globs as tokens: a character, `.` or `[set]`, each once, or with `+` or `*`.

use crate::builtins::BuiltinError;

/// How often a token may stand for a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Once,
    Plus,
    Star,
}

/// Which characters a token stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Character(u32),
    Dot,
    /// Ranges, sorted and apart.
    Set(Vec<(u32, u32)>),
}

/// One token.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) class: Class,
    pub(super) flag: Flag,
}

/// Whether two classes share a character. A dot meets an empty set too, as it does in OPA.
pub(super) fn share(a: &Class, b: &Class) -> bool {
    match (a, b) {
        (Class::Dot, _) | (_, Class::Dot) => true,
        (Class::Character(a), Class::Character(b)) => a == b,
        (Class::Character(c), Class::Set(set)) | (Class::Set(set), Class::Character(c)) => {
            set.iter().any(|(from, to)| from <= c && c <= to)
        }
        (Class::Set(a), Class::Set(b)) => a.iter().any(|a| b.iter().any(|b| a.0 <= b.1 && b.0 <= a.1)),
    }
}

/// The tokens of a glob, where equal flagged neighbours are one.
pub(super) fn glob(text: &str) -> Result<Vec<Token>, BuiltinError> {
    let mut reader = Reader { text, input: text.chars().collect(), at: 0 };
    let mut tokens: Vec<Token> = Vec::new();
    while let Some(token) = reader.token()? {
        match tokens.last_mut() {
            Some(last) if last.flag != Flag::Once && token.flag != Flag::Once && last.class == token.class => {
                if token.flag == Flag::Plus {
                    last.flag = Flag::Plus;
                }
            }
            _ => tokens.push(token),
        }
    }
    Ok(tokens)
}

struct Reader<'t> {
    text: &'t str,
    input: Vec<char>,
    at: usize,
}

impl Reader<'_> {
    /// The next character, and whether it was escaped.
    fn next(&mut self) -> Result<Option<(char, bool)>, BuiltinError> {
        let Some(c) = self.input.get(self.at).copied() else { return Ok(None) };
        if c != '\\' {
            self.at += 1;
            return Ok(Some((c, false)));
        }
        let Some(escaped) = self.input.get(self.at + 1).copied() else {
            return Err(self.invalid("input ends with a \\ (escape) character"));
        };
        self.at += 2;
        Ok(Some((escaped, true)))
    }

    fn token(&mut self) -> Result<Option<Token>, BuiltinError> {
        let Some(next) = self.next()? else { return Ok(None) };
        let class = match next {
            ('.', false) => Class::Dot,
            ('[', false) => self.set()?,
            (']', false) => return Err(self.invalid("set-close ']' with no preceding '['")),
            (flag @ ('+' | '*'), false) => return Err(self.invalid(&format!("flag '{flag}' must be preceded by a non-flag"))),
            (c, _) => Class::Character(u32::from(c)),
        };
        Ok(Some(Token { class, flag: self.flag()? }))
    }

    fn flag(&mut self) -> Result<Flag, BuiltinError> {
        let before = self.at;
        let flag = match self.next()? {
            Some(('+', false)) => Flag::Plus,
            Some(('*', false)) => Flag::Star,
            _ => {
                self.at = before;
                Flag::Once
            }
        };
        Ok(flag)
    }

    fn set(&mut self) -> Result<Class, BuiltinError> {
        let mut ranges = Vec::new();
        let mut previous = None;
        while let Some(next) = self.next()? {
            match next {
                (']', false) => return Ok(Class::Set(apart(ranges))),
                ('-', false) => {
                    let Some(from) = previous.take() else {
                        return Err(self.invalid("range character '-' must be preceded by a Unicode character"));
                    };
                    ranges.push((from, self.range_end(from)?));
                }
                (c, _) => {
                    previous = Some(u32::from(c));
                    ranges.push((u32::from(c), u32::from(c)));
                }
            }
        }
        Err(self.invalid("found [ without matching ]"))
    }

    fn range_end(&mut self, from: u32) -> Result<u32, BuiltinError> {
        let last = self.at + 1 >= self.input.len();
        let Some((to, escaped)) = (if last { None } else { self.next()? }) else {
            return Err(self.invalid("range character '-' must be followed by a Unicode character"));
        };
        if !escaped && matches!(to, ']' | '-') {
            return Err(self.invalid("range character '-' cannot be followed by a special symbol"));
        }
        if u32::from(to) < from {
            let from = char::from_u32(from).unwrap_or(char::REPLACEMENT_CHARACTER);
            return Err(self.invalid(&format!("range is out of order: '{to}' comes before '{from}' in Unicode")));
        }
        Ok(u32::from(to))
    }

    fn invalid(&self, what: &str) -> BuiltinError {
        BuiltinError::failed(format!("input:{}, pos:{}, {what}: the input provided is invalid", self.text, self.at))
    }
}

/// Ranges sorted, and joined where they touch.
fn apart(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let mut joined: Vec<(u32, u32)> = Vec::new();
    for (from, to) in ranges {
        match joined.last_mut() {
            Some(last) if from <= last.1.saturating_add(1) => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}
