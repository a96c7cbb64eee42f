//! What a JSON patch may cost: bytes copied, array members moved, depth of the document in between.

use serde_json::Value as Json;

use crate::patch::PatchError;

/// Upstream's `JSONPatchMaxCopyBytes`: what all `copy` operations of a patch may add.
const MAX_COPIED: usize = 3 * 1024 * 1024;
/// Array members that inserts and removals may move, and values that are walked to find their depth.
const MAX_MOVED: usize = 64 * 1024 * 1024;
/// Depth in between; the end is held to [`crate::patch::MAX_DEPTH`]. Far below what a thread's stack can drop.
const MAX_DEPTH_BETWEEN: usize = 1024;

/// What is left, and how deep the document may be by now.
#[derive(Debug)]
pub(super) struct Budget {
    copied: usize,
    moved: usize,
    depth: usize,
}

impl Budget {
    pub(super) fn of(document: &Json) -> Self {
        Self { copied: 0, moved: 0, depth: depth(document) }
    }

    /// The document is at most so deep.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// A `copy` adds so many bytes.
    pub(super) fn copy(&mut self, bytes: usize) -> Result<(), PatchError> {
        self.copied += bytes;
        if self.copied > MAX_COPIED {
            return Err(PatchError::TooLarge(format!(
                "Unable to complete the copy, the accumulated size increase of copy is {}, exceeding the limit {MAX_COPIED}",
                self.copied
            )));
        }
        Ok(())
    }

    /// An insert or a removal moves so many members of an array.
    pub(super) fn shift(&mut self, members: usize) -> Result<(), PatchError> {
        self.moved = self.moved.saturating_add(members);
        if self.moved > MAX_MOVED {
            return Err(PatchError::TooLarge(format!("the JSON patch moves more than {MAX_MOVED} array members")));
        }
        Ok(())
    }

    /// `value`, at most as deep as the document was, is put `level` levels down. Its true depth is looked for only when
    /// the estimate is past the limit.
    pub(super) fn place(&mut self, value: &Json, level: usize) -> Result<(), PatchError> {
        if self.depth + level > MAX_DEPTH_BETWEEN {
            self.shift(size(value))?;
            let found = depth(value) + level;
            if found > MAX_DEPTH_BETWEEN {
                return Err(PatchError::Unfit(format!("the JSON patch nests deeper than {MAX_DEPTH_BETWEEN} levels")));
            }
            self.depth = self.depth.max(found);
        } else {
            self.depth += level;
        }
        Ok(())
    }

    /// `value` comes from the patch itself.
    pub(super) fn add(&mut self, value: &Json, level: usize) -> Result<(), PatchError> {
        self.depth = self.depth.max(depth(value) + level);
        if self.depth > MAX_DEPTH_BETWEEN {
            return Err(PatchError::Unfit(format!("the JSON patch nests deeper than {MAX_DEPTH_BETWEEN} levels")));
        }
        Ok(())
    }
}

/// Levels of objects and arrays.
pub(super) fn depth(value: &Json) -> usize {
    match value {
        Json::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        Json::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn size(value: &Json) -> usize {
    match value {
        Json::Object(fields) => 1 + fields.values().map(size).sum::<usize>(),
        Json::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        _ => 1,
    }
}
