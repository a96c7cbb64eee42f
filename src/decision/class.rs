//! What many objects share of a decision: what policy answers, and its validation. It is found once for each class of objects, and
//! kept as long as what it rests on is the same.
//!
//! A class is made of all objects that policy cannot tell apart: those with one projection of their normal form onto what the document
//! at the placement path reads, and of one kind, target and set of keys, which validation looks at.

mod classes;
mod encoded;
mod parts;
pub(crate) mod raw;
mod weak_cache;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use plimsoll_contract::annotations::AppliedKey;
use plimsoll_contract::kind::Target;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

pub use classes::Classes;
pub use encoded::Encoded;

use super::NormalForm;
use super::intent::Patch;
use super::interner::Interner;
use super::outcome::{Fault, Placed, Ruling};
use crate::snapshot::Basis;
use parts::Parts;
use weak_cache::WeakCache;

/// The part of a decision that is the same for all objects of a class.
#[derive(Clone, Debug)]
pub struct Class {
    /// What policy answers; `None` is undefined.
    pub answer: Option<Answer>,
    /// About how many bytes that takes in memory, but for long members that it shares with others.
    pub size: usize,
    /// About how many bytes of it are written where it is shown.
    pub written: usize,
    digest: Digest,
}

/// The beginning of a SHA-256.
type Digest = [u8; 16];

/// Digests of a class and of policy's answer for it: equal where a class is answered the same, on whatever version of what the answer
/// depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// Of the class, whatever policy said of it.
    pub class: Digest,
    /// Of what policy said by the contract's rules, and what is wrong with it.
    pub answer: Digest,
}

/// A document, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// As policy returned it.
    pub document: Encoded,
    /// What follows; or what is wrong with it, for people.
    pub ruling: Result<Ruling, Fault>,
    clusters: WeakCache<Vec<String>>,
    rejected: WeakCache<BTreeMap<String, String>>,
    patch: WeakCache<Patch>,
    keys: WeakCache<BTreeMap<String, AppliedKey>>,
    interners: Arc<Interners>,
}

/// Finds equal values that answers of different classes have, such as lists of clusters: rows of the table of placements hold them.
#[derive(Debug, Default)]
pub struct Interners {
    clusters: Interner<Vec<String>>,
    rejected: Interner<BTreeMap<String, String>>,
    patches: Interner<Patch>,
    keys: Interner<BTreeMap<String, AppliedKey>>,
    parts: Parts,
}

impl PartialEq for Class {
    /// By what is said, and what follows from it, wherever that is in memory: one may share a long member with others, and an equal one not.
    fn eq(&self, other: &Self) -> bool {
        let Self { answer, size: _, written, digest } = self;
        *digest == other.digest && *written == other.written && *answer == other.answer
    }
}

impl PartialEq for Interners {
    /// Always equal: answers with the same content are equal, wherever their values are looked for.
    fn eq(&self, _other: &Self) -> bool {
        true
    }
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

/// Returns whether policy sees the same of both objects, and their developers ask for the same in the keys that it may write.
pub fn asks_the_same(basis: &Basis, (one, other): (&NormalForm, &NormalForm), allowed: &BTreeSet<String>) -> bool {
    let seen = |form: &NormalForm| {
        let mut key = Vec::new();
        basis.entry.input_key(&form.object, &mut key);
        key
    };
    allowed.iter().all(|key| one.intent.get(key) == other.intent.get(key)) && seen(one) == seen(other)
}

/// Returns the digest of a class, by its key: the same whatever version of what policy reads the key is of.
pub(super) fn digest_of(key: &[u8]) -> Digest {
    beginning(&Sha256::digest(key.get(VERSION..).unwrap_or_default()))
}

fn version(basis: &Basis) -> [u8; VERSION] {
    basis.version.to_le_bytes()
}

/// How many bytes of a key are its version.
const VERSION: usize = 8;

impl Hash for Said {
    /// Of one class different things are seldom said at one time.
    fn hash<H: Hasher>(&self, state: &mut H) {
        u128::from_le_bytes(self.class).hash(state);
    }
}

impl Said {
    /// Of a class, by its key.
    pub(super) fn of(key: &[u8], class: &Class) -> Self {
        Self { class: digest_of(key), answer: class.digest }
    }
}

impl Class {
    /// A class of this answer: what policy returned, and what follows from it. Fails where it is none of JSON.
    pub(crate) fn of(answer: Option<(&Json, Result<Ruling, Fault>)>, interners: &Arc<Interners>) -> serde_json::Result<Self> {
        let mut hash = Sha256::new();
        let answer = answer.map(|(document, ruling)| Answer::of((document, ruling), interners, &mut hash)).transpose()?;
        let digest = beginning(&hash.finalize());
        let (inside, written) = answer.as_ref().map_or((0, 0), |answer| (answer.size(), answer.written()));
        Ok(Self { answer, size: inside.saturating_add(size_of::<Self>()), written, digest })
    }
}

impl Answer {
    fn of(
        (document, ruling): (&Json, Result<Ruling, Fault>),
        interners: &Arc<Interners>,
        hash: &mut Sha256,
    ) -> serde_json::Result<Self> {
        let document = Encoded::of(document, &interners.parts, hash)?;
        if let Err(fault) = &ruling {
            encoded::add(hash, &fault.message);
        }
        let (clusters, rejected, patch, keys) = Default::default();
        Ok(Self { document, ruling, clusters, rejected, patch, keys, interners: Arc::clone(interners) })
    }

    /// Returns the patch of an object, which most objects of a class have in common: each takes as much as a row else.
    pub fn shared_patch(&self, patch: Patch) -> Arc<Patch> {
        self.patch.share(&self.interners.patches, Arc::new(patch))
    }

    /// Returns the entries of an object's record, in the same way.
    pub fn shared_keys(&self, keys: Arc<BTreeMap<String, AppliedKey>>) -> Arc<BTreeMap<String, AppliedKey>> {
        self.keys.share(&self.interners.keys, keys)
    }

    /// The clusters that a placement names, sorted.
    pub(super) fn clusters(&self, placed: &Placed) -> Arc<Vec<String>> {
        self.clusters.get(&self.interners.clusters, || placed.clusters())
    }

    /// Why not there: cluster to reason. What has another shape says nothing; policy was warned of it.
    pub(super) fn rejected(&self) -> Arc<BTreeMap<String, String>> {
        let reasons = || self.document.member("rejected").and_then(raw::Raw::members).unwrap_or_default();
        self.rejected.get(&self.interners.rejected, || {
            reasons().into_iter().map(|(cluster, reason)| (cluster, raw::sentence(reason))).collect()
        })
    }

    fn placed(&self) -> Option<&Placed> {
        self.ruling.as_ref().ok()?.placed.as_ref()
    }

    fn size(&self) -> usize {
        let ruled = match &self.ruling {
            Ok(ruling) => ruling.size(),
            Err(fault) => fault.size(),
        };
        self.document.size().saturating_add(ruled)
    }

    fn written(&self) -> usize {
        let values = self.placed().into_iter().flat_map(|placed| placed.wanted.values());
        self.document.written() + values.map(|(key, value)| key.len() + value.quoted.text().len()).sum::<usize>()
    }
}

fn beginning(hash: &[u8]) -> Digest {
    hash.first_chunk().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
