//! Opens a data file, or says clearly why not. Whatever is wrong with a file, it stays as it is.

use std::fs::File;
use std::io::{Error, Read};
use std::path::{Path, PathBuf};

use redb::backends::FileBackend;
use redb::{Builder, Database, StorageBackend};

use super::ahead::Ahead;
use super::directory::{self, Directory};
use super::disk::{self, CACHE, Disk, DiskError, LoadError, VERSION};
use super::snapshot::State;
use super::trial::Trial;
use super::unsynced::Unsynced;
use super::{HistoryLimits, Snapshot};

/// The revision of an empty store. As in etcd not 0, which has a meaning of its own in requests.
const FIRST: u64 = 1;
/// The first bytes of every redb file.
const MAGIC: [u8; 9] = *b"redb\x1a\x0a\xa9\x0d\x0a";

/// How to open a store.
#[derive(Clone, Debug)]
pub struct Options {
    /// The data directory; none keeps everything in memory only.
    pub path: Option<PathBuf>,
    /// Wait for the disk before a write is answered. Without it a write survives the end of the process, not of the machine.
    pub fsync: bool,
    /// How much history to keep.
    pub history: HistoryLimits,
}

/// Why a store cannot be opened. In each case the data file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No such directory, no permission, no space.
    #[error("cannot use the data directory {path}", path = path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: Error,
    },
    /// Somebody else has it.
    #[error("the data directory {path} is in use by {process}: stop it, or choose another directory", path = path.display())]
    Locked {
        /// The directory.
        path: PathBuf,
        /// Who has it.
        process: String,
    },
    /// Not a data file of ours.
    #[error("{file} is no data file of this program ({why}): choose another directory, or move the file away")]
    Foreign {
        /// The file.
        file: String,
        /// What it is instead.
        why: String,
    },
    /// Written by a newer program.
    #[error("{file} has format version {found}, this program reads version {VERSION}: use the program that wrote it")]
    Version {
        /// The file.
        file: String,
        /// The version it has.
        found: String,
    },
    /// Ours, but not what we wrote.
    #[error("{file} is damaged ({why}); it was left as it is: restore a copy, or move it away to start empty")]
    Damaged {
        /// The file.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// The disk failed.
    #[error("cannot open {file}")]
    Disk {
        /// The file.
        file: String,
        /// What it did.
        source: DiskError,
    },
    /// The writer's thread could not be started.
    #[error("cannot start the store's writer thread")]
    Thread(#[source] Error),
}

/// A store to be started.
pub(crate) struct Opened {
    pub(crate) disk: Option<Disk>,
    pub(crate) snapshot: Snapshot,
}

impl Default for Options {
    fn default() -> Self {
        Self { path: None, fsync: true, history: HistoryLimits::default() }
    }
}

/// Opens what the options say.
pub(crate) fn open(options: &Options) -> Result<Opened, OpenError> {
    let Some(path) = &options.path else {
        return Ok(Opened { disk: None, snapshot: Snapshot::new(empty()) });
    };
    let directory = Directory::take(path)?;
    let file = directory.file();
    let failed = |source| OpenError::Directory { path: path.clone(), source };
    if !file.try_exists().map_err(failed)? {
        create(&directory)?;
    }
    let name = file.display().to_string();
    check_magic(&file, &name).map_err(failed)??;
    let lock = directory.into_lock();
    if options.fsync {
        open_named(&name, &|| backend(&file).and_then(Ahead::new), Some(lock))
    } else {
        open_named(&name, &|| backend(&file).map(Unsynced), Some(lock))
    }
}

/// Opens a backend, twice: for the trial and for good.
pub(crate) fn open_backend<B: StorageBackend>(backend: &dyn Fn() -> Result<B, Error>) -> Result<Opened, OpenError> {
    open_named("the given backend", &|| backend().and_then(Ahead::new), None)
}

fn open_named<B: StorageBackend>(
    file: &str,
    backend: &dyn Fn() -> Result<B, Error>,
    lock: Option<File>,
) -> Result<Opened, OpenError> {
    let explain = |error| explain(file, error);
    let found = disk::guarded(|| try_out(backend)).map_err(explain)?;
    let disk = disk::guarded(|| Ok::<_, DiskError>(builder().create_with_backend(backend()?)?))
        .map_err(|error| explain(error.into()))?;
    let disk = Disk::new(disk, lock);
    let state = match found {
        Some(state) => state,
        None => {
            disk.initialise(FIRST).map_err(|error| explain(error.into()))?;
            empty()
        }
    };
    Ok(Opened { disk: Some(disk), snapshot: Snapshot::new(state) })
}

/// Opens, checks every page and reads every record, writing nothing.
fn try_out<B: StorageBackend>(backend: &dyn Fn() -> Result<B, Error>) -> Result<Option<State>, LoadError> {
    let trial = Trial::new(backend().map_err(DiskError::from)?).map_err(DiskError::from)?;
    let database: Database = builder().set_check_integrity_on_open(true).create_with_backend(trial).map_err(DiskError::from)?;
    disk::load(&database)
}

fn builder() -> Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(CACHE);
    builder
}

fn backend(file: &Path) -> Result<FileBackend, Error> {
    FileBackend::new(directory::options().open(file)?).map_err(Error::other)
}

/// Makes the data file under another name first: under its own name it is always complete.
fn create(directory: &Directory) -> Result<(), OpenError> {
    let file = directory.unfinished();
    let name = file.display().to_string();
    let failed = |source: Error| OpenError::Directory { path: file.clone(), source };
    if file.try_exists().map_err(failed)? {
        std::fs::remove_file(&file).map_err(failed)?;
    }
    directory::options().create_new(true).open(&file).map_err(failed)?;
    let opened = open_named(&name, &|| backend(&file), None)?;
    if let Some(disk) = opened.disk {
        disk.close().map_err(|error| explain(&name, error.into()))?;
    }
    directory.finish().map_err(failed)
}

fn check_magic(file: &Path, name: &str) -> Result<Result<(), OpenError>, Error> {
    let mut start = Vec::with_capacity(MAGIC.len());
    File::open(file)?.take(MAGIC.len() as u64).read_to_end(&mut start)?;
    let why = match start.as_slice() {
        start if start == MAGIC => return Ok(Ok(())),
        [] => "it is empty",
        _ => "it is no redb database",
    };
    Ok(Err(OpenError::Foreign { file: name.to_owned(), why: why.to_owned() }))
}

fn explain(file: &str, error: LoadError) -> OpenError {
    let file = file.to_owned();
    match error {
        LoadError::Foreign => OpenError::Foreign { file, why: error.to_string() },
        LoadError::Version(found) => OpenError::Version { file, found },
        LoadError::Damaged(why) => OpenError::Damaged { file, why },
        LoadError::Disk(DiskError::Panicked(why)) => OpenError::Damaged { file, why },
        LoadError::Disk(DiskError::Database(error)) => match *error {
            redb::Error::Corrupted(why) => OpenError::Damaged { file, why },
            redb::Error::UpgradeRequired(version) => OpenError::Foreign { file, why: format!("redb's file format {version}") },
            error => OpenError::Disk { file, source: error.into() },
        },
    }
}

fn empty() -> State {
    State::empty(FIRST)
}
