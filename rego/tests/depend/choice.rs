//! Choices, taken from bytes that proptest makes and shrinks.

/// Bytes, and how many are used up. Without any left, the first alternative is always chosen.
pub(super) struct Choices<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Choices<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// A number below another one.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(byte) % bound.max(1)
    }

    /// One of these.
    pub(super) fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len())]
    }

    pub(super) fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == one_in - 1
    }

    /// Whether there are bytes left.
    pub(super) fn more(&self) -> bool {
        self.at < self.bytes.len()
    }
}
