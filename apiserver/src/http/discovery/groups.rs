//! The served groups and versions, in the order in which clients prefer them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::resources::Resource;

/// Built-in groups before all others, in the order of kube-apiserver's priorities (`pkg/controlplane/apiserver`); of two
/// groups with one resource, kubectl takes the first. `extensions` stands behind `apps`, as it did in its last releases.
const PREFERRED: &[&str] = &[
    "",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "extensions",
    "federation",
];

/// A group and its versions, the preferred one first.
#[derive(Clone, Debug)]
pub struct Group {
    /// Empty for core.
    pub name: String,
    /// At least one.
    pub versions: Vec<Version>,
}

/// A version of a group and its resources, by name.
#[derive(Clone, Debug)]
pub struct Version {
    /// Such as `v1`.
    pub name: String,
    /// At least one.
    pub resources: Vec<Arc<Resource>>,
}

impl Group {
    /// `group/version`, or the version alone in core.
    pub fn api_version(&self, version: &Version) -> String {
        if self.name.is_empty() { version.name.clone() } else { format!("{}/{}", self.name, version.name) }
    }

    /// Where a version is served, without the leading slash: `api/v1`, `apis/apps/v1`.
    pub fn path(&self, version: &Version) -> String {
        if self.name.is_empty() { format!("api/{}", version.name) } else { format!("apis/{}/{}", self.name, version.name) }
    }
}

/// All groups in order.
pub fn in_order<'a>(resources: impl IntoIterator<Item = &'a Arc<Resource>>) -> Vec<Group> {
    let mut sorted: BTreeMap<&str, BTreeMap<&str, BTreeMap<&str, &Arc<Resource>>>> = BTreeMap::new();
    for resource in resources {
        let versions = sorted.entry(&resource.group).or_default();
        versions.entry(&resource.version).or_default().insert(&resource.plural, resource);
    }
    let mut groups: Vec<Group> = sorted.into_iter().map(|(name, versions)| group(name, versions)).collect();
    groups.sort_by_key(|group| PREFERRED.iter().position(|name| *name == group.name).unwrap_or(PREFERRED.len()));
    groups
}

fn group(name: &str, versions: BTreeMap<&str, BTreeMap<&str, &Arc<Resource>>>) -> Group {
    let version = |(name, resources): (&str, BTreeMap<&str, &Arc<Resource>>)| Version {
        name: name.to_owned(),
        resources: resources.into_values().cloned().collect(),
    };
    let mut versions: Vec<Version> = versions.into_iter().map(version).collect();
    versions.sort_by_key(|version| Reverse(maturity(&version.name)));
    Group { name: name.to_owned(), versions }
}

/// How mature a version is by its name: `v2` > `v1` > `v1beta2` > `v1beta1` > `v1alpha1` > `other`. Names of no known form
/// stay in alphabetical order. Source: apimachinery's `version.CompareKubeAwareVersionStrings`.
fn maturity(version: &str) -> (u8, u64, u64) {
    parse(version).unwrap_or_default()
}

fn parse(version: &str) -> Option<(u8, u64, u64)> {
    let rest = version.strip_prefix('v')?;
    let (stage, major, minor) = match (rest.split_once("alpha"), rest.split_once("beta")) {
        (Some((major, minor)), _) => (1, major, minor),
        (_, Some((major, minor))) => (2, major, minor),
        (None, None) => (3, rest, "0"),
    };
    let number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
    Some((stage, number(major)?, number(minor)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mature_versions_come_first() {
        let mut versions = ["v1alpha1", "v10", "v1", "foo", "v2beta1", "v1beta2", "v2", "v1beta1", "bar", "v1alpha"];
        versions.sort_unstable();
        versions.sort_by_key(|version| Reverse(maturity(version)));
        assert_eq!(versions, ["v10", "v2", "v1", "v2beta1", "v1beta2", "v1beta1", "v1alpha1", "bar", "foo", "v1alpha"]);
    }
}
