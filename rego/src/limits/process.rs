//! The bound that all evaluations of a process share.

use parking_lot::RwLock;

use super::Halt;

/// So many bytes may be in use, and who says how many are.
type Bound = (u64, fn() -> u64);

static BOUND: RwLock<Option<Bound>> = RwLock::new(None);

/// Bounds the memory of the whole process: evaluations that would go beyond `bytes`, as `in_use` counts them, end in
/// [`Halt::Process`]. `None` lifts the bound. It holds for every evaluation of the process: for `main` to call once.
pub fn bound_process(bytes: Option<u64>, in_use: fn() -> u64) {
    *BOUND.write() = bytes.map(|bytes| (bytes, in_use));
}

/// Whether there is room for more bytes.
pub(super) fn check(more: u64) -> Result<(), Halt> {
    let Some((bytes, in_use)) = *BOUND.read() else { return Ok(()) };
    if in_use().saturating_add(more) > bytes { Err(Halt::Process(bytes)) } else { Ok(()) }
}
