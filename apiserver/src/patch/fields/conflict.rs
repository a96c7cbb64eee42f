//! Fields that an applier wants and others own. Sources: `structured-merge-diff` `merge/conflict.go`,
//! `managedfields/internal/conflict.go`.

use std::fmt;

use super::Operation;
use super::managed::Identity;
use super::set::{Path, Set};
use crate::patch::go_text;
use crate::status::Cause;

/// What clients look for in a cause.
const REASON: &str = "FieldManagerConflict";

/// Fields by who owns them; its text is the message of the 409.
#[derive(Clone, Debug, Default)]
pub struct Conflicts {
    owners: Vec<(Identity, Vec<Path>)>,
}

impl Conflicts {
    /// One more owner.
    pub(crate) fn add(&mut self, owner: &Identity, fields: &Set) {
        self.owners.push((owner.clone(), fields.paths()));
    }

    /// Whether nobody objects.
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// Without the fields of `allowed`.
    pub(crate) fn except(self, allowed: &Set) -> Self {
        let left = self.owners.into_iter().map(|(owner, mut paths)| {
            paths.retain(|path| !allowed.has_path(&path.0));
            (owner, paths)
        });
        Self { owners: left.filter(|(_, paths)| !paths.is_empty()).collect() }
    }

    /// One for each field.
    pub fn causes(&self) -> Vec<Cause> {
        let cause = |owner: &Identity, path: &Path| Cause {
            reason: REASON.into(),
            message: format!("conflict with {}", shown(owner)),
            field: path.to_string(),
        };
        self.owners.iter().flat_map(|(owner, paths)| paths.iter().map(move |path| cause(owner, path))).collect()
    }
}

impl fmt::Display for Conflicts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count: usize = self.owners.iter().map(|(_, paths)| paths.len()).sum();
        if let [(owner, paths)] = self.owners.as_slice()
            && let [path] = paths.as_slice()
        {
            return write!(out, "Apply failed with 1 conflict: conflict with {}: {path}", shown(owner));
        }
        let lines = self.owners.iter().flat_map(|(owner, paths)| {
            let head = format!("conflicts with {}:", shown(owner));
            std::iter::once(head).chain(paths.iter().map(|path| format!("- {path}")))
        });
        write!(out, "Apply failed with {count} conflicts: {}", lines.collect::<Vec<_>>().join("\n"))
    }
}

fn shown(owner: &Identity) -> String {
    let mut text = go_text::quoted(&owner.manager);
    if !owner.subresource.is_empty() {
        text.push_str(&format!(" with subresource {}", go_text::quoted(&owner.subresource)));
    }
    if owner.operation == Operation::Update {
        text.push_str(&format!(" using {}", owner.api_version));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(manager: &str, operation: Operation, subresource: &str) -> Identity {
        let api_version = if operation == Operation::Apply { "" } else { "v1" };
        Identity { manager: manager.into(), operation, api_version: api_version.into(), subresource: subresource.into() }
    }

    #[test]
    fn conflicts_read_as_upstream() {
        let mut conflicts = Conflicts::default();
        conflicts.add(&identity("kubectl", Operation::Update, ""), &Set::of_fields([["data", "key"].as_slice()]));
        assert_eq!(conflicts.to_string(), "Apply failed with 1 conflict: conflict with \"kubectl\" using v1: .data.key");
        let fields = Set::of_fields([["data", "a"].as_slice(), ["data", "b"].as_slice()]);
        conflicts.add(&identity("other", Operation::Apply, "status"), &fields);
        let expected = "Apply failed with 3 conflicts: conflicts with \"kubectl\" using v1:\n- .data.key\n\
            conflicts with \"other\" with subresource \"status\":\n- .data.a\n- .data.b";
        assert_eq!(conflicts.to_string(), expected);
        let causes = conflicts.causes();
        assert_eq!(causes.len(), 3);
        assert_eq!((causes[0].reason.as_str(), causes[0].field.as_str()), (REASON, ".data.key"));
        assert_eq!(causes[0].message, "conflict with \"kubectl\" using v1");
        let left = conflicts.except(&fields);
        assert_eq!(left.to_string(), "Apply failed with 1 conflict: conflict with \"kubectl\" using v1: .data.key");
    }
}
