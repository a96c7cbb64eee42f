//! Offering policy sets: compiled aside with all others, put in force as a whole, or refused while the last good one stays.

use std::convert::Infallible;
use std::sync::Arc;

use plimsoll_contract::policy::{Diagnostic, PoliciesAccepted};

use super::store::{Next, PolicyError, Store, SyncError};
use super::{Policies, PolicySet, Snapshot, conflicts};
use crate::rego::Module;

impl Store {
    /// Offers a whole policy set; refused as a whole, the last good set stays in force.
    pub fn put_policies(&self, name: &str, modules: Vec<Module>) -> Result<PoliciesAccepted, Vec<Diagnostic>> {
        let _policies = self.policy_writer.lock();
        self.offer(name, modules)
    }

    /// Offers a whole policy set of a source, which must hold the source's session if it declared policies.
    pub fn put_policies_of(
        &self,
        name: &str,
        session: Option<&str>,
        modules: Vec<Module>,
    ) -> Result<PoliciesAccepted, PolicyError> {
        let _policies = self.policy_writer.lock();
        if let Some(source) = self.load().state.sources.get(name).filter(|source| source.policies) {
            let session = session.unwrap_or_default();
            if *source.session != *session {
                return Err(SyncError::SessionEnded { source_name: name.into(), session: session.into() }.into());
            }
        }
        self.offer(name, modules).map_err(PolicyError::Rejected)
    }

    /// Says what an offer of the set would be answered, whatever its session; nothing is put in force or noted. The revision
    /// is that of the snapshot it was compiled for.
    pub fn check_policies(&self, name: &str, mut modules: Vec<Module>) -> Result<PoliciesAccepted, Vec<Diagnostic>> {
        modules.sort_unstable();
        let current = self.load();
        let policies = current.policies.with(name, modules, self.options.rego)?;
        let errors = conflicts::of_policies(&policies, &current.state);
        if errors.is_empty() { Ok(accepted(name, &current, &policies)) } else { Err(errors) }
    }

    /// Takes a policy set away; says whether there was one.
    pub fn remove_policies(&self, name: &str) -> Result<bool, Vec<Diagnostic>> {
        let _policies = self.policy_writer.lock();
        let current = self.load();
        if !current.policies.sets.contains_key(name) {
            return Ok(false);
        }
        let policies = Arc::new(current.policies.without(name, self.options.rego)?);
        self.change(|current| Ok::<_, Vec<Diagnostic>>(Some(Next { policies, state: current.state.clone() })))?;
        Ok(true)
    }

    /// Says that a set cannot be read at all, such as a missing directory.
    pub fn policies_unreadable(&self, name: &str, why: String) {
        let _policies = self.policy_writer.lock();
        self.note(name, |set| set.unreadable = Some(why));
    }

    fn offer(&self, name: &str, mut modules: Vec<Module>) -> Result<PoliciesAccepted, Vec<Diagnostic>> {
        modules.sort_unstable();
        let current = self.load();
        let same = current.policies.sets.get(name).is_some_and(|set| set.accepted && set.modules == modules);
        let published = if same {
            Ok(self.note(name, |set| (set.errors, set.unreadable) = (Vec::new(), None)))
        } else {
            let compiled = current.policies.with(name, modules, self.options.rego);
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
            let errors = conflicts::of_policies(&policies, &current.state);
            if errors.is_empty() { Ok(Some(Next { policies, state: current.state.clone() })) } else { Err(errors) }
        })
    }

    /// Publishes what is to be said of a set, if it is news.
    fn note(&self, name: &str, note: impl FnOnce(&mut PolicySet)) -> Arc<Snapshot> {
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

fn accepted(name: &str, snapshot: &Snapshot, policies: &Policies) -> PoliciesAccepted {
    let versions = policies.program.versions();
    let modules = policies.sets.get(name).into_iter().flat_map(|set| &set.modules);
    let old = modules.filter(|m| versions.get(&policies.compiled_key(name, &m.key)).is_some_and(|v| v == "v0"));
    PoliciesAccepted {
        epoch: snapshot.epoch.to_string(),
        revision: snapshot.revision,
        digest: policies.digest.clone(),
        notes: old.map(|module| format!("{} is read as Rego v0", module.key)).collect(),
    }
}
