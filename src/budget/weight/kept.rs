//! What a JSON text takes while it becomes documents of the state: they are encoded one by one as it is read, and no tree stands in
//! between.
//!
//! Measured like the trees (`tests/node_cost.rs`): all of it is there once, encoded; the document that is being read up to three
//! times, for its memory grows by doubling and is copied in the end; and each document and each object that is taken apart costs
//! what stands around it.

use memchr::memchr;

use super::{DEPTH, end_of_string, margin};

/// Names below `data` from which on nothing is taken apart.
const WHOLE: usize = 4;
/// A document: its name, its two headers, its place among the members of an object.
const DOCUMENT: u64 = 256;
/// An object that is taken apart, from its first member on.
const BRANCH: u64 = 704;
/// A member of an object that is kept whole, while it is open.
const OPEN_MEMBER: u64 = 88;
/// A number with an exponent, written without: `1e15`. What is small keeps its exponent.
const EXPONENT: u64 = 14;
/// `-0` becomes `-0.0`.
const MINUS: u64 = 2;
/// What a character takes less than its escape, at least: `\u0041` is `A`.
const ESCAPE: u64 = 3;
/// The most bytes for each byte of a document, written anew.
const GROWN: u64 = 6;
/// Objects with these names are kept whole wherever they are.
const OBJECT: [&[u8]; 3] = [b"apiVersion", b"kind", b"metadata"];
/// A bit for each of them.
const ALL: u8 = 0b111;

/// Returns bytes while a text is written into the state so many names below `data`. It may be malformed: then this is what is made
/// before that is seen, or more.
pub fn of_documents(text: &[u8], depth: usize) -> u64 {
    let mut scan = Scan { encoded: text.len() as u64, ..Scan::default() };
    let (mut at, mut digits) = (0, false);
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => at += scan.string(text.get(at..).unwrap_or_default()),
            b'{' | b'[' if scan.open.len() >= DEPTH => break,
            b'{' | b'[' => scan.begin(*byte == b'{', at, depth),
            b'}' | b']' => scan.end(at, depth),
            b':' => scan.member(),
            b'-' => scan.encoded = scan.encoded.saturating_add(MINUS),
            b'e' | b'E' if digits && text.get(at) != Some(&b'-') => scan.encoded = scan.encoded.saturating_add(EXPONENT),
            _ => {}
        }
        digits = byte.is_ascii_digit() || (digits && *byte == b'.');
    }
    while !scan.open.is_empty() {
        scan.end(text.len(), depth);
    }
    scan.bytes(text.len() as u64)
}

/// A container that is open.
struct Open {
    object: bool,
    start: usize,
    members: u64,
    /// A bit for each of its names that make an object of Kubernetes.
    named: u8,
    /// It has names with escapes, which may be any.
    escaped: bool,
    /// Documents and branches before it.
    before: (u64, u64),
}

#[derive(Default)]
struct Scan {
    open: Vec<Open>,
    arrays: usize,
    encoded: u64,
    /// The largest document.
    largest: u64,
    documents: u64,
    branches: u64,
    /// What is taken apart of one object, until it turns out that it is kept whole.
    passing: u64,
    /// Of the last text: its bit among the names, and whether it has escapes.
    last: (u8, bool),
    /// Members of the objects that are open, and the most there were.
    members: u64,
    most: u64,
}

impl Scan {
    fn begin(&mut self, object: bool, start: usize, depth: usize) {
        let before = (self.documents, self.branches);
        // Nothing inside of an array is taken apart.
        if object && self.arrays == 0 && depth.saturating_add(self.open.len()) < WHOLE {
            self.branches = self.branches.saturating_add(1);
        }
        self.arrays += usize::from(!object);
        self.open.push(Open { object, start, members: 0, named: 0, escaped: false, before });
    }

    fn end(&mut self, at: usize, depth: usize) {
        let Some(closed) = self.open.pop() else { return };
        self.arrays -= usize::from(!closed.object);
        self.members = self.members.saturating_sub(closed.members);
        let depth = depth.saturating_add(self.open.len());
        let whole = closed.named == ALL;
        if self.arrays == 0 && (!closed.object || depth >= WHOLE || whole || closed.escaped) {
            self.largest = self.largest.max(at.saturating_sub(closed.start) as u64);
        }
        if closed.object && self.arrays == 0 && depth < WHOLE {
            self.documents = self.documents.saturating_add(closed.members);
            self.branches = self.branches.saturating_sub(u64::from(closed.members == 0));
            if whole {
                self.joined(closed.before);
            }
        }
    }

    /// An object was taken apart in vain.
    fn joined(&mut self, (documents, branches): (u64, u64)) {
        let apart = around(self.documents.saturating_sub(documents), self.branches.saturating_sub(branches));
        self.passing = self.passing.max(apart);
        (self.documents, self.branches) = (documents, branches);
    }

    fn member(&mut self) {
        let Some(open) = self.open.last_mut() else { return };
        open.members = open.members.saturating_add(1);
        open.named |= self.last.0;
        open.escaped |= self.last.1;
        self.members = self.members.saturating_add(1);
        self.most = self.most.max(self.members);
    }

    /// Passes over a text; returns its length with the closing quote.
    fn string(&mut self, rest: &[u8]) -> usize {
        let length = end_of_string(rest).unwrap_or(rest.len());
        let text = rest.get(..length).unwrap_or_default();
        let bit = OBJECT.iter().position(|name| *name == text).map_or(0, |at| 1 << at);
        self.last = (bit, memchr(b'\\', text).is_some());
        if self.last.1 {
            self.encoded = self.encoded.saturating_sub(shorter(text));
        }
        if self.arrays == 0 {
            self.largest = self.largest.max(length as u64);
        }
        length.saturating_add(1)
    }

    fn bytes(&self, text: u64) -> u64 {
        let reserve = self.largest.saturating_mul(GROWN).min(self.encoded);
        // Of a text that is no container, or nothing.
        let reserve = if self.largest == 0 { text.min(DOCUMENT) } else { reserve };
        let around = around(self.documents, self.branches).saturating_add(self.passing);
        let growing = reserve.saturating_mul(13) / 5;
        let open = self.most.saturating_mul(OPEN_MEMBER);
        margin(self.encoded.saturating_add(growing).saturating_add(around).saturating_add(open).saturating_add(DOCUMENT))
    }
}

/// Returns by how many bytes a text becomes shorter where its escapes stand for characters that need none.
fn shorter(text: &[u8]) -> u64 {
    let (mut bytes, mut at) = (0_u64, 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        at = at.saturating_add(found);
        match text.get(at..at.saturating_add(5)) {
            // Those of control characters stay.
            Some([b'\\', b'u', b'0', b'0', b'0' | b'1']) => {}
            Some([b'\\', b'u', ..]) => bytes = bytes.saturating_add(ESCAPE),
            _ => {}
        }
        at = at.saturating_add(2);
    }
    bytes
}

/// Returns the bytes around documents and members of branches.
fn around(documents: u64, branches: u64) -> u64 {
    documents.saturating_mul(DOCUMENT).saturating_add(branches.saturating_mul(BRANCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_documents_are_charged_once_and_a_single_one_as_it_grows() {
        let object = format!("{{\"x\":\"{}\"}}", "y".repeat(1000));
        let many = (0..1000).map(|n| format!("\"n{n}\":{object}")).collect::<Vec<_>>().join(",");
        let many = format!("{{{many}}}");
        let bytes = many.len() as u64;
        let apart = of_documents(many.as_bytes(), 3);
        assert!((bytes..bytes * 2).contains(&apart), "{apart} for {bytes}");
        let whole = of_documents(many.as_bytes(), 4);
        assert!((bytes * 3..bytes * 5).contains(&whole), "{whole} for {bytes}");
        let named = many.replacen('{', r#"{"kind":"a","apiVersion":"b","metadata":0,"#, 1);
        assert!(of_documents(named.as_bytes(), 3) > bytes * 3, "an object of Kubernetes is whole");
    }

    #[test]
    fn bad_json_has_a_weight() {
        for text in ["", "[", "{\"a", "]]]", "\"", "\"\\", ",,,", "{]", "::", "[}", "1e5"] {
            assert!(of_documents(text.as_bytes(), 0) < 4000, "{text}");
        }
        let deep = "[".repeat(1 << 20);
        assert!(of_documents(deep.as_bytes(), 0) > 1 << 20);
    }
}
