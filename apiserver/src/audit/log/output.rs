//! The end of the log: standard output, or a file that is never longer than it may be.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::Options;

/// Where lines end up.
#[derive(Debug)]
pub(super) enum Output {
    Standard,
    File(Box<Rotating>),
}

/// A file that becomes another one when it is too long.
#[derive(Debug)]
pub(super) struct Rotating {
    path: PathBuf,
    backups: u16,
    /// `None` for what is no file, such as a pipe: it has no length, and is not to be renamed.
    longest: Option<u64>,
    file: File,
    length: u64,
    /// The last line may have been cut off.
    is_torn: bool,
}

impl Output {
    /// Opens it, to append. Fails when the file cannot be written, or is a pipe that nobody reads.
    pub(super) fn open(options: &Options) -> io::Result<Self> {
        if options.path.as_os_str() == "-" {
            return Ok(Self::Standard);
        }
        check_reader(&options.path)?;
        let (file, path) = (append(&options.path)?, options.path.clone());
        let found = file.metadata()?;
        let longest = found.is_file().then_some(options.longest);
        let (backups, length) = (options.backups, found.len());
        Ok(Self::File(Box::new(Rotating { path, backups, longest, file, length, is_torn: false })))
    }

    /// Writes one line, with its end; waits for whoever reads.
    pub(super) fn write(&mut self, line: &[u8]) -> io::Result<()> {
        match self {
            Self::Standard => io::stdout().lock().write_all(line),
            Self::File(file) => file.write(line),
        }
    }
}

impl Rotating {
    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let added = u64::try_from(line.len()).unwrap_or(u64::MAX);
        if self.length > 0 && self.longest.is_some_and(|longest| self.length.saturating_add(added) > longest) {
            self.rotate()?;
        }
        let end = if std::mem::replace(&mut self.is_torn, true) { b"\n".as_slice() } else { b"" };
        self.file.write_all(end).and_then(|()| self.file.write_all(line))?;
        (self.is_torn, self.length) = (false, self.length.saturating_add(added));
        Ok(())
    }

    fn rotate(&mut self) -> io::Result<()> {
        for number in (0..self.backups).rev() {
            match std::fs::rename(self.backup(number), self.backup(number + 1)) {
                // An older one, or all of it where a rotation before got no further.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                renamed => renamed?,
            }
        }
        if self.backups == 0 {
            std::fs::remove_file(&self.path)?;
        }
        (self.file, self.length) = (append(&self.path)?, 0);
        Ok(())
    }

    /// The file itself is number 0.
    fn backup(&self, number: u16) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        if number > 0 {
            name.push(format!(".{number}"));
        }
        name.into()
    }
}

/// Fails for a pipe that nobody reads: whoever opens it waits until somebody does.
fn check_reader(path: &Path) -> io::Result<()> {
    if !std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo()) {
        return Ok(());
    }
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    match OpenOptions::new().append(true).custom_flags(flags).open(path) {
        Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {
            let why = "it is a pipe that nobody reads: start its reader first, or name a file, or `-` for standard output";
            Err(io::Error::new(io::ErrorKind::NotConnected, why))
        }
        opened => opened.map(drop),
    }
}

/// Nobody else may read who asked for what.
fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}
