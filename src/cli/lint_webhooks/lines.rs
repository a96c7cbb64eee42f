//! Finds the line of a file on which a field stands.

use std::collections::BTreeMap;

use granit_parser::{Event, Parser};

/// How deep collections may nest; the lines of deeper ones are not known.
const DEEPEST: usize = 128;

/// The lines of one file, for each of its documents.
#[derive(Debug, Default)]
pub(super) struct Lines(Vec<Document>);

/// The lines of one document: numbers from 1 by the JSON pointers of its fields.
#[derive(Debug, Default)]
struct Document {
    lines: BTreeMap<String, usize>,
    /// JSON pointers of fields that the document has more than once.
    twice: Vec<String>,
}

/// Collects the lines while the parser goes through a text.
#[derive(Default)]
struct Reader {
    documents: Vec<Document>,
    open: Vec<Open>,
    /// Steps of the JSON pointer from the document down to the current value.
    path: Vec<String>,
}

/// A list or map whose end was not read yet.
enum Open {
    Sequence(usize),
    /// The key whose value comes next with its line; `None` where a key comes next.
    Mapping(Option<(String, usize)>),
}

impl Lines {
    /// Reads the lines of a YAML or JSON text. What follows a syntax error has none.
    pub(super) fn of(text: &str) -> Self {
        let mut reader = Reader::default();
        for event in Parser::new_from_str(text) {
            let Ok((event, span)) = event else { break };
            if !reader.event(&event, span.start.line()) {
                break;
            }
        }
        Self(reader.documents)
    }

    /// Returns the line of a field in the document that holds line `start`. For a field that is not there, returns the line of the
    /// nearest field around it, or `start`.
    pub(super) fn at(&self, start: usize, pointer: &str) -> usize {
        let Some(document) = self.document(start) else { return start };
        let mut pointer = pointer;
        loop {
            match (document.lines.get(pointer), pointer.rsplit_once('/')) {
                (Some(line), _) => return *line,
                (None, Some((around, _))) => pointer = around,
                (None, None) => return start,
            }
        }
    }

    /// Returns the JSON pointers of the fields below `prefix` that the document around line `start` has more than once; `prefix` is cut
    /// off.
    pub(super) fn twice<'a>(&'a self, start: usize, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        let twice = self.document(start).map(|document| document.twice.as_slice()).unwrap_or_default();
        twice.iter().filter_map(move |pointer| pointer.strip_prefix(prefix))
    }

    fn document(&self, start: usize) -> Option<&Document> {
        self.0.iter().rev().find(|document| document.lines.get("").is_some_and(|line| *line <= start))
    }
}

impl Reader {
    /// Takes the next event of the parser. Returns `false` if collections nest too deep to go on.
    fn event(&mut self, event: &Event<'_>, line: usize) -> bool {
        match event {
            Event::DocumentStart(..) => {
                self.documents.push(Document::default());
                (self.open, self.path) = (Vec::new(), Vec::new());
            }
            Event::Scalar(text, ..) if self.is_key(text, line) => {}
            Event::Scalar(..) | Event::Alias(_) => {
                self.node(line);
                self.path.pop();
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                self.node(line);
                let is_sequence = matches!(event, Event::SequenceStart(..));
                self.open.push(if is_sequence { Open::Sequence(0) } else { Open::Mapping(None) });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.open.pop();
                self.path.pop();
            }
            _ => {}
        }
        self.open.len() <= DEEPEST
    }

    /// Remembers a text as a key, if the parser is in a map in which a key comes next. Returns whether it did.
    fn is_key(&mut self, text: &str, line: usize) -> bool {
        let Some(Open::Mapping(key @ None)) = self.open.last_mut() else { return false };
        *key = Some((text.replace('~', "~0").replace('/', "~1"), line));
        true
    }

    /// Records the line of a value that begins here: that of its key, if it has one.
    fn node(&mut self, line: usize) {
        let (step, line) = match self.open.last_mut() {
            Some(Open::Sequence(next)) => {
                *next += 1;
                (format!("/{}", *next - 1), line)
            }
            Some(Open::Mapping(key)) => key.take().map_or((String::new(), line), |(key, at)| (format!("/{key}"), at)),
            None => (String::new(), line),
        };
        self.path.push(step);
        if let Some(document) = self.documents.last_mut() {
            let pointer = self.path.concat();
            if document.lines.insert(pointer.clone(), line).is_some() {
                document.twice.push(pointer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_stands_where_its_key_does() {
        let yaml = "# first\nkind: A\nwebhooks:\n- name: x\n  rules:\n  - resources: ['*']\n    operations:\n    - CREATE\n---\nkind: B\nlist: [1,\n 2]\n";
        let lines = Lines::of(yaml);
        let table = [
            (2, "/webhooks/0", 4),
            (2, "/webhooks/0/name", 4),
            (2, "/webhooks/0/rules/0/operations/0", 8),
            (2, "/webhooks/0/timeoutSeconds", 4),
            (2, "/none", 2),
            (10, "/list/1", 12),
            (10, "/kind", 10),
        ];
        for (start, pointer, line) in table {
            assert_eq!(lines.at(start, pointer), line, "{start} {pointer}");
        }
        let twice = Lines::of("a: {b: 1, b: 2}\nc: 1\na: 2\n---\nd: 1\n");
        assert_eq!(
            (twice.twice(1, "").collect::<Vec<_>>(), twice.twice(1, "/a").collect::<Vec<_>>()),
            (vec!["/a/b", "/a"], vec!["/b", ""])
        );
        assert_eq!(twice.twice(5, "").count(), 0);
        assert_eq!(Lines::of("{\"a\":\n{\"b\": 1}}").at(1, "/a/b"), 2);
        assert_eq!(Lines::of("\t[").at(7, "/x"), 7, "what cannot be read has no lines");
    }
}
