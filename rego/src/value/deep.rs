//! Recursion that ends on no stack: plain while a value is shallow, on a stack that grows beyond.

/// Levels that recursion may take as they are.
pub(crate) const SHALLOW: u32 = 64;
/// What must be left before the stack grows: the last [`SHALLOW`] levels of an unoptimised build fit in.
pub(crate) const LEFT: usize = 256 << 10;
/// By how much it grows.
const MORE: usize = 2 << 20;

/// Goes one level down, with so many more below.
#[inline]
pub(crate) fn level<T>(depth: u32, down: impl FnOnce() -> T) -> T {
    if depth < SHALLOW { down() } else { stacker::maybe_grow(LEFT, MORE, down) }
}
