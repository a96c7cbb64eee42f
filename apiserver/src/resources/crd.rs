//! CustomResourceDefinitions: what they must be like, their status, and the rows they add to the table of kinds.

pub(crate) mod check;
mod keywords;
pub mod names;
mod rows;
mod structural;
mod version;

pub use rows::{rows, storage_version};

/// Where the definitions themselves are stored.
pub const COLLECTION: &str = "apiextensions.k8s.io/customresourcedefinitions";

/// Orders versions as Kubernetes does: stable before beta before alpha, higher numbers first, other names last and by
/// name. Greater is preferred. Source: `apimachinery/pkg/version`, `CompareKubeAwareVersionStrings`.
pub fn version_rank(version: &str) -> (u8, u64, u64, std::cmp::Reverse<String>) {
    let other = || (0, 0, 0, std::cmp::Reverse(version.to_owned()));
    let Some(rest) = version.strip_prefix('v') else { return other() };
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let Some((major, rest)) = rest.split_at_checked(end) else { return other() };
    let (Ok(major), stage) = (major.parse::<u64>(), rest) else { return other() };
    let (rank, minor) = match (stage, stage.strip_prefix("beta"), stage.strip_prefix("alpha")) {
        ("", _, _) => (3, Some(0)),
        (_, Some(minor), _) => (2, minor.parse().ok()),
        (_, _, Some(minor)) => (1, minor.parse().ok()),
        _ => (0, None),
    };
    match minor {
        Some(minor) => (rank, major, minor, std::cmp::Reverse(String::new())),
        None => other(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ranked_as_kubernetes_ranks_them() {
        let expected = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"];
        let mut versions = expected.to_vec();
        versions.reverse();
        versions.sort_by_key(|version| std::cmp::Reverse(version_rank(version)));
        assert_eq!(versions, expected);
    }
}
