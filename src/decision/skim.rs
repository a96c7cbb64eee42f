//! Reads the text of an object in one pass, and makes a tree of no more than decides about an object of a class that was seen before: its
//! type, its metadata, and what policy reads. All else is checked as it would be in a tree, and left out.
//!
//! ```text
//!  text ─► skim: type, metadata, what policy reads ─► exempt? ─► normal form ─► class ─► what is kept of it
//!    └───► anything unusual, or nothing kept: the whole tree
//! ```
//!
//! What is skimmed is an object like any other, to which the same rules apply. It is of use only where nobody asks for all of it: see
//! [`suffices`].

mod part;

use serde::de::DeserializeSeed;
use serde_json::Value as Json;

use super::{Config, Last, Way};
use crate::snapshot::Basis;
use part::Part;

/// Returns what of an object decides, as long as [`suffices`] holds. `None` where all of it has to be read: it is no object, policy reads
/// it whole, it holds a number whose spelling may count, or it cannot be read, which the reader of the whole text says in its words.
pub fn skim(text: &[u8], basis: &Basis) -> Option<Json> {
    let mask = basis.entry.input_mask();
    if mask.is_whole() {
        return None;
    }
    let mut text = serde_json::Deserializer::from_slice(text);
    let object = Part::Object(mask).deserialize(&mut text).ok().filter(Json::is_object)?;
    text.end().ok().map(|()| object)
}

/// Returns whether what [`skim`] returns is all that a decision by a class looks at. A record's mac is of the whole object, and so is the digest
/// by which a placement is kept that a stored object has.
pub fn suffices(way: Way<'_>, config: &Config) -> bool {
    config.record_keys.is_none() && matches!(way, Way::Create)
}

/// Returns whether what [`skim`] returns is all that a decision by a class looks at, for a stored object that has not changed since `last`.
/// Two things are of the whole object: a record's mac, which there is only where records are signed, and the digest of its intent, which
/// is taken over from `last` where the next reading gives the same.
pub fn suffices_again(last: &Last, config: &Config) -> bool {
    config.record_keys.is_none() && last.repeats && !last.intent.is_empty()
}

#[cfg(test)]
mod tests;
