//! Modules that clients put and delete one by one, as OPA's policy API does; in a set of their own.

use std::sync::Arc;

use plimsoll_contract::policy::Diagnostic;

use super::Policies;
use super::store::Store;
use crate::rego::Module;

/// The name of the set.
pub const CLIENTS: &str = "api";

/// A module that is not put or deleted.
#[derive(Debug, thiserror::Error)]
pub enum ModuleError {
    /// It came another way.
    #[error("policy `{id}` belongs to the policy set `{set}`: change it there, or choose another id")]
    Elsewhere {
        /// The module.
        id: String,
        /// Its set.
        set: String,
    },
    /// Nothing to delete. OPA's words.
    #[error("storage_not_found_error: policy id {0:?}")]
    Missing(String),
    /// With it, or without it, the modules do not compile.
    #[error("the policies are refused with {} errors", .0.len())]
    Rejected(Vec<Diagnostic>),
}

impl Store {
    /// Puts a module under an id; the same text again changes nothing.
    pub fn put_module(&self, id: &str, text: String) -> Result<(), ModuleError> {
        let _policies = self.policy_writer.lock();
        let current = self.load();
        of_clients(&current.policies, id)?;
        let mut modules = clients(&current.policies);
        match modules.iter_mut().find(|module| module.key == id) {
            Some(module) if module.text == text => return Ok(()),
            Some(module) => module.text = text,
            None => modules.push(Module { key: id.into(), text }),
        }
        self.replace(&current.policies, modules)
    }

    /// Deletes a module that a client put.
    pub fn delete_module(&self, id: &str) -> Result<(), ModuleError> {
        let _policies = self.policy_writer.lock();
        let current = self.load();
        of_clients(&current.policies, id)?;
        let mut modules = clients(&current.policies);
        let before = modules.len();
        modules.retain(|module| module.key != id);
        if modules.len() == before {
            return Err(ModuleError::Missing(id.into()));
        }
        self.replace(&current.policies, modules)
    }

    fn replace(&self, policies: &Policies, mut modules: Vec<Module>) -> Result<(), ModuleError> {
        modules.sort_unstable();
        let next = if modules.is_empty() {
            policies.without(CLIENTS, self.options.rego)
        } else {
            policies.with(CLIENTS, modules, self.options.rego)
        };
        next.and_then(|next| self.enforce(Arc::new(next))).map(drop).map_err(ModuleError::Rejected)
    }
}

fn clients(policies: &Policies) -> Vec<Module> {
    policies.sets.get(CLIENTS).map(|set| set.modules.clone()).unwrap_or_default()
}

fn of_clients(policies: &Policies, id: &str) -> Result<(), ModuleError> {
    let other = policies.modules().find(|(found, set, _)| found == id && *set != CLIENTS);
    match other {
        Some((_, set, _)) => Err(ModuleError::Elsewhere { id: id.into(), set: set.into() }),
        None => Ok(()),
    }
}

impl Policies {
    /// All modules in force: id, set and module, by set.
    pub fn modules(&self) -> impl Iterator<Item = (String, &str, &Module)> {
        self.sets.iter().flat_map(move |(name, set)| {
            set.modules.iter().map(move |module| (self.compiled_key(name, &module.key), name.as_str(), module))
        })
    }
}
