//! A trial run on the data file: everything is read through, everything that is written stays in memory.
//!
//! redb repairs and marks a file as it opens it. A file that turns out to be damaged must not be touched, so it is opened for
//! good only after it was opened, checked and read once on top of this.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Result};

use parking_lot::Mutex;
use redb::StorageBackend;

const BLOCK: u64 = 4096;

/// A backend that leaves the one below as it is.
#[derive(Debug)]
pub(crate) struct Trial<B> {
    below: B,
    overlay: Mutex<Overlay>,
}

#[derive(Debug)]
struct Overlay {
    len: u64,
    /// From here on, the file below does not count: it was cut here.
    below: u64,
    blocks: BTreeMap<u64, Box<[u8]>>,
}

impl<B: StorageBackend> Trial<B> {
    pub(crate) fn new(below: B) -> Result<Self> {
        let len = below.len()?;
        Ok(Self { below, overlay: Mutex::new(Overlay { len, below: len, blocks: BTreeMap::new() }) })
    }

    /// A block as it is now, zeros behind the end.
    fn block(&self, overlay: &Overlay, index: u64) -> Result<Box<[u8]>> {
        if let Some(block) = overlay.blocks.get(&index) {
            return Ok(block.clone());
        }
        let mut block = vec![0; BLOCK as usize].into_boxed_slice();
        let start = index * BLOCK;
        let there = overlay.below.saturating_sub(start).min(BLOCK) as usize;
        if let Some(part) = block.get_mut(..there).filter(|part| !part.is_empty()) {
            self.below.read(start, part)?;
        }
        Ok(block)
    }
}

/// The parts of blocks that `len` bytes at `offset` lie in: (block, start in it, bytes).
fn parts(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, usize)> {
    let end = offset + len as u64;
    let mut at = offset;
    std::iter::from_fn(move || {
        let (index, start) = (at / BLOCK, at % BLOCK);
        let bytes = (BLOCK - start).min(end - at);
        at += bytes;
        (bytes > 0).then_some((index, start as usize, bytes as usize))
    })
}

fn out_of_range() -> Error {
    Error::new(ErrorKind::UnexpectedEof, "outside of the file")
}

impl<B: StorageBackend> StorageBackend for Trial<B> {
    fn len(&self) -> Result<u64> {
        Ok(self.overlay.lock().len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let overlay = self.overlay.lock();
        if offset.checked_add(out.len() as u64).is_none_or(|end| end > overlay.len) {
            return Err(out_of_range());
        }
        let mut rest = out;
        for (index, start, bytes) in parts(offset, rest.len()) {
            let block = self.block(&overlay, index)?;
            let (to, later) = rest.split_at_mut_checked(bytes).ok_or_else(out_of_range)?;
            to.copy_from_slice(block.get(start..start + bytes).ok_or_else(out_of_range)?);
            rest = later;
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> Result<()> {
        let mut overlay = self.overlay.lock();
        if len < overlay.len {
            let last = len / BLOCK;
            let mut block = self.block(&overlay, last)?;
            block.iter_mut().skip((len % BLOCK) as usize).for_each(|byte| *byte = 0);
            overlay.blocks.split_off(&last);
            overlay.blocks.insert(last, block);
            overlay.below = overlay.below.min(len);
        }
        overlay.len = len;
        Ok(())
    }

    fn sync_data(&self) -> Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        let mut overlay = self.overlay.lock();
        let mut rest = data;
        for (index, start, bytes) in parts(offset, data.len()) {
            let mut block = self.block(&overlay, index)?;
            let (from, later) = rest.split_at_checked(bytes).ok_or_else(out_of_range)?;
            block.get_mut(start..start + bytes).ok_or_else(out_of_range)?.copy_from_slice(from);
            overlay.blocks.insert(index, block);
            rest = later;
        }
        overlay.len = overlay.len.max(offset + data.len() as u64);
        Ok(())
    }

    fn close(&self) -> Result<()> {
        self.below.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use redb::backends::InMemoryBackend;

    #[derive(Clone, Debug)]
    enum Step {
        Write(u64, Vec<u8>),
        Length(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0u64..20_000, proptest::collection::vec(any::<u8>(), 0..9_000)).prop_map(|(at, data)| Step::Write(at, data)),
            (0u64..30_000).prop_map(Step::Length),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn behaves_like_a_file_and_leaves_the_one_below(start in proptest::collection::vec(any::<u8>(), 0..20_000), steps in proptest::collection::vec(step(), 0..12)) {
            let below = InMemoryBackend::new();
            below.set_len(start.len() as u64).unwrap();
            below.write(0, &start).unwrap();
            let trial = Trial::new(below).unwrap();
            let mut model = start.clone();
            for step in steps {
                match step {
                    Step::Write(at, data) => {
                        let end = at as usize + data.len();
                        if model.len() < end {
                            trial.set_len(end as u64).unwrap();
                            model.resize(end, 0);
                        }
                        trial.write(at, &data).unwrap();
                        model[at as usize..end].copy_from_slice(&data);
                    }
                    Step::Length(len) => {
                        trial.set_len(len).unwrap();
                        model.resize(len as usize, 0);
                    }
                }
                let mut all = vec![1; model.len()];
                trial.read(0, &mut all).unwrap();
                prop_assert!(all == model);
                prop_assert!(trial.read(1, &mut all).is_err() || all.is_empty());
            }
            let mut untouched = vec![1; start.len()];
            trial.below.read(0, &mut untouched).unwrap();
            prop_assert!(untouched == start);
        }
    }
}
