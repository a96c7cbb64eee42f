//! Standard output that may be closed early by its reader, such as `head`. The program ends then without an error message.

use std::io::{self, ErrorKind, Write};

/// Exit code of a program that SIGPIPE has ended, as shells report it: 128 and the number of the signal.
pub(super) const CLOSED: u8 = 128 + 13;

/// Standard output, which remembers that it was closed.
#[derive(Debug, Default)]
pub(super) struct Stdout {
    /// Whether a write has failed because the reader is gone.
    pub(super) is_closed: bool,
}

impl Stdout {
    fn note<T>(&mut self, written: io::Result<T>) -> io::Result<T> {
        self.is_closed |= written.as_ref().is_err_and(|error| error.kind() == ErrorKind::BrokenPipe);
        written
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = io::stdout().write(bytes);
        self.note(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = io::stdout().flush();
        self.note(flushed)
    }
}
