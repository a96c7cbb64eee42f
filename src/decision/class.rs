//! What many objects share of a decision: what policy answers, and its validation. It is found once for each class of objects, and
//! kept as long as what it rests on is the same.
//!
//! A class is made of all objects that policy cannot tell apart: those with one projection of their normal form onto what the document
//! at the placement path reads, and of one kind, target and set of keys, which validation looks at.

mod classes;

use std::collections::BTreeSet;

use plimsoll_contract::kind::Target;
use serde_json::Value as Json;

pub use classes::Classes;

use super::NormalForm;
use super::outcome::Ruling;
use crate::snapshot::Basis;

/// What is the same for all objects of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// What policy answers; `None` is undefined.
    pub answer: Option<Answer>,
    /// About how many bytes that takes in memory.
    size: usize,
}

/// A document, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// As policy returned it.
    pub document: Json,
    /// What follows; or what is wrong with it, for people.
    pub ruling: Result<Ruling, String>,
}

/// Returns what tells the class of an object from every other one; `None` where answers differ from one time to the next.
/// `of` is what validation goes by: the keys that may be written, the object's target, and its kind.
pub(super) fn key(basis: &Basis, form: &NormalForm, of: (&BTreeSet<String>, Option<&Target>, &str)) -> Option<Vec<u8>> {
    if !basis.entry.is_repeatable() {
        return None;
    }
    let mut key = basis.version.to_le_bytes().to_vec();
    let (allowed, target, kind) = of;
    key.extend_from_slice(&allowed.len().to_le_bytes());
    for text in allowed.iter().map(String::as_str).chain([kind, target.map_or("", Target::annotation)]) {
        key.extend_from_slice(&text.len().to_le_bytes());
        key.extend_from_slice(text.as_bytes());
    }
    basis.entry.input_key(&form.object, &mut key);
    Some(key)
}

impl Class {
    /// A class of this answer.
    pub(crate) fn of(answer: Option<Answer>) -> Self {
        const BESIDE: usize = 256;
        // The document; the same as output, and as what is desired.
        const TIMES: usize = 3;
        let inside = answer.as_ref().map_or(0, |answer| size(&answer.document));
        Self { answer, size: inside.saturating_mul(TIMES).saturating_add(BESIDE) }
    }
}

fn size(value: &Json) -> usize {
    const NODE: usize = 48;
    let inside = match value {
        Json::String(text) => text.len(),
        Json::Array(items) => items.iter().map(size).sum(),
        Json::Object(members) => members.iter().map(|(name, value)| name.len() + NODE + size(value)).sum(),
        Json::Null | Json::Bool(_) | Json::Number(_) => 0,
    };
    NODE + inside
}

#[cfg(test)]
mod tests;
