//! Rules and data never share a path: whichever comes second is refused.

use plimsoll_contract::kind::Kind;
use plimsoll_contract::policy::{Diagnostic, Location};

use super::{Policies, SyncError};
use crate::state::{Found, ROOT, State, Tree, WriteError, reaches};

type Rule = (Vec<String>, Location);

/// Why a kind's objects cannot stand where they would.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KindConflict {
    /// Nothing else is written in a bundle's roots.
    #[error("{gvr} would be replicated into data.{path}, which bundle {bundle:?} owns (root {root:?})")]
    Bundle {
        /// The kind.
        gvr: String,
        /// Where its objects would be, with dots.
        path: String,
        /// By name.
        bundle: String,
        /// The one that overlaps.
        root: String,
    },
    /// Data of policies are there.
    #[error(
        "source `{source_name}` would replicate into data.{path}, where the policy set `{set}` has data ({origin}): take them away, or give the kind another `path`"
    )]
    Data {
        /// Where its objects would be, with dots.
        path: String,
        /// Who declares the kind.
        source_name: String,
        /// The set's name.
        set: String,
        /// The file or key.
        origin: String,
    },
    /// The place is a rule's.
    #[error(
        "objects would be replicated into data.{path}, where a policy has a rule: {rule}; rename the rule's package or give the kind another `path`"
    )]
    Rule {
        /// Where the objects would be, with dots.
        path: String,
        /// With its place.
        rule: String,
    },
    /// Objects as they are reach into rules.
    #[error("{}", .0.join("\n"))]
    Objects(Vec<String>),
}

impl From<KindConflict> for SyncError {
    fn from(conflict: KindConflict) -> Self {
        Self::Invalid(conflict.to_string())
    }
}

/// Returns the conflicts of a policy set with the data and the kinds that exist.
pub(super) fn of_policies(policies: &Policies, state: &State) -> Vec<Diagnostic> {
    let conflicts = policies.rules.iter().filter_map(|rule| {
        let owned = state.owner_at_or_below(&rule.0);
        let message = match owned {
            Some((path, source)) => {
                format!("conflicting rule for data path {path} found: source `{source}` replicates objects there")
            }
            None if occupied(&state.tree, &rule.0) => conflict(rule),
            None => return None,
        };
        let code = "rego_compile_error".into();
        Some(Diagnostic { code, message, location: rule.1.clone(), ..Diagnostic::default() })
    });
    conflicts.collect()
}

/// Fails, in OPA's words, where data just written at a path conflict with the policies.
pub(crate) fn of_write(policies: &Policies, tree: &Tree, path: &[String]) -> Result<(), WriteError> {
    let errors = of_tree(policies, tree, path);
    match errors.as_slice() {
        [] => Ok(()),
        [error] => Err(WriteError::Invalid(format!("1 error occurred: {error}"))),
        _ => Err(WriteError::Invalid(format!("{} errors occurred:\n{}", errors.len(), errors.join("\n")))),
    }
}

/// Fails where a kind's objects lie where policies in force define rules.
pub(crate) fn of_kind(policies: &Policies, tree: &Tree, row: &Kind) -> Result<(), KindConflict> {
    let errors = of_tree(policies, tree, &[ROOT.into(), row.state_path().into()]);
    if errors.is_empty() { Ok(()) } else { Err(KindConflict::Objects(errors)) }
}

/// Fails where a declared kind lies where policies in force define rules.
pub(crate) fn of_kinds(policies: &Policies, state: &State) -> Result<(), KindConflict> {
    for kind in state.kinds() {
        let path = [ROOT.to_owned(), kind.kind.state_path().to_owned()];
        if let Some((bundle, root)) = policies.bundle_at(&path) {
            let (gvr, bundle, root) = (kind.kind.gvr.to_string(), bundle.name.clone(), root.to_owned());
            return Err(KindConflict::Bundle { gvr, path: path.join("."), bundle, root });
        }
    }
    // What the data of a bundle could reach, its roots do. Data above a kind count, if only `{}`: whoever takes them away takes all below.
    let sets = policies.sets.iter().filter(|(_, set)| set.bundle.is_none());
    for (set, document) in sets.flat_map(|(name, set)| set.documents.iter().map(move |document| (name, document))) {
        if let Some((path, source)) = state.owner(&document.path) {
            let (path, source_name, set, origin) =
                (path.replace('/', "."), source.to_owned(), set.clone(), document.origin.clone());
            return Err(KindConflict::Data { path, source_name, set, origin });
        }
    }
    let conflict = policies.rules.iter().find_map(|rule| Some((rule, state.owner_at_or_below(&rule.0)?)));
    match conflict {
        Some((rule, (path, _))) => Err(KindConflict::Rule { path: path.replace('/', "."), rule: shown(rule) }),
        None => Ok(()),
    }
}

fn of_tree(policies: &Policies, tree: &Tree, path: &[String]) -> Vec<String> {
    let near = policies.rules.iter().filter(|(rule, _)| rule.starts_with(path) || path.starts_with(rule));
    near.filter(|(rule, _)| occupied(tree, rule)).map(shown).collect()
}

fn shown(rule: &Rule) -> String {
    format!("{}:{}: rego_compile_error: {}", rule.1.file, rule.1.row, conflict(rule))
}

fn conflict((path, _): &Rule) -> String {
    format!("conflicting rule for data path {} found", path.join("/"))
}

/// Whether data stands at a rule's path, or above it something that is no object.
fn occupied(tree: &Tree, rule: &[String]) -> bool {
    match tree.find(rule) {
        None => false,
        Some((Found::Node(_), _)) => true,
        // What cannot be read is taken for data.
        Some((Found::Inside(leaf), used)) => match leaf.decode() {
            Ok(document) => reaches(&document, rule.get(used..).unwrap_or_default()),
            Err(_) => true,
        },
    }
}
