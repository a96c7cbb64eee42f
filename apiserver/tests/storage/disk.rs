//! A disk that crashes on command: what was not synced is lost, or some of it is, as the dice will.

use std::io::{Error, Result};
use std::sync::Arc;

use parking_lot::Mutex;
use redb::StorageBackend;

use super::support::Dice;

/// Disks write whole sectors; what a crash interrupts ends at the border of one.
const SECTOR: usize = 512;

/// The disk. Clones are the same disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct CrashDisk(Arc<Mutex<Platter>>);

#[derive(Debug, Default)]
struct Platter {
    /// What a read gives now.
    image: Vec<u8>,
    /// What is there for sure.
    durable: Vec<u8>,
    /// What was done since the last sync.
    unsynced: Vec<Step>,
    /// Operations that still succeed; none means all.
    fuse: Option<u64>,
    /// Handles of before the last crash are dead.
    generation: u64,
    syncs: u64,
}

#[derive(Clone, Debug)]
enum Step {
    Write(usize, Vec<u8>),
    Length(usize),
}

/// What the power cut leaves of the writes that were not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// None.
    Nothing,
    /// The first of them, the last one cut short.
    Prefix,
    /// Any of them, some cut short.
    Subset,
    /// All: only the process died.
    Everything,
}

/// One process's hand on the disk.
#[derive(Debug)]
pub(crate) struct Handle {
    disk: CrashDisk,
    generation: u64,
}

impl CrashDisk {
    pub(crate) fn handle(&self) -> Result<Handle> {
        Ok(Handle { disk: self.clone(), generation: self.0.lock().generation })
    }

    /// The power goes after so many more operations.
    pub(crate) fn light_fuse(&self, operations: u64) {
        self.0.lock().fuse = Some(operations);
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.0.lock().fuse == Some(0)
    }

    pub(crate) fn syncs(&self) -> u64 {
        self.0.lock().syncs
    }

    /// Power off and on again.
    pub(crate) fn crash(&self, leaves: Leaves, dice: &mut Dice) {
        let mut platter = self.0.lock();
        platter.generation += 1;
        platter.fuse = None;
        let mut image = std::mem::take(&mut platter.durable);
        for step in survivors(std::mem::take(&mut platter.unsynced), leaves, dice) {
            apply(&mut image, &step);
        }
        platter.image.clone_from(&image);
        platter.durable = image;
    }
}

fn survivors(mut steps: Vec<Step>, leaves: Leaves, dice: &mut Dice) -> Vec<Step> {
    match leaves {
        Leaves::Nothing => Vec::new(),
        Leaves::Everything => steps,
        Leaves::Prefix => {
            steps.truncate(dice.below(steps.len() as u64 + 1) as usize);
            if let Some(last) = steps.last_mut() {
                tear(last, dice);
            }
            steps
        }
        Leaves::Subset => {
            steps.retain(|_| dice.below(2) == 0);
            for step in &mut steps {
                if dice.below(4) == 0 {
                    tear(step, dice);
                }
            }
            steps
        }
    }
}

fn tear(step: &mut Step, dice: &mut Dice) {
    if let Step::Write(_, data) = step {
        let sectors = data.len() / SECTOR;
        data.truncate(dice.below(sectors as u64 + 1) as usize * SECTOR);
    }
}

fn apply(image: &mut Vec<u8>, step: &Step) {
    match step {
        Step::Length(len) => image.resize(*len, 0),
        Step::Write(at, data) => {
            if image.len() < at + data.len() {
                image.resize(at + data.len(), 0);
            }
            image[*at..at + data.len()].copy_from_slice(data);
        }
    }
}

impl Handle {
    /// Runs one operation, unless the power is gone.
    fn run<T>(&self, work: impl FnOnce(&mut Platter) -> Result<T>) -> Result<T> {
        let mut platter = self.disk.0.lock();
        if platter.generation != self.generation {
            return Err(Error::other("the power was cut"));
        }
        match &mut platter.fuse {
            Some(0) => return Err(Error::other("the power is cut")),
            Some(fuse) => *fuse -= 1,
            None => {}
        }
        work(&mut platter)
    }
}

impl StorageBackend for Handle {
    fn len(&self) -> Result<u64> {
        self.run(|platter| Ok(platter.image.len() as u64))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.run(|platter| {
            let from = platter.image.get(offset as usize..offset as usize + out.len());
            out.copy_from_slice(from.ok_or_else(|| Error::other("outside of the disk"))?);
            Ok(())
        })
    }

    fn set_len(&self, len: u64) -> Result<()> {
        self.step(Step::Length(len as usize))
    }

    fn sync_data(&self) -> Result<()> {
        self.run(|platter| {
            platter.syncs += 1;
            for step in std::mem::take(&mut platter.unsynced) {
                apply(&mut platter.durable, &step);
            }
            Ok(())
        })
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        self.step(Step::Write(offset as usize, data.to_vec()))
    }
}

impl Handle {
    fn step(&self, step: Step) -> Result<()> {
        self.run(|platter| {
            apply(&mut platter.image, &step);
            platter.unsynced.push(step);
            Ok(())
        })
    }
}
