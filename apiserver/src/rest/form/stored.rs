//! A list of objects as they are stored. It is sent piece by piece: what it is made of is in memory anyway, the whole of it
//! never is.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};

use crate::storage::Record;

/// Pieces of a list have about so many bytes.
const PIECE: usize = 64 << 10;
const END: &[u8] = b"]}";

/// What comes before the objects, and they.
#[derive(Clone, Debug)]
pub struct StoredList {
    head: String,
    items: Vec<Arc<Record>>,
}

/// What has not been sent yet.
#[derive(Debug)]
pub struct Pieces {
    list: StoredList,
    next: usize,
    ended: bool,
}

impl StoredList {
    /// `head` goes as far as the bracket before the first object.
    pub(super) fn new(head: String, items: Vec<Arc<Record>>) -> Self {
        Self { head, items }
    }

    /// Bytes of the whole.
    pub fn size(&self) -> usize {
        let items: usize = self.items.iter().map(|record| record.value.len()).sum();
        self.head.len() + items + self.items.len().saturating_sub(1) + END.len()
    }

    /// The text, a piece after the other.
    pub fn pieces(self) -> Pieces {
        Pieces { list: self, next: 0, ended: false }
    }

    /// The text at once.
    pub fn into_text(self) -> Bytes {
        let mut text = BytesMut::with_capacity(self.size());
        self.pieces().for_each(|piece| text.extend_from_slice(&piece));
        text.freeze()
    }
}

impl Iterator for Pieces {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.ended {
            return None;
        }
        let mut piece = BytesMut::with_capacity(PIECE);
        if self.next == 0 {
            piece.put_slice(self.list.head.as_bytes());
        }
        while piece.len() < PIECE {
            let Some(record) = self.list.items.get(self.next) else {
                piece.put_slice(END);
                self.ended = true;
                break;
            };
            if self.next > 0 {
                piece.put_u8(b',');
            }
            piece.put_slice(&record.value);
            self.next += 1;
        }
        Some(piece.freeze())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Key;

    #[test]
    fn the_pieces_are_the_whole_and_its_size_is_known() {
        for (count, size) in [(0, 1), (1, 10), (2, 10), (3, PIECE), (100, 3_000)] {
            let record = |n: usize| {
                let key = Key { collection: "c".into(), namespace: "".into(), name: n.to_string().into() };
                Arc::new(Record::new(key, 1, 1, Bytes::from(format!("\"{}\"", "x".repeat(size)))))
            };
            let items: Vec<_> = (0..count).map(record).collect();
            let texts: Vec<_> = items.iter().map(|record| String::from_utf8_lossy(&record.value).into_owned()).collect();
            let list = StoredList::new("{\"items\":[".to_owned(), items);
            let expected = format!("{{\"items\":[{}]}}", texts.join(","));
            assert_eq!(list.size(), expected.len(), "{count}");
            assert!(list.clone().pieces().all(|piece| !piece.is_empty() && piece.len() <= 2 * PIECE + size));
            assert_eq!(list.into_text(), expected);
        }
    }
}
