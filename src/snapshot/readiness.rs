//! Why no decision can be made yet: a list of named conditions.

use super::{Policies, StoreOptions};
use crate::state::{SourceState, State};

/// The name of the directory's policy set.
pub(super) const FILES: &str = "files";

/// One sentence per condition that does not hold.
pub(super) fn reasons(options: &StoreOptions, policies: &Policies, state: &State) -> Vec<String> {
    let mut reasons = Vec::new();
    if options.expect_files && !policies.sets.contains_key(FILES) {
        reasons.push("the policy directory has not been read yet".into());
    }
    for name in &options.expect_bundles {
        if !policies.sets.contains_key(&super::bundle_set(name)) {
            reasons.push(format!("bundle `{name}` has not been activated yet"));
        }
    }
    let is_required = |name: &str| options.require_sources.iter().any(|required| required == name);
    // A set that nobody waits for can be refused without harm, once others are in force.
    let none = !policies.sets.values().any(|set| set.accepted);
    let awaited = |name: &str| {
        none || options.expect_bundles.iter().any(|bundle| super::bundle_set(bundle) == name)
            || (options.expect_files && name == FILES)
            || state.sources.get(name).is_some_and(|source| source.policies && is_required(name))
    };
    let missing = policies.sets.iter().filter(|(name, set)| !set.accepted && awaited(name));
    reasons.extend(missing.map(|(name, set)| never_accepted(name, set)));
    for name in &options.require_sources {
        if !state.sources.contains_key(name) {
            reasons.push(format!("required source `{name}` is not declared: is its `plimsoll sync` running?"));
        }
    }
    // What comes without being asked for cannot take the engine away from everybody else.
    for (name, source) in state.sources.iter().filter(|(name, _)| is_required(name)) {
        reasons.extend(of_source(name, source, policies));
    }
    reasons
}

/// Returns the policy sets of this machine that have never been in force, one sentence each.
pub(super) fn not_loaded(options: &StoreOptions, policies: &Policies) -> Vec<String> {
    let files = options.expect_files.then(|| FILES.to_owned());
    let names = files.into_iter().chain(options.local_bundles.iter().map(|name| super::bundle_set(name)));
    let reasons = names.filter_map(|name| match policies.sets.get(&name) {
        None => Some(format!("policy set `{name}` has not been read yet")),
        Some(set) => (!set.accepted).then(|| never_accepted(&name, set)),
    });
    reasons.collect()
}

fn never_accepted(name: &str, set: &super::PolicySet) -> String {
    match (&set.unreadable, set.errors.first()) {
        (Some(why), _) => format!("policy set `{name}` cannot be read: {why}"),
        (None, Some(first)) => {
            let fallback = set.fallback.as_ref().map(|why| format!("; {why}")).unwrap_or_default();
            format!("policy set `{name}` has never been accepted ({} errors): {first}{fallback}", set.errors.len())
        }
        (None, None) => format!("policy set `{name}` has never been accepted"),
    }
}

fn of_source(name: &str, source: &SourceState, policies: &Policies) -> Vec<String> {
    let missing = source.kinds.iter().filter(|k| k.awaited() && !k.loaded && !source.is_stood_in_for(k));
    let mut reasons: Vec<_> = missing.map(|k| format!("source `{name}` has not loaded {} yet", k.kind.gvr)).collect();
    if source.policies && !policies.sets.contains_key(name) {
        reasons.push(format!("source `{name}` has not sent its policies yet"));
    }
    reasons
}
