//! Lines out of chunks: a stream of bytes is cut at line ends, half a line at its end is dropped.

use bytes::{Bytes, BytesMut};
use thiserror::Error;

/// No object, and no row about one, is larger.
pub const LONGEST: usize = 8 << 20;

/// A line that never ends.
#[derive(Debug, Error)]
#[error("a line is longer than {LONGEST} bytes")]
pub struct TooLong;

/// Collects chunks and gives whole lines.
#[derive(Debug, Default)]
pub struct Lines {
    buffer: BytesMut,
    /// Up to here there is no line end.
    searched: usize,
}

impl Lines {
    /// Adds what came.
    pub fn push(&mut self, chunk: &[u8]) {
        self.buffer.extend_from_slice(chunk);
    }

    /// The next whole line without its end; empty lines are skipped.
    pub fn next_line(&mut self) -> Result<Option<Bytes>, TooLong> {
        loop {
            let rest = self.buffer.get(self.searched..).unwrap_or_default();
            let Some(offset) = rest.iter().position(|&byte| byte == b'\n') else {
                self.searched = self.buffer.len();
                return if self.searched > LONGEST { Err(TooLong) } else { Ok(None) };
            };
            let line = self.buffer.split_to(self.searched + offset + 1).freeze();
            self.searched = 0;
            let line = line.slice(..line.len() - 1);
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Ok(Some(line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(lines: &mut Lines) -> Vec<Bytes> {
        std::iter::from_fn(|| lines.next_line().unwrap()).collect()
    }

    #[test]
    fn lines_survive_any_cut_and_half_a_line_is_not_given() {
        let text = b"{\"a\":1}\n\n{\"b\":2}\n{\"half";
        for cut in 0..text.len() {
            let mut lines = Lines::default();
            let mut given = Vec::new();
            for part in [&text[..cut], &text[cut..]] {
                lines.push(part);
                given.extend(drain(&mut lines));
            }
            assert_eq!(given, [&b"{\"a\":1}"[..], b"{\"b\":2}"], "cut at {cut}");
        }
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut lines = Lines::default();
        lines.push(&vec![b'x'; LONGEST + 1]);
        assert!(lines.next_line().is_err());
    }
}
