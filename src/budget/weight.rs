//! What a JSON text takes once it is parsed: found from the text, before anything is built.
//!
//! Measured with serde_json's values and Rego's (`tests/node_cost.rs` holds these figures to what is measured): an object takes a
//! node of its B-tree, 640 bytes, for a single member; an element of an array 32 bytes. So a 2 MB list of `{"a":0}` takes 170 MB
//! as a tree, and 500 MB while it is decided: the object, its normal form, and the input of the policy.

mod kept;

pub use kept::of_documents;

use memchr::memchr2;

/// A leaf of a B-tree with names and values: room for eleven.
const LEAF: u64 = 640;
/// A leaf of a B-tree that has grown is half full; what is above the leaves is part of it.
const MEMBER: u64 = 128;
/// Members of an object that one leaf holds.
const IN_LEAF: u64 = 11;
/// Two leaves and the node above them.
const GROWN: u64 = 2048;
/// An element of an array.
const ELEMENT: u64 = 32;
/// What the allocator adds to a small text.
const TEXT: u64 = 16;
/// An element of an array as a value of Rego; an array; an object; a member, as if no other object had one of its name; a member of a large
/// object; a text; a number that is no integer of 64 bits, which is kept as it is written.
const VALUE: u64 = 24;
const ARRAY: u64 = 72;
const OBJECT: u64 = 208;
const NAMED: u64 = 64;
const NAMED_OF_MANY: u64 = 192;
const OWN_TEXT: u64 = 48;
const NUMBER: u64 = 72;
/// Integers of more digits may be beyond 64 bits.
const DIGITS: u64 = 18;
/// More members than that are many.
const MANY: u64 = 16;
/// A document of the state that stands alone: those of the upper levels do.
const DOCUMENT: u64 = 256;
/// How deep documents of the state stand alone, of a text that is put at the root.
const SHALLOW: usize = 4;
/// What one node of a YAML text takes: the reader's event, its value, and JSON's.
const YAML_NODE: u64 = 512;
/// So many times, at most, the reader repeats what aliases stand for.
const REPEATED: u64 = 100;
/// Bytes for each byte of policies, of their trees and what is made of them, while they are compiled. Dense ones take twice as much:
/// those end at the limit that evaluation has for itself.
const COMPILED: u64 = 256;
/// Deeper text is refused by every parser before more of it is built.
const DEPTH: usize = 128;

/// Bytes while policies of such a text are parsed and compiled.
pub fn of_policies(text: usize) -> u64 {
    (text as u64).saturating_mul(COMPILED)
}

/// The content of a JSON text, counted. The text may be malformed: then this is what a parser builds before it sees that, or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// Bytes as a tree of serde_json.
    tree: u64,
    /// Bytes as a value of Rego.
    value: u64,
    /// Members and elements of the upper levels.
    shallow: u64,
    /// Bytes of the text.
    text: u64,
}

/// A container that is open.
struct Open {
    object: bool,
    commas: u64,
    empty: bool,
}

impl Weight {
    /// Of a text; one pass, nothing allocated.
    pub fn of(text: &[u8]) -> Self {
        let mut weight = Self { text: text.len() as u64, tree: ELEMENT, value: VALUE, ..Self::default() };
        let mut open: Vec<Open> = Vec::new();
        let (mut rest, mut digits) = (text, 0);
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            digits = weight.digit(*byte, digits);
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b'}' | b']')
                && let Some(inner) = open.last_mut()
            {
                inner.empty = false;
            }
            match byte {
                b'"' => rest = weight.string(after),
                b'{' | b'[' if open.len() >= DEPTH => return weight,
                b'{' | b'[' => open.push(Open { object: *byte == b'{', commas: 0, empty: true }),
                b',' => {
                    let depth = open.len();
                    weight.comma(open.last_mut(), depth);
                }
                b'}' | b']' => weight.close(open.pop()),
                _ => {}
            }
        }
        while !open.is_empty() {
            weight.close(open.pop());
        }
        weight
    }

    /// Of a YAML text, at least: every sign of YAML may be a node, and aliases repeat what they stand for.
    pub fn of_yaml(text: &[u8]) -> Self {
        let signs = text.iter().filter(|byte| matches!(byte, b'\n' | b':' | b',' | b'-' | b'[' | b'{' | b'?')).count() as u64;
        let aliases = text.iter().filter(|byte| **byte == b'*').count() as u64;
        let repeated = aliases.saturating_add(1).min(REPEATED);
        let bytes = text.len() as u64;
        let tree = signs.saturating_add(1).saturating_mul(YAML_NODE).saturating_mul(repeated).saturating_add(bytes);
        Self { tree, value: tree, shallow: 0, text: bytes }
    }

    /// Sees numbers that are kept as they are written; returns how many digits there are in a row.
    fn digit(&mut self, byte: u8, before: u64) -> u64 {
        let (digits, is_number) = match byte {
            b'0'..=b'9' => (before.saturating_add(1), before == DIGITS),
            b'.' | b'e' | b'E' => (0, before > 0),
            _ => (0, false),
        };
        self.value = self.value.saturating_add(if is_number { NUMBER } else { 0 });
        digits
    }

    fn comma(&mut self, open: Option<&mut Open>, depth: usize) {
        let Some(open) = open else { return };
        open.commas = open.commas.saturating_add(1);
        self.shallow = self.shallow.saturating_add(u64::from(open.object && depth <= SHALLOW));
    }

    /// Passes over a text; a name is one too.
    fn string<'t>(&mut self, rest: &'t [u8]) -> &'t [u8] {
        let length = end_of_string(rest).unwrap_or(rest.len());
        let bytes = length as u64;
        self.tree = self.tree.saturating_add(bytes).saturating_add(TEXT);
        self.value = self.value.saturating_add(bytes.saturating_mul(2)).saturating_add(OWN_TEXT);
        rest.get(length.saturating_add(1)..).unwrap_or_default()
    }

    fn close(&mut self, open: Option<Open>) {
        let Some(Open { object, commas, empty }) = open else { return };
        let count = if empty { 0 } else { commas.saturating_add(1) };
        let (tree, value) = if object { members(count) } else { (array(count, ELEMENT), array(count, VALUE)) };
        self.tree = self.tree.saturating_add(tree);
        self.value = self.value.saturating_add(value).saturating_add(if object { OBJECT } else { ARRAY });
    }

    /// Bytes while it is one tree of serde_json.
    pub fn read(&self) -> u64 {
        margin(self.tree)
    }

    /// Bytes while an object is decided: three trees, or two and a value, and texts of them.
    pub fn decided(&self) -> u64 {
        let third = self.tree.max(self.value);
        margin(self.tree.saturating_mul(2).saturating_add(third).saturating_add(self.text.saturating_mul(3)))
    }

    /// Bytes while it is a value of Rego.
    pub fn asked(&self) -> u64 {
        margin(self.value)
    }

    /// Bytes while it is written into the state by way of a tree.
    pub fn stored(&self) -> u64 {
        let documents = self.shallow.saturating_mul(DOCUMENT);
        margin(self.tree.saturating_add(documents).saturating_add(self.text.saturating_mul(3)))
    }
}

/// Returns the index of a JSON string's closing quote in `rest`, which begins behind the opening one; `None` when it is not closed.
pub fn end_of_string(rest: &[u8]) -> Option<usize> {
    let mut from = 0_usize;
    loop {
        let found = from.saturating_add(memchr2(b'"', b'\\', rest.get(from..)?)?);
        if rest.get(found) == Some(&b'"') {
            return Some(found);
        }
        // What is escaped ends nothing.
        from = found.saturating_add(2);
    }
}

/// An object's, as a tree and as a value, without its texts.
fn members(count: u64) -> (u64, u64) {
    let tree = match count {
        0 => 0,
        1..=IN_LEAF => LEAF,
        count => GROWN.saturating_add(count.saturating_sub(IN_LEAF).saturating_mul(MEMBER)),
    };
    (tree, count.saturating_mul(if count > MANY { NAMED_OF_MANY } else { NAMED }))
}

/// Doubled as it grows; of large ones the half that was before is there too for a moment.
fn array(count: u64, element: u64) -> u64 {
    if count == 0 {
        return 0;
    }
    let room = count.checked_next_power_of_two().unwrap_or(count).max(4).saturating_mul(element);
    if count > 1024 { room.saturating_add(room / 2) } else { room }
}

/// Returns the bytes by which the allocator rounds up.
fn margin(bytes: u64) -> u64 {
    bytes.saturating_add(bytes / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_not_looked_into_and_bad_json_has_a_weight() {
        let plain = Weight::of(br#"{"a":"xxxxxxxxxxxx"}"#);
        assert_eq!(Weight::of(br#"{"a":"[{,:\"{,[x\\"}"#).tree, plain.tree);
        for text in ["", "[", "{\"a", "]]]", "\"", "\"\\", ",,,", "{]"] {
            assert!(Weight::of(text.as_bytes()).read() < 2000, "{text}");
        }
        let deep = "[".repeat(1 << 20);
        assert!(Weight::of(deep.as_bytes()).tree < 128 * 1024);
    }

    #[test]
    fn a_string_ends_at_the_first_quote_that_is_not_escaped() {
        let table = [
            ("", None),
            ("a", None),
            ("\"", Some(0)),
            ("ab\"c\"", Some(2)),
            (r#"a\"b"#, None),
            (r#"\\"x"#, Some(2)),
            (r#"\"\\\""#, None),
            ("\\", None),
        ];
        for (rest, expected) in table {
            assert_eq!(end_of_string(rest.as_bytes()), expected, "{rest}");
        }
    }

    #[test]
    fn objects_weigh_by_their_members_and_empty_ones_nothing() {
        let tree = |text: &str| Weight::of(text.as_bytes()).tree - ELEMENT;
        assert_eq!((tree("{}"), tree("[ ]"), tree("{ \n}")), (0, 0, 0));
        assert_eq!(tree("[0]"), 4 * ELEMENT);
        assert_eq!(tree("[0,1,2,3,4]"), 8 * ELEMENT);
        assert_eq!(tree(r#"{"a":0}"#), LEAF + 1 + TEXT);
        assert_eq!(tree("[{},{}]"), 4 * ELEMENT);
        let wide = |n: usize| format!("{{{}}}", (0..n).map(|n| format!("\"{n:04}\":0")).collect::<Vec<_>>().join(","));
        assert_eq!(tree(&wide(11)), LEAF + 11 * (4 + TEXT));
        assert_eq!(tree(&wide(111)), GROWN + 100 * MEMBER + 111 * (4 + TEXT));
    }
}
