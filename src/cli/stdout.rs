//! Standard output, which somebody may close early, as `head` does: then there is nobody left to tell, and no error to speak of.

use std::io::{self, ErrorKind, Write};

/// Exit code of a program that SIGPIPE ended, as shells count it: 128 and the signal's number.
pub(super) const CLOSED: u8 = 128 + 13;

/// Standard output, and whether it was closed.
#[derive(Debug, Default)]
pub(super) struct Stdout {
    /// Nobody reads it any more.
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
