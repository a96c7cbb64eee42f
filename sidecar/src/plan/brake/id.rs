//! Objects and moves in few bytes: what is kept of many of them, and written down.

use plimsoll_contract::annotations::digest_all;

/// How many hex digits it is written with.
const DIGITS: usize = 10;

/// Names an object, or a move: 40 bits of a SHA-256. Of 100,000 objects two are taken for one once in 200 fleets; they count as one then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u64);

impl Id {
    /// Returns the name of what these texts tell, boundaries included.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let digest = digest_all(texts);
        let hex = digest.strip_prefix("sha256:").and_then(|hex| hex.get(..DIGITS)).unwrap_or_default();
        Self(u64::from_str_radix(hex, 16).unwrap_or_default())
    }

    /// Returns ten hex digits.
    pub fn text(self) -> String {
        format!("{:0DIGITS$x}", self.0)
    }
}

/// Writes many down, without anything in between.
pub fn write(ids: impl IntoIterator<Item = Id>) -> String {
    ids.into_iter().map(Id::text).collect()
}

/// Reads what [`write()`] wrote; nothing if it is something else.
pub fn read(text: &str) -> Option<Vec<Id>> {
    if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) || !text.len().is_multiple_of(DIGITS) {
        return None;
    }
    let digits = |at: usize| text.get(at..at + DIGITS).and_then(|hex| u64::from_str_radix(hex, 16).ok()).map(Id);
    (0..text.len()).step_by(DIGITS).map(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_being_written() {
        let ids: Vec<Id> = ["a", "b", "c"].map(|name| Id::of(["v1/pods", name])).into();
        assert_eq!(read(&write(ids.clone())), Some(ids));
        assert_eq!(read(""), Some(vec![]));
        assert_ne!(Id::of(["ab", "c"]), Id::of(["a", "bc"]));
        for text in ["012345678", "01234567xy", "ä12345678"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
