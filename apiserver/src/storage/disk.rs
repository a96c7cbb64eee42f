//! The data file: one redb table of objects, one of what the file is and which revision it has reached.
//!
//! The revision is part of every commit, so it is never given twice, also when the last write was a deletion. Every record
//! carries a checksum of its own beside redb's of each page: a page can be intact and still not be what we wrote.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use redb::{Database, Durability, ReadableDatabase, ReadableTable, TableDefinition, TableError, WriteTransaction};
use sha2::{Digest, Sha256};

use super::snapshot::State;
use super::{Event, EventKind, Key, Record};

const META: TableDefinition<&str, &[u8]> = TableDefinition::new("plimsoll");
const OBJECTS: TableDefinition<&[u8], &[u8]> = TableDefinition::new("objects");

/// What this program writes, and all that it reads.
pub(crate) const VERSION: u64 = 1;
/// redb's cache, read and write together: everything is in memory as objects anyway.
pub(crate) const CACHE: usize = 8 << 20;

/// Checksum, revision, creation revision.
const HEAD: usize = 24;
/// Separates the parts of a key.
const NUL: u8 = 0;

/// The open data file.
pub(crate) struct Disk {
    database: Database,
    /// Held as long as the file is open.
    _lock: Option<std::fs::File>,
}

/// What the disk did wrong.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// The database reported it.
    #[error("{0}")]
    Database(#[source] Box<redb::Error>),
    /// The database ended in a panic; that is how redb meets a page it cannot read.
    #[error("the database cannot read its pages: {0}")]
    Panicked(String),
}

/// Why a file that is a database is not ours, or not usable.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    #[error("it is a redb database of another program")]
    Foreign,
    #[error("it has format version {0}")]
    Version(String),
    #[error("{0}")]
    Damaged(String),
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl<E: Into<redb::Error>> From<E> for DiskError {
    fn from(error: E) -> Self {
        Self::Database(Box::new(error.into()))
    }
}

/// Runs work on the database; a panic becomes an error.
pub(crate) fn guarded<T, E: From<DiskError>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(DiskError::Panicked(text.unwrap_or_else(|| "no reason given".to_owned())).into())
    })
}

// --- Disk ---

impl Disk {
    pub(crate) fn new(database: Database, lock: Option<std::fs::File>) -> Self {
        Self { database, _lock: lock }
    }

    /// Writes what an empty file must say.
    pub(crate) fn initialise(&self, revision: u64) -> Result<(), DiskError> {
        guarded(|| {
            let write = self.begin()?;
            {
                let mut meta = write.open_table(META)?;
                meta.insert("version", VERSION.to_string().as_bytes())?;
                meta.insert("revision", revision.to_le_bytes().as_slice())?;
                write.open_table(OBJECTS)?;
            }
            Ok(write.commit()?)
        })
    }

    /// Makes the events durable, all or none.
    pub(crate) fn commit(&self, revision: u64, events: &[Arc<Event>]) -> Result<(), DiskError> {
        guarded(|| {
            let write = self.begin()?;
            {
                write.open_table(META)?.insert("revision", revision.to_le_bytes().as_slice())?;
                let mut objects = write.open_table(OBJECTS)?;
                for event in events {
                    let key = encode_key(&event.record.key);
                    match event.kind {
                        EventKind::Deleted => drop(objects.remove(key.as_slice())?),
                        _ => drop(objects.insert(key.as_slice(), encode(&key, &event.record).as_slice())?),
                    }
                }
            }
            Ok(write.commit()?)
        })
    }

    pub(crate) fn close(self) -> Result<(), DiskError> {
        guarded(move || Ok(self.database.close()?))
    }

    fn begin(&self) -> Result<WriteTransaction, DiskError> {
        let mut write = self.database.begin_write()?;
        write.set_durability(Durability::Immediate)?;
        Ok(write)
    }
}

/// All objects, each checked; nothing if the file is a database without any table, which is a new one.
pub(crate) fn load(database: &Database) -> Result<Option<State>, LoadError> {
    let read = database.begin_read().map_err(DiskError::from)?;
    if read.list_tables().map_err(DiskError::from)?.next().is_none() {
        return Ok(None);
    }
    let meta = read.open_table(META).map_err(foreign)?;
    let get = |name| meta.get(name).map_err(DiskError::from).map(|value| value.map(|value| value.value().to_vec()));
    match get("version")? {
        Some(version) if version == VERSION.to_string().as_bytes() => {}
        Some(version) => return Err(LoadError::Version(String::from_utf8_lossy(&version).into_owned())),
        None => return Err(LoadError::Foreign),
    }
    let revision = get("revision")?.and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes);
    let revision = revision.ok_or_else(|| LoadError::Damaged("its revision is missing".to_owned()))?;
    let mut state = State::empty(revision);
    for entry in read.open_table(OBJECTS).map_err(foreign)?.iter().map_err(DiskError::from)? {
        let (key, value) = entry.map_err(DiskError::from)?;
        let record = decode(key.value(), value.value(), &state).ok_or_else(|| broken(key.value()))?;
        state.put(Arc::new(record));
    }
    Ok(Some(state))
}

fn foreign(error: TableError) -> LoadError {
    match error {
        TableError::Storage(error) => LoadError::Disk(error.into()),
        _ => LoadError::Foreign,
    }
}

fn broken(key: &[u8]) -> LoadError {
    let key = String::from_utf8_lossy(key).replace('\0', "/");
    LoadError::Damaged(format!("the record of `{}` is not as it was written", key.escape_debug()))
}

// --- records as bytes ---

fn encode_key(key: &Key) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(key.collection.len() + key.namespace.len() + key.name.len() + 2);
    bytes.extend_from_slice(key.collection.as_bytes());
    bytes.push(NUL);
    bytes.extend_from_slice(key.namespace.as_bytes());
    bytes.push(NUL);
    bytes.extend_from_slice(key.name.as_bytes());
    bytes
}

fn encode(key: &[u8], record: &Record) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + record.value.len());
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&record.revision.to_le_bytes());
    bytes.extend_from_slice(&record.created.to_le_bytes());
    bytes.extend_from_slice(&record.value);
    if let Some((sum, rest)) = bytes.split_first_chunk_mut::<8>() {
        *sum = checksum(key, rest);
    }
    bytes
}

fn decode(key: &[u8], bytes: &[u8], state: &State) -> Option<Record> {
    let (sum, rest) = bytes.split_first_chunk::<8>()?;
    if *sum != checksum(key, rest) {
        return None;
    }
    let (revision, rest) = rest.split_first_chunk::<8>()?;
    let (created, value) = rest.split_first_chunk::<8>()?;
    let (revision, created) = (u64::from_le_bytes(*revision), u64::from_le_bytes(*created));
    let key = decode_key(key)?;
    let plausible = created <= revision && revision <= state.revision;
    plausible.then(|| Record::new(state.share(key), revision, created, Bytes::copy_from_slice(value)))
}

fn decode_key(bytes: &[u8]) -> Option<Key> {
    let mut parts = std::str::from_utf8(bytes).ok()?.split(char::from(NUL));
    let key = Key { collection: parts.next()?.into(), namespace: parts.next()?.into(), name: parts.next()?.into() };
    parts.next().is_none().then_some(key)
}

fn checksum(key: &[u8], rest: &[u8]) -> [u8; 8] {
    let digest: [u8; 32] =
        Sha256::new().chain_update((key.len() as u64).to_le_bytes()).chain_update(key).chain_update(rest).finalize().into();
    let mut sum = [0; 8];
    sum.iter_mut().zip(digest).for_each(|(to, byte)| *to = byte);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_the_way_to_the_disk_and_any_flipped_bit_is_noticed() {
        let key = Key { collection: "apps/sets".into(), namespace: "a".into(), name: "x".into() };
        let record = Record::new(key.clone(), 7, 3, Bytes::from_static(b"{\"metadata\":{}}"));
        let name = encode_key(&key);
        let state = State::empty(9);
        let bytes = encode(&name, &record);
        let back = decode(&name, &bytes, &state).unwrap();
        assert_eq!((back.key, back.revision, back.created, back.value), (key, 7, 3, record.value));
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&name, &damaged, &state).is_none(), "bit {bit}");
        }
        for cut in 0..bytes.len() {
            assert!(decode(&name, &bytes[..cut], &state).is_none(), "cut at {cut}");
        }
        assert!(decode(b"apps/sets\0a\0y", &bytes, &state).is_none(), "under another key");
        assert!(decode(&name, &bytes, &State::empty(6)).is_none(), "from the future");
    }
}
