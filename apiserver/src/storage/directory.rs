//! The data directory: who may read it, who has it, which files are in it.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Error, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::OpenError;

/// Secrets are in it: for the owner only.
const DIRECTORY_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// A data directory that no other process has.
pub(crate) struct Directory {
    path: PathBuf,
    lock: File,
}

impl Directory {
    /// Creates it if need be and takes it, until the lock is dropped or the process ends.
    pub(crate) fn take(path: &Path) -> Result<Self, OpenError> {
        let failed = |source| OpenError::Directory { path: path.to_owned(), source };
        DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(path).map_err(failed)?;
        let mut lock = options().create(true).open(path.join("lock")).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OpenError::Locked { path: path.to_owned(), process: holder(&mut lock) }),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        sign(&mut lock).map_err(failed)?;
        Ok(Self { path: path.to_owned(), lock })
    }

    /// The data file.
    pub(crate) fn file(&self) -> PathBuf {
        self.path.join("objects.redb")
    }

    /// Where a new data file is made, to be renamed when it is complete.
    pub(crate) fn unfinished(&self) -> PathBuf {
        self.path.join("objects.redb.new")
    }

    /// Puts the finished new file into its place, durably.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        std::fs::rename(self.unfinished(), self.file())?;
        File::open(&self.path)?.sync_all()
    }

    pub(crate) fn into_lock(self) -> File {
        self.lock
    }
}

/// For reading and writing, for the owner only; never truncating.
pub(crate) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).truncate(false).mode(FILE_MODE);
    options
}

fn sign(lock: &mut File) -> Result<(), Error> {
    lock.set_len(0)?;
    lock.rewind()?;
    lock.write_all(std::process::id().to_string().as_bytes())
}

/// The process that wrote its number into the lock file.
fn holder(lock: &mut File) -> String {
    let mut text = String::new();
    let read = lock.take(20).read_to_string(&mut text);
    let number = read.ok().and_then(|_| text.trim().parse::<u32>().ok());
    number.map_or_else(|| "another process".to_owned(), |number| format!("process {number}"))
}
