//! The terms of which recorded calls are made, and a reader of them: no parser of Rego may stand between a builtin and its test.

/// A term without variables.
#[derive(Debug)]
pub(super) enum Term {
    /// `null`, `true`, `false`, or a number.
    Word(String),
    Text(String),
    Array(Vec<Term>),
    Set(Vec<Term>),
    Object(Vec<(Term, Term)>),
    Call(String, Vec<Term>),
}

/// What is left of a text.
struct Reader<'t>(&'t str);

impl Term {
    /// Reads one term that is all of a text.
    pub(super) fn read(text: &str) -> Self {
        let mut reader = Reader(text);
        let term = reader.term();
        assert!(reader.peek().is_none(), "more behind a term: {}", reader.0);
        term
    }
}

impl<'t> Reader<'t> {
    fn peek(&mut self) -> Option<char> {
        self.0 = self.0.trim_start();
        self.0.chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.0 = &self.0[wanted.len_utf8()..];
        }
        found
    }

    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }

    fn term(&mut self) -> Term {
        match self.peek() {
            Some('"') => self.text(),
            Some('`') => self.raw(),
            Some('[') => Term::Array(self.list('[', ']', Self::term)),
            Some('{') => self.braces(),
            _ => self.word(),
        }
    }

    fn list<T>(&mut self, open: char, close: char, item: fn(&mut Self) -> T) -> Vec<T> {
        assert!(self.eat(open), "{open} expected: {}", self.0);
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(item(self));
            if !self.eat(',') {
                assert!(self.eat(close), "{close} expected: {}", self.0);
                break;
            }
        }
        items
    }

    fn text(&mut self) -> Term {
        let mut escaped = false;
        let end = self.0.char_indices().skip(1).find(|(_, c)| {
            let end = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            end
        });
        let written = self.take(end.unwrap().0 + 1);
        Term::Text(serde_json::from_str(written).unwrap())
    }

    fn raw(&mut self) -> Term {
        let end = self.0[1..].find('`').unwrap();
        Term::Text(self.take(end + 2)[1..=end].to_owned())
    }

    /// A set, or an object.
    fn braces(&mut self) -> Term {
        let members = self.list('{', '}', |reader| {
            let key = reader.term();
            let value = reader.eat(':').then(|| reader.term());
            (key, value)
        });
        if members.iter().all(|(_, value)| value.is_some()) {
            return Term::Object(members.into_iter().map(|(key, value)| (key, value.unwrap())).collect());
        }
        Term::Set(members.into_iter().map(|(member, _)| member).collect())
    }

    fn word(&mut self) -> Term {
        let end = self.0.find(|c: char| !(c.is_ascii_alphanumeric() || "._+-".contains(c))).unwrap_or(self.0.len());
        assert!(end > 0, "a term expected: {}", self.0);
        let word = self.take(end).to_owned();
        match self.peek() {
            Some('(') if word == "set" => Term::Set(self.list('(', ')', Self::term)),
            Some('(') => Term::Call(word, self.list('(', ')', Self::term)),
            _ => Term::Word(word),
        }
    }
}
