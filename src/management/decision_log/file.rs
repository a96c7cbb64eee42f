//! A file (OPA: `file_logger`): private, put aside when it is large, and opened again when somebody else moves or deletes it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::management::config::FileLogger;

/// Lines of decisions hold what was decided about: nobody else need read them.
const PRIVATE: u32 = 0o600;

/// The file.
#[derive(Debug)]
pub struct FileSink {
    config: FileLogger,
    file: File,
    size: u64,
    /// Half a line is at its end.
    torn: bool,
    /// The last line was not written, which was said.
    failing: bool,
}

impl FileSink {
    /// Opens the file at its end. One that is there keeps its permissions.
    pub fn open(config: FileLogger) -> io::Result<Self> {
        let (file, size) = open(&config)?;
        if file.metadata()?.permissions().mode() & 0o077 != 0 && file.metadata()?.is_file() {
            tracing::warn!(path = %config.path.display(), "others than the owner may use this decision log");
        }
        Ok(Self { config, file, size, torn: false, failing: false })
    }

    /// Says whether the line was written.
    pub(super) fn write(&mut self, line: &[u8]) -> bool {
        let written = self.try_write(&[line, b"\n"].concat());
        let path = self.config.path.display();
        match &written {
            Ok(()) if self.failing => tracing::info!(%path, "the decision log is written again"),
            Err(error) if !self.failing => tracing::error!(%error, %path, "the decision log cannot be written"),
            _ => {}
        }
        self.failing = written.is_err();
        written.is_ok()
    }

    fn try_write(&mut self, line: &[u8]) -> io::Result<()> {
        self.follow()?;
        self.turn(line.len() as u64)?;
        self.append(line)?;
        // Deleted since it was looked for: then nobody will ever read the line.
        if self.file.metadata()?.nlink() == 0 {
            self.follow()?;
            self.append(line)?;
        }
        Ok(())
    }

    /// Opens the file again if the path does not lead to it any more.
    fn follow(&mut self) -> io::Result<()> {
        let ours = self.file.metadata()?;
        match fs::metadata(&self.config.path) {
            Ok(there) if (there.dev(), there.ino()) == (ours.dev(), ours.ino()) => self.size = ours.len(),
            _ => self.reopen()?,
        }
        Ok(())
    }

    fn reopen(&mut self) -> io::Result<()> {
        (self.file, self.size) = open(&self.config)?;
        self.torn = false;
        Ok(())
    }

    /// A whole line, or none: half of one would spoil the next.
    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let written = if self.torn { self.file.write_all(b"\n") } else { Ok(()) };
        let written = written.and_then(|()| self.file.write_all(line));
        self.torn = written.is_err() && self.file.set_len(self.size).is_err();
        written.inspect(|()| self.size += line.len() as u64)
    }

    /// Puts a full file aside: `log` becomes `log.1`, that `log.2`, and the last one goes.
    fn turn(&mut self, more: u64) -> io::Result<()> {
        if self.size == 0 || self.size.saturating_add(more) <= self.config.longest() {
            return Ok(());
        }
        for number in (1..self.config.max_backups).rev() {
            rename(self.aside(number), self.aside(number + 1))?;
        }
        if self.config.max_backups > 0 {
            rename(self.config.path.clone(), self.aside(1))?;
        } else {
            fs::remove_file(&self.config.path)?;
        }
        self.reopen()
    }

    fn aside(&self, number: usize) -> PathBuf {
        let mut path = self.config.path.clone().into_os_string();
        path.push(format!(".{number}"));
        path.into()
    }
}

fn open(config: &FileLogger) -> io::Result<(File, u64)> {
    check_reader(&config.path)?;
    let file = OpenOptions::new().create(true).append(true).mode(PRIVATE).open(&config.path)?;
    let size = file.metadata()?.len();
    Ok((file, size))
}

/// Fails for a pipe that nobody reads: whoever opens it waits until somebody does.
fn check_reader(path: &Path) -> io::Result<()> {
    if !fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo()) {
        return Ok(());
    }
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    match OpenOptions::new().append(true).custom_flags(flags).open(path) {
        Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {
            let why = "it is a pipe that nobody reads: start its reader first, or name a file";
            Err(io::Error::new(io::ErrorKind::NotConnected, why))
        }
        opened => opened.map(drop),
    }
}

fn rename(from: PathBuf, to: PathBuf) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        renamed => renamed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sink(path: &Path, max_size_mb: u64, max_backups: usize) -> FileSink {
        FileSink::open(FileLogger { path: path.into(), max_size_mb, max_backups }).unwrap()
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_full_file_is_put_aside_and_old_ones_go() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut file = sink(&path, 1, 2);
        assert!(["a", "b", "c", "d"].iter().all(|letter| file.write(letter.repeat(700 << 10).as_bytes())));
        let first = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap().chars().next().unwrap();
        assert_eq!((first("log"), first("log.1"), first("log.2")), ('d', 'c', 'b'));
        assert!(!dir.path().join("log.3").exists());
        for name in ["log", "log.1", "log.2"] {
            assert_eq!(mode(&dir.path().join(name)), 0o600, "{name}");
        }
        // After a restart it goes on where it was.
        drop(file);
        assert!(sink(&path, 1, 0).write(b"{}"));
        assert_eq!(first("log"), 'd');
    }

    #[test]
    fn no_size_is_the_default_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut file = sink(&path, 0, 1);
        assert!(file.write(b"1") && file.write(b"2"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n2\n");
    }

    #[test]
    fn a_pipe_that_nobody_reads_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let open = || FileSink::open(FileLogger { path: path.clone(), max_size_mb: 1, max_backups: 1 });
        assert!(open().unwrap_err().to_string().contains("a pipe that nobody reads"));
        // Opened for both, a pipe has a reader, and nobody waits for one.
        let _reader = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        assert!(open().unwrap().write(b"1"));
    }

    #[test]
    fn it_comes_back_after_a_deletion_a_move_and_a_truncation() {
        let dir = tempfile::tempdir().unwrap();
        let (path, moved) = (dir.path().join("log"), dir.path().join("moved"));
        let mut file = sink(&path, 100, 3);
        assert!(file.write(b"1"));
        fs::rename(&path, &moved).unwrap();
        assert!(file.write(b"2"));
        assert_eq!((fs::read_to_string(&moved).unwrap(), fs::read_to_string(&path).unwrap()), ("1\n".into(), "2\n".into()));
        fs::remove_file(&path).unwrap();
        assert!(file.write(b"3"));
        assert_eq!((fs::read_to_string(&path).unwrap(), mode(&path)), ("3\n".into(), 0o600));
        fs::write(&path, "").unwrap();
        assert!(file.write(b"4"));
        // As logrotate makes it, with permissions of its own.
        fs::rename(&path, &moved).unwrap();
        fs::write(&path, "").unwrap();
        assert!(file.write(b"5"));
        assert_eq!((fs::read_to_string(&moved).unwrap(), fs::read_to_string(&path).unwrap()), ("4\n".into(), "5\n".into()));
    }

    #[test]
    fn a_directory_that_is_gone_and_a_full_disk_are_said() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let mut file = sink(&inner.join("log"), 100, 3);
        fs::remove_dir_all(&inner).unwrap();
        assert!(!file.write(b"1") && !file.write(b"2"));
        fs::create_dir(&inner).unwrap();
        assert!(file.write(b"3"));
        assert_eq!(fs::read_to_string(inner.join("log")).unwrap(), "3\n");
        assert!(!sink(Path::new("/dev/full"), 100, 3).write(b"1"));
    }
}
