//! Room for what goes through a tree level by level.

/// What one level of a tree may take of the stack while it is read, changed or dropped, in an unoptimised build.
const LEVEL: usize = 16 << 10;

/// What is needed besides.
const BASE: usize = 256 << 10;

/// The deepest tree that is ever made, and a little more.
const DEEPEST: usize = 10_016;

/// Runs something that goes through a tree of a depth, such as the one that a module states. Dropping a tree is that, too.
pub fn with_depth<T>(depth: u32, run: impl FnOnce() -> T) -> T {
    let levels = usize::try_from(depth).unwrap_or(DEEPEST).min(DEEPEST);
    let bytes = LEVEL.saturating_mul(levels).saturating_add(BASE);
    stacker::maybe_grow(bytes, bytes, run)
}

/// Runs something that reads a text: nothing in it nests deeper than it has brackets, operators and words that nest.
pub(super) fn sized_for<T>(text: &str, run: impl FnOnce() -> T) -> T {
    let bytes = text.as_bytes();
    let signs = bytes.iter().filter(|byte| b"([{+-*/%&|<>=!".contains(byte)).count();
    let words = bytes.windows(2).filter(|pair| matches!(*pair, b"in" | b"el" | b"an" | b"or" | b"no")).count();
    with_depth(u32::try_from(signs.saturating_add(words)).unwrap_or(u32::MAX), run)
}
