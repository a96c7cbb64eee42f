//! On which objects it is said what a cause does to many: on the cluster that changed, on the ConfigMap with the policy that did.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use plimsoll_contract::kind::Gvr;
use plimsoll_contract::moves::Cause;

use crate::plan::note::Subject;
use crate::replicate::discovery::Discovered;

/// Changes of policy that are remembered.
const CHANGES: usize = 64;
/// ConfigMaps that one change is said on.
const MOST: usize = 3;

/// Finds the objects that causes are about: the cluster, or the ConfigMaps with the policies, that changed.
#[derive(Clone, Default)]
pub struct Causes {
    /// The ConfigMap of the brake's record: where all else is said.
    record: Option<Subject>,
    /// The API server's names of kinds.
    kinds: Option<Discovered>,
    /// Digest of a policy set, and the ConfigMaps that changed when it came.
    policies: Arc<Mutex<Changes>>,
}

type Changes = VecDeque<(String, Vec<Subject>)>;

impl Causes {
    /// `record`: namespace and name of the brake's ConfigMap, if there is one.
    pub fn new(record: Option<(String, String)>, kinds: Discovered) -> Self {
        let record = record.map(|(namespace, name)| Subject::config_map(&namespace, &name));
        Self { record, kinds: Some(kinds), policies: Arc::default() }
    }

    /// All of it on one ConfigMap.
    #[cfg(test)]
    pub(crate) fn on(namespace: &str, name: &str) -> Self {
        Self { record: Some(Subject::config_map(namespace, name)), ..Self::default() }
    }

    /// These ConfigMaps changed when the policies of this digest came.
    pub fn policies(&self, digest: &str, changed: Vec<Subject>) {
        let mut policies = self.policies.lock();
        policies.retain(|(known, _)| known != digest);
        if !changed.is_empty() {
            policies.push_back((digest.to_owned(), changed));
        }
        while policies.len() > CHANGES {
            policies.pop_front();
        }
    }

    /// Returns the objects that it is said on; none if nobody knows where.
    pub fn subjects(&self, cause: Option<&Cause>) -> Vec<Subject> {
        let known = match cause {
            Some(Cause::Data { gvr, namespace, name, .. }) => self.replicated(gvr, namespace, name).into_iter().collect(),
            Some(Cause::Policy { to, .. }) => self.changed(to),
            _ => Vec::new(),
        };
        if known.is_empty() { self.record.clone().into_iter().collect() } else { known }
    }

    fn changed(&self, digest: &str) -> Vec<Subject> {
        let policies = self.policies.lock();
        let changed = policies.iter().rev().find(|(known, _)| known == digest);
        changed.map(|(_, subjects)| subjects.iter().take(MOST).cloned().collect()).unwrap_or_default()
    }

    /// An object of a kind that this sidecar replicates: its rights are for these, whatever other sources there are.
    fn replicated(&self, gvr: &Gvr, namespace: &str, name: &str) -> Option<Subject> {
        let kind = self.kinds.as_ref()?.kind(gvr)?;
        Some(Subject {
            gvr: gvr.clone(),
            kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            uid: String::new(),
            resource_version: String::new(),
        })
    }
}

impl std::fmt::Debug for Causes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Causes").field("record", &self.record).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::kind::Kind;

    use super::*;

    fn names(causes: &Causes, cause: Option<&Cause>) -> Vec<(String, String)> {
        causes.subjects(cause).into_iter().map(|subject| (subject.kind, subject.name)).collect()
    }

    fn one(kind: &str, name: &str) -> Vec<(String, String)> {
        vec![(kind.to_owned(), name.to_owned())]
    }

    fn label(gvr: &str) -> Cause {
        let gvr = Gvr::try_from(gvr.to_owned()).unwrap();
        Cause::Data { gvr, namespace: String::new(), name: "c1".into(), change: "label `x` removed".into(), others: 0 }
    }

    fn policy(to: &str) -> Cause {
        Cause::Policy { from: "old".into(), to: to.into() }
    }

    #[test]
    fn it_is_said_on_what_changed_and_else_on_the_record() {
        let gvr = Gvr::try_from("fleet.example.com/v1/clusters".to_owned()).unwrap();
        let kinds = Discovered::of(vec![Kind::new(gvr, "Cluster")]);
        let causes = Causes::new(Some(("ns".into(), "brake".into())), kinds);
        causes.policies("new", vec![Subject::config_map("ns", "eu")]);
        let record = one("ConfigMap", "brake");
        assert_eq!(names(&causes, Some(&label("fleet.example.com/v1/clusters"))), one("Cluster", "c1"));
        assert_eq!(names(&causes, Some(&policy("new"))), one("ConfigMap", "eu"));
        for other in [None, Some(label("v1/pods")), Some(policy("unknown")), Some(Cause::First), Some(Cause::Unknown)] {
            assert_eq!(names(&causes, other.as_ref()), record, "{other:?}");
        }
        causes.policies("new", vec![]);
        assert_eq!(names(&causes, Some(&policy("new"))), record, "it came once more, and nobody knows why");
        assert_eq!(names(&Causes::default(), None), []);
    }

    #[test]
    fn so_many_changes_are_remembered_and_the_last_ones() {
        let causes = Causes::default();
        for number in 0..CHANGES * 2 {
            causes.policies(&number.to_string(), vec![Subject::config_map("ns", "eu")]);
        }
        assert_eq!(causes.policies.lock().len(), CHANGES);
        assert_eq!(names(&causes, Some(&policy(&(CHANGES * 2 - 1).to_string()))), one("ConfigMap", "eu"));
    }
}
