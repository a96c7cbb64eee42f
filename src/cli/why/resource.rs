//! Finds the kind that a word means, in the spellings that kubectl takes.

use anyhow::bail;
use plimsoll_contract::kind::Gvr;
use plimsoll_contract::still::resource;

use crate::cli::place::kinds::plural;

/// Short names of Kubernetes' own resources that may be placed or looked at (`kubectl api-resources`).
const SHORT: [(&str, &str); 21] = [
    ("cj", "cronjobs"),
    ("cm", "configmaps"),
    ("crd", "customresourcedefinitions"),
    ("deploy", "deployments"),
    ("ds", "daemonsets"),
    ("ep", "endpoints"),
    ("hpa", "horizontalpodautoscalers"),
    ("ing", "ingresses"),
    ("limits", "limitranges"),
    ("netpol", "networkpolicies"),
    ("no", "nodes"),
    ("ns", "namespaces"),
    ("pdb", "poddisruptionbudgets"),
    ("po", "pods"),
    ("pv", "persistentvolumes"),
    ("pvc", "persistentvolumeclaims"),
    ("quota", "resourcequotas"),
    ("rc", "replicationcontrollers"),
    ("rs", "replicasets"),
    ("sa", "serviceaccounts"),
    ("sts", "statefulsets"),
];

/// Returns the kind in `known` that is meant by `replicasets`, `ReplicaSet`, `rs`, `replicasets.apps`, `replicasets.v1.apps` or
/// `apps/v1/replicasets`. Fails when none or several are meant; the error lists the kinds.
pub(super) fn resolve<'k>(word: &str, known: &'k [Gvr]) -> anyhow::Result<&'k Gvr> {
    let meant: Vec<&Gvr> = known.iter().filter(|gvr| is_meant(word, gvr)).collect();
    let names = |kinds: &mut dyn Iterator<Item = &Gvr>| kinds.map(|gvr| format!("`{}`", resource(gvr))).collect::<Vec<_>>();
    match meant.as_slice() {
        [one] => Ok(one),
        [] if known.is_empty() => {
            bail!("`{word}` is no kind that the engine knows: no sidecar has declared any; see /plimsoll/v1/status")
        }
        [] => bail!("`{word}` is no kind that the engine knows; it knows {}", names(&mut known.iter()).join(", ")),
        several => bail!("`{word}` may be {}: say which", names(&mut several.iter().copied()).join(" or ")),
    }
}

fn is_meant(word: &str, gvr: &Gvr) -> bool {
    if word.contains('/') {
        return word == gvr.to_string();
    }
    let word = word.to_lowercase();
    let (name, rest) = word.split_once('.').map_or((word.as_str(), None), |(name, rest)| (name, Some(rest)));
    let short = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, long)| long);
    let is_name = short == gvr.resource || plural(short) == gvr.resource;
    is_name && rest.is_none_or(|rest| rest == gvr.group || rest == format!("{}.{}", gvr.version, gvr.group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_named_as_kubectl_takes_it() {
        let gvr = |text: &str| Gvr::try_from(text.to_owned()).unwrap();
        let known = [
            gvr("apps/v1/replicasets"),
            gvr("apps/v1/deployments"),
            gvr("v1/endpoints"),
            gvr("a.example/v1/clusters"),
            gvr("b.example/v1/clusters"),
        ];
        for (word, expected) in [
            ("rs", "apps/v1/replicasets"),
            ("ReplicaSet", "apps/v1/replicasets"),
            ("replicasets", "apps/v1/replicasets"),
            ("replicaset.apps", "apps/v1/replicasets"),
            ("replicasets.v1.apps", "apps/v1/replicasets"),
            ("apps/v1/replicasets", "apps/v1/replicasets"),
            ("deploy", "apps/v1/deployments"),
            ("ep", "v1/endpoints"),
            ("clusters.b.example", "b.example/v1/clusters"),
            ("clusters", "say which"),
            ("sts", "it knows `replicasets.apps`, `deployments.apps`, `endpoints`"),
            ("replicasets.extensions", "no kind that the engine knows"),
        ] {
            let found = resolve(word, &known).map_or_else(|error| error.to_string(), ToString::to_string);
            assert!(found.contains(expected), "{word}: {found}");
        }
        assert!(resolve("rs", &[]).unwrap_err().to_string().contains("no sidecar has declared any"));
    }
}
