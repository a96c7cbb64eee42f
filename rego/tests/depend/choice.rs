//! Choices, taken from bytes that proptest makes and shrinks.

/// Bytes, and how many are used up. Without any left, the first alternative is always chosen.
pub(crate) struct Choices<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Choices<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// A number below another one.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(byte) % bound.max(1)
    }

    /// One of these.
    pub(crate) fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len())]
    }

    pub(crate) fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == one_in - 1
    }

    /// Whether there are bytes left.
    pub(crate) fn more(&self) -> bool {
        self.at < self.bytes.len()
    }
}
