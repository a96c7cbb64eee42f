//! What many objects share of a decision: what policy answers, and its validation. It is found once for each class of objects, and
//! kept as long as what it rests on is the same.
//!
//! A class is made of all objects that policy cannot tell apart: those with one projection of their normal form onto what the document
//! at the placement path reads, and of one kind, target and set of keys, which validation looks at.

mod classes;

use std::collections::BTreeSet;

use plimsoll_contract::kind::Target;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

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
    pub size: usize,
    digest: Digest,
}

/// The beginning of a SHA-256.
type Digest = [u8; 16];

/// What policy said of whom, for comparison: equal where a class is answered the same, on whatever version of what that rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Said {
    /// Of the class, whatever policy said of it.
    pub class: Digest,
    /// Of what policy said, and what is wrong with it.
    pub answer: Digest,
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
    let mut key: Vec<u8> = version(basis).to_vec();
    let (allowed, target, kind) = of;
    key.extend_from_slice(&allowed.len().to_le_bytes());
    for text in allowed.iter().map(String::as_str).chain([kind, target.map_or("", Target::annotation)]) {
        key.extend_from_slice(&text.len().to_le_bytes());
        key.extend_from_slice(text.as_bytes());
    }
    basis.entry.input_key(&form.object, &mut key);
    Some(key)
}

fn version(basis: &Basis) -> [u8; VERSION] {
    basis.version.to_le_bytes()
}

/// How many bytes of a key are its version.
const VERSION: usize = 8;

impl Said {
    /// Of a class, by its key.
    pub(super) fn of(key: &[u8], class: &Class) -> Self {
        let of = key.get(VERSION..).unwrap_or_default();
        Self { class: beginning(&Sha256::digest(of)), answer: class.digest }
    }
}

impl Class {
    /// A class of this answer.
    pub(crate) fn of(answer: Option<Answer>) -> Self {
        const BESIDE: usize = 256;
        // The document; the same as output, and as what is desired.
        const TIMES: usize = 3;
        let inside = answer.as_ref().map_or(0, |answer| size(&answer.document));
        let digest = digest(answer.as_ref());
        Self { answer, size: inside.saturating_mul(TIMES).saturating_add(BESIDE), digest }
    }
}

/// What follows from a document is the same for all of a class, or it is wrong.
fn digest(answer: Option<&Answer>) -> Digest {
    let mut hash = Sha256::new();
    if let Some(Answer { document, ruling }) = answer {
        let fault = ruling.as_ref().err().map(String::as_str);
        // Writing to a hash cannot fail, and JSON can be written.
        let _written = serde_json::to_writer(&mut hash, &(document, fault));
    }
    beginning(&hash.finalize())
}

fn beginning(hash: &[u8]) -> Digest {
    hash.first_chunk().copied().unwrap_or_default()
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
