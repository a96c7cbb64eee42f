//! Deleting a source, alone or with its policies.

use std::sync::Arc;

use plimsoll_contract::policy::Diagnostic;

use super::store::{Next, Store};
use super::{SyncError, offer};
use crate::state::{ROOT, State};

/// A source that is not deleted.
#[derive(Debug, thiserror::Error)]
pub enum WithdrawError {
    /// There is none of this name.
    #[error(transparent)]
    Unknown(#[from] SyncError),
    /// The other policy sets do not compile without the source's own.
    #[error("the policy sets do not compile without that of the source: {} errors", .0.len())]
    Rejected(Vec<Diagnostic>),
}

impl Store {
    /// Deletes a source in one revision: its session ends, its objects go, and with `policies` the policy set of its name.
    pub fn withdraw(&self, name: &str, policies: bool) -> Result<(), WithdrawError> {
        let _policies = self.policy_writer.lock();
        let before = self.load();
        let without = match before.policies.sets.contains_key(name) && policies {
            true => Arc::new(before.policies.without(name, self.options.rego).map_err(WithdrawError::Rejected)?),
            false => before.policies.clone(),
        };
        self.change(|current| {
            if !current.state.sources.contains_key(name) {
                return Err(SyncError::UnknownSource(name.into()).into());
            }
            let settled = offer::settled(current, &without, &self.options.local_bundles);
            let state = removed(settled.map_err(WithdrawError::Rejected)?, name);
            Ok(Some(Next { policies: without, state }))
        })
        .map(|_| self.held_back.forget(name))
    }
}

/// A state without a source and its objects.
fn removed(mut state: State, name: &str) -> State {
    if let Some(source) = state.sources.remove(name) {
        for kind in source.held() {
            state.tree.graft(ROOT, kind.kind.state_path(), None);
        }
    }
    state
}
