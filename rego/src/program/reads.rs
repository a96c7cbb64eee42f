//! Which base documents a program reads, as paths of names.

use std::collections::BTreeSet;

use super::{Program, Query};
use crate::depend::{PathSet, Step};
use crate::ir::{GroupKind, Policy};
use crate::value::Value;

impl Program {
    /// The paths below `data` that the rules may read: minimal, none inside another; `[[]]` is all of `data`.
    pub fn reads(&self) -> Vec<Vec<String>> {
        let policy = self.policy();
        let rules = policy.groups.iter().filter(|group| !matches!(group.kind, GroupKind::Function(_)));
        let paths: Vec<&[Value]> = rules.filter_map(|group| group.path.get(1..)).collect();
        let reads = self.dependencies().entries(policy, &paths);
        below(&reads.data, policy)
    }

    /// The same of what the document at a path below `data` depends on.
    pub fn reads_of(&self, path: &[String]) -> Vec<Vec<String>> {
        let path: Vec<_> = path.iter().map(|name| Value::from(name.as_str())).collect();
        below(&self.dependencies().entry(self.policy(), &path).data, self.policy())
    }
}

impl Query {
    /// The paths below `data` that its answers may depend on: minimal, none inside another; `[[]]` is all of `data`.
    pub fn data_paths(&self) -> Vec<Vec<String>> {
        below(&self.reads().data, self.program().policy())
    }
}

/// As far as they are names. What rules define is no base document.
fn below(paths: &PathSet, policy: &Policy) -> Vec<Vec<String>> {
    let names = |path: Vec<Step>| -> Vec<String> { path.iter().map_while(name).map(str::to_owned).collect() };
    let rules: BTreeSet<&[Value]> = policy.groups.iter().filter_map(|group| group.path.get(1..)).collect();
    let is_rule = |path: &[Step]| {
        let path: Vec<Value> = path.iter().map_while(name).map(Value::from).collect();
        (0..=path.len()).filter_map(|length| path.get(..length)).any(|above| rules.contains(above))
    };
    let read = paths.paths().into_iter().filter(|(path, _)| !is_rule(path)).map(|(path, _)| names(path));
    minimal(read.collect())
}

fn name(step: &Step) -> Option<&str> {
    match step {
        Step::Key(Value::String(name)) => Some(name),
        _ => None,
    }
}

/// Drops what lies inside another; in sorted order a path follows what it lies inside.
pub(super) fn minimal(paths: BTreeSet<Vec<String>>) -> Vec<Vec<String>> {
    let mut kept: Vec<Vec<String>> = Vec::new();
    for path in paths {
        if kept.last().is_none_or(|last| !path.starts_with(last)) {
            kept.push(path);
        }
    }
    kept
}
