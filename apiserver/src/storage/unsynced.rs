//! A backend that does not wait for the disk: what is written survives the end of the process, not of the machine.

use std::io::Result;
use std::ops::Bound;

use redb::{BackendError, StorageBackend};

/// Like etcd's `--unsafe-no-fsync`.
#[derive(Debug)]
pub(crate) struct Unsynced<B>(pub(crate) B);

impl<B: StorageBackend> StorageBackend for Unsynced<B> {
    fn len(&self) -> Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        self.0.write(offset, data)
    }

    fn close(&self) -> Result<()> {
        self.0.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> std::result::Result<bool, BackendError> {
        self.0.try_lock_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> std::result::Result<(), BackendError> {
        self.0.unlock_range(start, end)
    }
}
