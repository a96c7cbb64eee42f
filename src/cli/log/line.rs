//! Writes events as lines of JSON that a terminal can show safely: control characters inside strings are escaped too.

use std::io::{self, Write};

use crate::printable;

/// A writer for a sink that receives one whole event, with its end of line, in each call.
#[derive(Debug)]
pub(super) struct Json<W>(pub(super) W);

impl<W: Write> Write for Json<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let line = event.strip_suffix(b"\n").unwrap_or(event);
        // The encoder writes UTF-8.
        match str::from_utf8(line) {
            Ok(line) => self.0.write_all(format!("{}\n", printable::json(line)).as_bytes())?,
            Err(_) => self.0.write_all(event)?,
        }
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_and_shows_all() {
        let mut out = Json(Vec::new());
        out.write_all(b"{\"a\":\"\xc2\x9b\x7f\xe2\x80\xae\"}\n").unwrap();
        assert_eq!(String::from_utf8(out.0).unwrap(), "{\"a\":\"\\u009b\\u007f\\u202e\"}\n");
    }
}
