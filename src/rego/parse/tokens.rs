//! The tokens of a Rego module, found without recursion: what must be known of a text before a recursive parser sees it.

/// What a token is, as far as nesting and layout are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rego) enum Kind {
    /// `(`, `[` or `{`.
    Open,
    /// `)`, `]` or `}`.
    Close,
    /// A name or a keyword.
    Name,
    /// A number.
    Number,
    /// A quoted or raw string, with its quotes.
    String,
    /// Anything else: operators and separators, one or two characters.
    Symbol,
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub(in crate::rego) struct Token<'t> {
    pub(in crate::rego) kind: Kind,
    pub(in crate::rego) text: &'t str,
    /// Byte offset of its first character.
    pub(in crate::rego) start: usize,
    /// Line, from 1.
    pub(in crate::rego) row: u32,
}

impl Token<'_> {
    /// Offset after its last byte.
    pub(in crate::rego) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Ends an operand: after it comes an operator, a separator, or another statement.
    pub(in crate::rego) fn ends_operand(&self) -> bool {
        match self.kind {
            Kind::Close | Kind::Number | Kind::String => true,
            Kind::Name => !matches!(self.text, "as" | "default" | "else" | "import" | "not" | "package" | "some" | "with"),
            Kind::Open | Kind::Symbol => false,
        }
    }

    /// Whether an operand comes next: this is no operand, nor the end of one.
    pub(in crate::rego) fn awaits_operand(&self) -> bool {
        !self.ends_operand() || self.kind == Kind::Name && matches!(self.text, "contains" | "every" | "if" | "in")
    }
}

/// Whether an operand comes behind these tokens; a keyword behind a dot is a name.
pub(super) fn await_operand(before: &[Token<'_>]) -> bool {
    match before {
        [.., dot, name] if dot.text == "." && name.kind == Kind::Name => false,
        [.., last] => last.awaits_operand(),
        [] => true,
    }
}

/// Splits a text into tokens; comments and white space fall away, malformed input never stops it.
#[derive(Clone, Debug)]
pub(in crate::rego) struct Tokens<'t> {
    text: &'t str,
    at: usize,
    row: u32,
}

/// A statement without the white space, comments and separators around it.
pub(in crate::rego) fn statement(text: &str) -> &str {
    let meant = Tokens::new(text).filter(|token| token.text != ";");
    let (start, end) = meant.fold((text.len(), 0), |(start, end), token| (start.min(token.start), end.max(token.end())));
    text.get(start..end).unwrap_or_default()
}

impl<'t> Tokens<'t> {
    pub(in crate::rego) fn new(text: &'t str) -> Self {
        Self { text, at: 0, row: 1 }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let Some(first) = rest.chars().next() else { return };
            match first {
                '\n' => {
                    self.row += 1;
                    self.at += 1;
                }
                '#' => self.at += rest.find('\n').unwrap_or(rest.len()),
                c if c.is_whitespace() || c == '\u{feff}' => self.at += c.len_utf8(),
                _ => return,
            }
        }
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        self.skip_blank();
        let rest = self.rest();
        let first = rest.chars().next()?;
        let (kind, len) = match first {
            '(' | '[' | '{' => (Kind::Open, 1),
            ')' | ']' | '}' => (Kind::Close, 1),
            '"' => (Kind::String, quoted(rest)),
            '`' => (Kind::String, rest.get(1..).and_then(|r| r.find('`')).map_or(rest.len(), |end| end + 2)),
            '0'..='9' => (Kind::Number, number(rest)),
            c if is_name(c) => (Kind::Name, rest.find(|c| !is_name(c)).unwrap_or(rest.len())),
            _ if [":=", "==", "!=", "<=", ">="].iter().any(|op| rest.starts_with(op)) => (Kind::Symbol, 2),
            c => (Kind::Symbol, c.len_utf8()),
        };
        let token = Token { kind, text: rest.get(..len).unwrap_or(rest), start: self.at, row: self.row };
        self.row += u32::try_from(token.text.matches('\n').count()).unwrap_or(u32::MAX);
        self.at += len;
        Some(token)
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Length of a quoted string; one that is not closed ends with its line.
fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Length of a number, with fraction and exponent.
fn number(rest: &str) -> usize {
    let mut before = ' ';
    for (at, c) in rest.char_indices() {
        let signed = matches!(c, '+' | '-') && matches!(before, 'e' | 'E');
        let fraction = c == '.' && rest.get(at + 1..).is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
        if !(is_name(c) || signed || fraction) {
            return at;
        }
        before = c;
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        Tokens::new(text).map(|token| token.text).collect()
    }

    #[test]
    fn splits_what_rego_is_made_of() {
        for (text, expected) in [
            ("a.b[0]:=1", vec!["a", ".", "b", "[", "0", "]", ":=", "1"]),
            ("x # ( [ {\ny", vec!["x", "y"]),
            (r#"["\"(", `a"(` ]"#, vec!["[", r#""\"(""#, ",", r#"`a"(`"#, "]"]),
            ("1.5e-3-2", vec!["1.5e-3", "-", "2"]),
            ("\"open\nx", vec!["\"open", "x"]),
            ("`open (\n", vec!["`open (\n"]),
            ("é!=ü", vec!["é", "!=", "ü"]),
        ] {
            assert_eq!(texts(text), expected, "{text}");
        }
    }

    #[test]
    fn counts_rows_through_raw_strings() {
        let rows: Vec<_> = Tokens::new("a\n`x\ny`\nb").map(|token| (token.text, token.row)).collect();
        assert_eq!(rows, [("a", 1), ("`x\ny`", 2), ("b", 4)]);
    }
}
