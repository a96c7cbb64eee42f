//! Offering policy sets: compiled aside with all others, put in force as a whole, or refused while the last good one stays.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use plimsoll_contract::policy::{CONFLICT, Diagnostic, Location, PoliciesAccepted};

use super::store::{Next, PolicyError, Store, SyncError};
use super::{Offer, Policies, PolicySet, Snapshot, conflicts, documents, roots};
use crate::rego::{Contradiction, Module};
use crate::state::State;

/// Of one set.
const WARNINGS: usize = 100;

impl Store {
    /// Offers a whole policy set; refused as a whole, the last good set stays in force.
    pub fn put_policies(&self, name: &str, modules: Vec<Module>) -> Result<PoliciesAccepted, Vec<Diagnostic>> {
        self.put_set(name, modules.into())
    }

    /// [`Self::put_policies`] with data beside the modules: one step for both.
    pub fn put_set(&self, name: &str, offer: Offer) -> Result<PoliciesAccepted, Vec<Diagnostic>> {
        let _policies = self.policy_writer.lock();
        self.offer(name, offer)
    }

    /// Offers a whole policy set of a source, which must hold the source's session if it declared policies.
    pub fn put_policies_of(
        &self,
        name: &str,
        session: Option<&str>,
        offer: impl Into<Offer>,
    ) -> Result<PoliciesAccepted, PolicyError> {
        let _policies = self.policy_writer.lock();
        self.held(name, session)?;
        self.offer(name, offer.into()).map_err(PolicyError::Rejected)
    }

    /// Says that what a source sent is no policy set, such as for data that cannot be read: as refused as by the compiler.
    pub fn refuse_policies_of(&self, name: &str, session: Option<&str>, errors: Vec<Diagnostic>) -> PolicyError {
        let _policies = self.policy_writer.lock();
        if let Err(error) = self.held(name, session) {
            return error.into();
        }
        self.note(name, |set| (set.errors, set.unreadable) = (errors.clone(), None));
        PolicyError::Rejected(errors)
    }

    /// Whether whoever sends a set may do so: he holds the session of its source, which did not end with the source either.
    fn held(&self, name: &str, session: Option<&str>) -> Result<(), SyncError> {
        let (current, session) = (self.load(), session.unwrap_or_default());
        let source = current.state.sources.get(name);
        let is_held = source.map_or_else(|| self.issued(name, session), |source| source.policies);
        if is_held && source.is_none_or(|source| *source.session != *session) {
            return Err(SyncError::SessionEnded { source_name: name.into(), session: session.into() });
        }
        Ok(())
    }

    /// Says what an offer of the set would be answered, whatever its session; nothing is put in force or noted. The revision
    /// is that of the snapshot it was compiled for.
    pub fn check_policies(&self, name: &str, offer: impl Into<Offer>) -> Result<PoliciesAccepted, Vec<Diagnostic>> {
        let mut offer = offer.into();
        offer.modules.sort_unstable();
        let current = self.load();
        let policies = current.policies.with(name, offer, self.options.rego)?;
        settled(&current, &policies, &self.options.local_bundles)?;
        Ok(accepted(name, &current, &policies))
    }

    /// Takes a policy set away; says whether there was one.
    pub fn remove_policies(&self, name: &str) -> Result<bool, Vec<Diagnostic>> {
        let _policies = self.policy_writer.lock();
        let current = self.load();
        if !current.policies.sets.contains_key(name) {
            return Ok(false);
        }
        let policies = Arc::new(current.policies.without(name, self.options.rego)?);
        self.enforce(policies)?;
        Ok(true)
    }

    /// Says that a set cannot be read at all, such as a missing directory; what was wrong with an earlier offer no longer counts. Returns
    /// whether that is news: whoever looks again and again says it once.
    pub fn policies_unreadable(&self, name: &str, why: String) -> bool {
        let _policies = self.policy_writer.lock();
        let is_news = self.load().policies.sets.get(name).is_none_or(|set| set.unreadable.as_ref() != Some(&why));
        self.note(name, |set| (set.errors, set.unreadable) = (Vec::new(), Some(why)));
        is_news
    }

    fn offer(&self, name: &str, mut offer: Offer) -> Result<PoliciesAccepted, Vec<Diagnostic>> {
        offer.modules.sort_unstable();
        let current = self.load();
        let same = current.policies.sets.get(name).is_some_and(|set| set.same(&offer));
        let published = if same {
            Ok(self.note(name, |set| (set.errors, set.unreadable, set.restored) = (Vec::new(), None, false)))
        } else {
            let compiled = current.policies.with(name, offer, self.options.rego);
            compiled.and_then(|policies| self.enforce(Arc::new(policies)))
        };
        match published {
            Ok(snapshot) => Ok(accepted(name, &snapshot, &snapshot.policies)),
            Err(errors) => {
                self.note(name, |set| (set.errors, set.unreadable) = (errors.clone(), None));
                Err(errors)
            }
        }
    }

    pub(super) fn enforce(&self, policies: Arc<Policies>) -> Result<Arc<Snapshot>, Vec<Diagnostic>> {
        self.change(|current| {
            let state = settled(current, &policies, &self.options.local_bundles)?;
            Ok(Some(Next { policies, state }))
        })
    }

    /// Publishes what is to be said of a set, if it is news.
    pub(super) fn note(&self, name: &str, note: impl FnOnce(&mut PolicySet)) -> Arc<Snapshot> {
        let noted = self.change(|current| {
            let policies = current.policies.noting(name, note);
            let news = policies.sets.get(name) != current.policies.sets.get(name);
            Ok::<_, Infallible>(news.then(|| Next { policies: Arc::new(policies), state: current.state.clone() }))
        });
        match noted {
            Ok(snapshot) => snapshot,
        }
    }
}

/// The state with the data of the sets in place, if nothing speaks against it.
pub(super) fn settled(current: &Snapshot, policies: &Policies, local: &[String]) -> Result<State, Vec<Diagnostic>> {
    let mut errors = roots::check(&current.policies, policies, &current.state);
    errors.extend(roots::modules::check(&current.policies, policies, local));
    if !errors.is_empty() {
        return Err(errors);
    }
    let state = documents::settle(&current.policies, policies, &current.state)?;
    let errors = conflicts::of_policies(policies, &state);
    if errors.is_empty() { Ok(state) } else { Err(errors) }
}

/// Returns the conflicts between policies that the set `name` has a part in: a diagnostic for each of its modules.
fn warnings(name: &str, policies: &Policies) -> Vec<Diagnostic> {
    let set = policies.sets.get(name).into_iter().flat_map(|set| &set.modules);
    let own: BTreeMap<String, &str> = set.map(|module| (policies.compiled_key(name, &module.key), module.key.as_str())).collect();
    let mut warnings = Vec::new();
    for Contradiction { name, places } in policies.program.contradictions() {
        for place in &places {
            let Some(file) = own.get(&place.file) else { continue };
            let others: Vec<String> = places.iter().filter(|other| *other != place).map(Location::to_string).collect();
            let message = format!(
                "{name} may have another value at {}: where both apply to an object, there is no decision about it",
                others.join(", ")
            );
            let location = Location { file: (*file).to_owned(), ..place.clone() };
            warnings.push(Diagnostic { code: CONFLICT.to_owned(), message, location, details: others, idx: None });
        }
    }
    warnings.truncate(WARNINGS);
    warnings
}

fn accepted(name: &str, snapshot: &Snapshot, policies: &Policies) -> PoliciesAccepted {
    let versions = policies.program.versions();
    let modules = policies.sets.get(name).into_iter().flat_map(|set| &set.modules);
    let old = modules.filter(|m| versions.get(&policies.compiled_key(name, &m.key)).is_some_and(|v| v == "v0"));
    PoliciesAccepted {
        epoch: snapshot.epoch.to_string(),
        revision: snapshot.revision,
        digest: policies.digest.to_string(),
        notes: old.map(|module| format!("{} is read as Rego v0", module.key)).collect(),
        warnings: warnings(name, policies),
    }
}
