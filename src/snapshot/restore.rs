//! An older good set in the place of one that is refused at a start: only what the Lease's holder has in force.

use std::sync::Arc;

use plimsoll_contract::policy::Diagnostic;

use super::store::Store;
use super::{Offer, Policies, PolicySet};

/// The result of restoring saved policy sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restored {
    /// They are in force.
    InForce,
    /// All sets together would not be those of the digest.
    Differs,
    /// They do not compile with the others.
    Rejected(Vec<Diagnostic>),
    /// None is wanted any more: something better was offered meanwhile.
    Unwanted,
}

impl Store {
    /// Puts older sets in force, all or none, in the place of refused ones, if the digest of all sets is `digest` then. What was
    /// said of the refused ones stays.
    pub fn restore(&self, kept: Vec<(String, Offer)>, digest: &str) -> Restored {
        let _policies = self.policy_writer.lock();
        let current = self.load();
        let wanted = |name: &str| current.policies.sets.get(name).is_some_and(PolicySet::is_rejected);
        if kept.is_empty() || !kept.iter().all(|(name, _)| wanted(name)) {
            return Restored::Unwanted;
        }
        if current.policies.digest_with(&kept) != digest {
            return Restored::Differs;
        }
        let restored = current.policies.restoring(kept, self.options.rego);
        match restored.and_then(|policies| self.enforce(Arc::new(policies))) {
            Ok(_) => Restored::InForce,
            Err(errors) => Restored::Rejected(errors),
        }
    }

    /// Says of a refused set why no older one is in its place.
    pub fn say_fallback(&self, name: &str, why: Option<String>) {
        let _policies = self.policy_writer.lock();
        let known = self.load().policies.sets.get(name).is_some_and(|set| set.fallback != why);
        if known {
            self.note(name, |set| set.fallback = why);
        }
    }
}

impl PolicySet {
    /// The last one offered was read and refused, and none of this name was ever in force.
    pub fn is_rejected(&self) -> bool {
        !self.accepted && !self.errors.is_empty() && self.unreadable.is_none() && self.bundle.is_none()
    }
}

impl Policies {
    /// The digest with other sets in the place of those of their names.
    fn digest_with(&self, kept: &[(String, Offer)]) -> String {
        let others = self.sets.iter().filter(|(name, _)| kept.iter().all(|(other, _)| other != *name));
        let modules = others.flat_map(|(_, set)| &set.modules).chain(kept.iter().flat_map(|(_, offer)| &offer.modules));
        super::policies::digest(modules)
    }
}
