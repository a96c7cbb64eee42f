//! Groups of a translated pattern, and the parts that they are made of.

use super::flags::Flags;

/// What a repetition can follow.
pub(super) struct Part {
    pub(super) text: String,
    /// How many copies of its innermost part it is at most.
    pub(super) copies: u32,
    pub(super) depth: u32,
    /// How many characters and looks it is when all repetitions are written out.
    pub(super) size: u64,
}

/// A group that is open, or the whole.
pub(super) struct Group {
    pub(super) text: String,
    /// The last part of the text, not yet written.
    pub(super) last: Option<Part>,
    pub(super) copies: u32,
    pub(super) depth: u32,
    pub(super) size: u64,
    /// The flags outside.
    pub(super) outside: Flags,
}

impl Group {
    pub(super) fn new(open: &str, outside: Flags) -> Self {
        Self { text: open.to_owned(), last: None, copies: 1, depth: 0, size: 0, outside }
    }

    pub(super) fn write(&mut self) {
        if let Some(last) = self.last.take() {
            self.text.push_str(&last.text);
            self.copies = self.copies.max(last.copies);
            self.depth = self.depth.max(last.depth);
            self.size = self.size.saturating_add(last.size);
        }
    }

    pub(super) fn push(&mut self, part: Part) {
        self.write();
        self.last = Some(part);
    }
}
