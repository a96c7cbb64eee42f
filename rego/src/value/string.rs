//! The text of strings: what is short lies inside of a value, so that no memory is allocated for it and no pointer followed.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use arcstr::ArcStr;
use tinystr::TinyAsciiStr;

use super::Value;

/// How many bytes a value has room for.
const SHORT: usize = 8;

/// Text that never changes. Up to eight characters of ASCII, none of them NUL, lie in it: most names, words and codes that policies
/// compare. Any other text is shared by all clones.
#[derive(Clone)]
pub struct Str(Form);

/// Every text has exactly one form, so that two texts of different forms are never equal.
// The tag takes a word, so that the characters lie in the other one, and tags that are not used here are those of other values.
#[derive(Clone)]
#[repr(u64)]
enum Form {
    Short(TinyAsciiStr<SHORT>),
    Long(ArcStr),
}

impl Str {
    /// `""`.
    pub const EMPTY: Self = Self(Form::Short(TinyAsciiStr::EMPTY));

    /// Returns all of it.
    #[inline]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Form::Short(text) => text,
            Form::Long(text) => text,
        }
    }

    /// Returns the text as an `ArcStr`: the same one if it is long, a new one if it is short.
    pub fn to_arc_str(&self) -> ArcStr {
        match &self.0 {
            Form::Short(text) => ArcStr::from(text.as_str()),
            Form::Long(text) => text.clone(),
        }
    }

    /// Returns the text of `length` bytes that `write` fills in; `None` if they are no UTF-8.
    pub(crate) fn written(length: usize, write: impl FnOnce(&mut [u8])) -> Option<Self> {
        let mut short = [0; SHORT];
        if let Some(bytes) = short.get_mut(..length) {
            write(bytes);
            return std::str::from_utf8(bytes).ok().map(Self::from);
        }
        ArcStr::init_with(length, write).ok().map(Self::from)
    }
}

/// Returns a number by which short texts are ordered as by their characters: the first character counts most.
fn number(text: &TinyAsciiStr<SHORT>) -> u64 {
    u64::from_be_bytes(*text.all_bytes())
}

/// Returns a text in its short form; `None` if it is too long, or has a NUL or a character that is no ASCII.
fn short(text: &str) -> Option<TinyAsciiStr<SHORT>> {
    let short = TinyAsciiStr::try_from_raw(padded(text.as_bytes())?).ok()?;
    // A NUL at the end is like none.
    (short.len() == text.len()).then_some(short)
}

/// Returns eight bytes at most with 0 behind them; `None` if there are more. They are loaded as two numbers, which may overlap: that is
/// faster than one by one.
fn padded(bytes: &[u8]) -> Option<[u8; SHORT]> {
    let (low, high) = match bytes {
        [] => (0, 0),
        [one] => (u64::from(*one), 0),
        [_, _] | [_, _, _] => (two(bytes.first_chunk()?), two(bytes.last_chunk()?).wrapping_shl(bits_before(bytes, 2))),
        _ if bytes.len() <= SHORT => (four(bytes.first_chunk()?), four(bytes.last_chunk()?).wrapping_shl(bits_before(bytes, 4))),
        _ => return None,
    };
    Some((low | high).to_le_bytes())
}

fn two(bytes: &[u8; 2]) -> u64 {
    u64::from(u16::from_le_bytes(*bytes))
}

fn four(bytes: &[u8; 4]) -> u64 {
    u64::from(u32::from_le_bytes(*bytes))
}

/// Returns how many bits lie before the last `last` bytes.
fn bits_before(bytes: &[u8], last: usize) -> u32 {
    u32::try_from(bytes.len().saturating_sub(last).saturating_mul(8)).unwrap_or(0)
}

impl Deref for Str {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Str {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq for Str {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Form::Short(a), Form::Short(b)) => number(a) == number(b),
            (Form::Long(a), Form::Long(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Str {}

impl PartialEq<str> for Str {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialOrd for Str {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Str {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Form::Short(a), Form::Short(b)) => number(a).cmp(&number(b)),
            _ => self.as_str().cmp(other.as_str()),
        }
    }
}

impl Hash for Str {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl From<&str> for Str {
    #[inline]
    fn from(text: &str) -> Self {
        Self(short(text).map_or_else(|| Form::Long(text.into()), Form::Short))
    }
}

impl From<String> for Str {
    fn from(text: String) -> Self {
        Self(short(&text).map_or_else(|| Form::Long(text.into()), Form::Short))
    }
}

impl From<ArcStr> for Str {
    fn from(text: ArcStr) -> Self {
        Self(short(&text).map_or_else(|| Form::Long(text), Form::Short))
    }
}

impl From<&ArcStr> for Str {
    fn from(text: &ArcStr) -> Self {
        Self(short(text).map_or_else(|| Form::Long(text.clone()), Form::Short))
    }
}

impl From<&str> for Value {
    #[inline]
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of every length around the limit, of letters of several bytes, and with NUL at each place.
    fn texts() -> Vec<String> {
        let mut texts: Vec<String> = (0..12).map(|length| "abcdefghijkl".chars().take(length).collect()).collect();
        texts.extend((0..5).map(|length| "é".repeat(length)));
        texts.extend(["a€", "€a", "😀", "😀a😀", "\u{10ffff}\u{10ff80}", "ab\u{7f}", "ab\u{80}", "zz", "Z"].map(str::to_owned));
        texts.extend((0..9).map(|at| (0..9).map(|place| if place == at { '\0' } else { 'a' }).collect()));
        texts.extend((0..9).map(|length| "\0".repeat(length)));
        texts.extend((1..8).map(|length| "a".repeat(length) + "\0"));
        texts
    }

    #[test]
    fn a_text_is_what_it_was_made_of() {
        for text in texts() {
            let shared = ArcStr::from(&text);
            let written = Str::written(text.len(), |bytes| bytes.copy_from_slice(text.as_bytes())).unwrap();
            for made in [Str::from(&*text), Str::from(text.clone()), Str::from(&shared), Str::from(shared), written] {
                assert_eq!(made, *text);
                assert_eq!(made.to_arc_str(), text);
                let is_short = text.len() <= SHORT && text.is_ascii() && !text.contains('\0');
                assert_eq!(matches!(made.0, Form::Short(_)), is_short, "{text:?}");
            }
        }
        assert_eq!(Str::EMPTY, *"");
        assert_eq!(Str::written(1, |bytes| bytes.fill(0xff)), None);
        assert_eq!(Str::written(9, |bytes| bytes.fill(0xff)), None);
    }

    #[test]
    fn texts_are_ordered_equal_and_hashed_as_their_characters() {
        for a in texts() {
            for b in texts() {
                let (x, y) = (Value::from(&*a), Value::from(&*b));
                assert_eq!(x.cmp(&y), a.cmp(&b), "{a:?} {b:?}");
                assert_eq!(x == y, a == b, "{a:?} {b:?}");
                assert_eq!(x.hash64() == y.hash64(), a == b, "{a:?} {b:?}");
            }
        }
    }
}
