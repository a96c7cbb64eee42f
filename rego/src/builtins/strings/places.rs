//! Where a text occurs in another one.

use memchr::memmem::FindIter;
use memchr::{Memchr, memchr_iter, memmem};

/// The places, from left to right, without overlaps.
pub(super) enum Places<'t> {
    /// Of one byte.
    Byte(Memchr<'t>),
    /// Of several.
    Bytes(Box<FindIter<'t, 't>>),
}

/// Where a text that is not empty begins in another one, in bytes.
pub(super) fn of<'t>(text: &'t str, part: &'t str) -> Places<'t> {
    match part.as_bytes() {
        // Nothing is prepared for what does not occur.
        part if part.len() > text.len() => Places::Byte(memchr_iter(0, &[])),
        [byte] => Places::Byte(memchr_iter(*byte, text.as_bytes())),
        part => Places::Bytes(Box::new(memmem::find_iter(text.as_bytes(), part))),
    }
}

impl Iterator for Places<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        match self {
            Self::Byte(places) => places.next(),
            Self::Bytes(places) => places.next(),
        }
    }

    fn count(self) -> usize {
        match self {
            Self::Byte(places) => places.count(),
            Self::Bytes(places) => places.count(),
        }
    }
}
