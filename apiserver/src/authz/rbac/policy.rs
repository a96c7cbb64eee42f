//! All roles and bindings of one moment, ready to be asked. Source: `kubernetes` `pkg/registry/rbac/validation/rule.go`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::aggregate::effective_rules;
use super::cover::{EscalationError, missing};
use super::object::{Object, RoleRef, Subject};
use super::rule::Rule;
use super::{GROUP, bootstrap};
use crate::authn::User;
use crate::authz::request::{Verdict, What};
use crate::status::{Details, Reason, Status};

/// The collections that a policy is read from.
pub const COLLECTIONS: [&str; 4] = [
    "rbac.authorization.k8s.io/clusterroles",
    "rbac.authorization.k8s.io/clusterrolebindings",
    "rbac.authorization.k8s.io/roles",
    "rbac.authorization.k8s.io/rolebindings",
];

/// All roles and bindings.
#[derive(Debug, Default)]
pub struct Policy {
    cluster_roles: BTreeMap<String, Vec<Rule>>,
    roles: HashMap<(String, String), Vec<Rule>>,
    cluster_bindings: Vec<Binding>,
    /// By namespace.
    bindings: HashMap<String, Vec<Binding>>,
}

#[derive(Debug)]
struct Binding {
    role: RoleRef,
    /// With what an allowing reason says of each.
    subjects: Vec<(Subject, Arc<str>)>,
}

/// A rule that applies to a user, and the reason for it.
type Granted<'a> = (&'a Arc<str>, &'a Rule);

impl Policy {
    /// Reads the stored objects of [`COLLECTIONS`], in their order. What is no such object grants nothing.
    pub fn read<'a>(objects: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let objects = objects.into_iter().filter_map(|bytes| {
            let object = serde_json::from_slice(bytes);
            object.inspect_err(|error| tracing::warn!(%error, "a stored role or binding cannot be read and grants nothing")).ok()
        });
        Self::from_objects(objects)
    }

    /// What a new store starts with.
    pub fn bootstrap() -> Self {
        let objects = bootstrap::objects().unwrap_or_default();
        Self::from_objects(objects.into_iter().filter_map(|object| serde_json::from_value(object).ok()))
    }

    fn from_objects(objects: impl Iterator<Item = Object>) -> Self {
        let mut policy = Self::default();
        let mut cluster_roles = BTreeMap::new();
        for object in objects {
            let (name, namespace) = (object.metadata.name.clone(), object.metadata.namespace.clone());
            match object.kind.as_str() {
                "ClusterRole" => drop(cluster_roles.insert(name, object)),
                "Role" => drop(policy.roles.insert((namespace, name), object.rules)),
                "ClusterRoleBinding" => policy.cluster_bindings.push(Binding::of(object)),
                "RoleBinding" => policy.bindings.entry(namespace).or_default().push(Binding::of(object)),
                _ => (),
            }
        }
        policy.cluster_roles = effective_rules(&cluster_roles);
        policy
    }

    /// Whether `user` may do it.
    pub fn authorize(&self, user: &User, what: &What<'_>) -> Verdict {
        if user.is_master() {
            return Verdict::Allowed("".into());
        }
        let namespace = match what {
            What::Resource(access) => access.namespace,
            What::Path { .. } => "",
        };
        let mut lost = Vec::new();
        let allowed = self.granted(user, namespace).find_map(|granted| match granted {
            Ok((reason, rule)) => rule.allows(what).then(|| Arc::clone(reason)),
            Err(role) => {
                lost.push(unknown_role(role).message);
                None
            }
        });
        allowed.map_or_else(|| Verdict::NoOpinion(lost_reason(lost)), Verdict::Allowed)
    }

    /// The rules that apply to `user` in a namespace, or cluster-wide where it is empty, and what could not be found.
    pub fn rules_for(&self, user: &User, namespace: &str) -> (Vec<&Rule>, Vec<String>) {
        let (mut rules, mut lost) = (Vec::new(), Vec::new());
        for granted in self.granted(user, namespace) {
            match granted {
                Ok((_, rule)) => rules.push(rule),
                Err(role) => lost.push(unknown_role(role).message),
            }
        }
        lost.dedup();
        (rules, lost)
    }

    /// The rules of the role that a binding in `namespace` refers to.
    pub fn role(&self, role: &RoleRef, namespace: &str) -> Result<&[Rule], Status> {
        self.find(role, namespace).ok_or_else(|| unknown_role(role))
    }

    /// Fails when `user` does not have all that `rules` allow in `namespace`; the error says what is missing.
    pub fn has_all(&self, user: &User, namespace: &str, rules: &[Rule]) -> Result<(), EscalationError> {
        let (owned, unresolved) = self.rules_for(user, namespace);
        let missing: Vec<String> = missing(&owned, rules).into_iter().collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(EscalationError { user: user.name.clone(), groups: user.groups.clone(), missing, unresolved })
    }

    /// Rules of cluster-wide bindings, then of those in the namespace; an error for a role that is not there.
    fn granted<'p, 'u>(
        &'p self,
        user: &'u User,
        namespace: &'u str,
    ) -> impl Iterator<Item = Result<Granted<'p>, &'p RoleRef>> + use<'p, 'u> {
        let cluster = self.cluster_bindings.iter().map(|binding| (binding, ""));
        let local = self.bindings.get(namespace).filter(|_| !namespace.is_empty());
        let local = local.into_iter().flatten().map(move |binding| (binding, namespace));
        let mine = cluster.chain(local).filter_map(move |(binding, namespace)| {
            let (_, reason) = binding.subjects.iter().find(|(subject, _)| subject.is(user, namespace))?;
            Some((&binding.role, reason, namespace))
        });
        mine.flat_map(move |(role, reason, namespace)| {
            let rules = self.find(role, namespace);
            let unknown = rules.is_none().then_some(Err(role));
            rules.unwrap_or_default().iter().map(move |rule| Ok((reason, rule))).chain(unknown)
        })
    }

    fn find(&self, role: &RoleRef, namespace: &str) -> Option<&[Rule]> {
        let rules = match role.kind.as_str() {
            "ClusterRole" => self.cluster_roles.get(&role.name),
            "Role" => self.roles.get(&(namespace.to_owned(), role.name.clone())),
            _ => None,
        };
        rules.map(Vec::as_slice)
    }
}

impl Binding {
    fn of(object: Object) -> Self {
        let Object { kind, metadata, subjects, role_ref: role, .. } = object;
        let own = match metadata.namespace.as_str() {
            "" => metadata.name.clone(),
            namespace => format!("{}/{namespace}", metadata.name),
        };
        let describe = |subject: Subject| {
            let whom = subject.describe(&metadata.namespace);
            let reason = format!("RBAC: allowed by {kind} {own:?} of {} {:?} to {whom}", role.kind, role.name);
            (subject, Arc::from(reason))
        };
        let subjects = subjects.into_iter().map(describe).collect();
        Self { role, subjects }
    }
}

/// Upstream's text for a role that a binding refers to and that is not there: its lister says it in the singular.
fn unknown_role(role: &RoleRef) -> Status {
    let kind = role.kind.to_lowercase();
    if kind != "role" && kind != "clusterrole" {
        return Status::internal(format!("unsupported role reference kind: {:?}", role.kind));
    }
    let message = format!("{kind}.{GROUP} {:?} not found", role.name);
    let details = Details { name: role.name.clone(), group: GROUP.into(), kind, ..Details::default() };
    Status::new(404, Reason::NotFound, message).with_details(details)
}

fn lost_reason(mut lost: Vec<String>) -> String {
    lost.dedup();
    match lost.as_slice() {
        [] => String::new(),
        [one] => format!("RBAC: {one}"),
        several => format!("RBAC: [{}]", several.join(", ")),
    }
}

#[cfg(test)]
mod tests;
