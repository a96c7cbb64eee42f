//! What the credentials consist of, by content: a file that is replaced, relinked or written in place is another one; a file that
//! is only touched is the same.

use std::path::{Path, PathBuf};

use kube::config::Kubeconfig;
use plimsoll_contract::annotations::digest_all;

use super::Access;

/// What Kubernetes mounts into a Pod.
const IN_CLUSTER: [&str; 2] =
    ["/var/run/secrets/kubernetes.io/serviceaccount/token", "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"];

/// A digest of all files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fingerprint(String);

impl Fingerprint {
    /// Reads every file; one that cannot be read is part of it, too.
    pub(super) fn of(access: &Access) -> Self {
        let mut files = kubeconfigs(access);
        let named: Vec<PathBuf> = files.iter().flat_map(|file| named_in(file)).collect();
        files.extend(named);
        files.extend(IN_CLUSTER.map(PathBuf::from));
        let read = |file: &PathBuf| match std::fs::read(file) {
            Ok(content) => [file.display().to_string(), "read".into(), String::from_utf8_lossy(&content).into_owned()],
            Err(error) => [file.display().to_string(), "not read".into(), error.kind().to_string()],
        };
        let parts: Vec<String> = files.iter().flat_map(read).collect();
        Self(digest_all(parts.iter().map(String::as_str)))
    }
}

/// The kubeconfig files that count.
pub(super) fn kubeconfigs(access: &Access) -> Vec<PathBuf> {
    if let Some(file) = &access.kubeconfig {
        return vec![file.clone()];
    }
    match std::env::var_os("KUBECONFIG") {
        Some(list) => std::env::split_paths(&list).collect(),
        None => std::env::home_dir().map(|home| home.join(".kube/config")).into_iter().collect(),
    }
}

/// The files that a kubeconfig names; none if it cannot be read.
fn named_in(file: &Path) -> Vec<PathBuf> {
    let Ok(kubeconfig) = Kubeconfig::read_from(file) else { return vec![] };
    let authorities = kubeconfig.clusters.into_iter().filter_map(|named| named.cluster?.certificate_authority);
    let users = kubeconfig.auth_infos.into_iter().filter_map(|named| named.auth_info);
    let credentials = users.flat_map(|user| [user.client_certificate, user.client_key, user.token_file]);
    authorities.chain(credentials.flatten()).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kubeconfig_names_is_part_of_it_and_a_touch_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config");
        let text = "clusters: [{name: c, cluster: {server: 'https://x', certificate-authority: ca.crt}}]\n\
                    users: [{name: u, user: {client-certificate: u.crt, client-key: u.key, tokenFile: token}}]\n";
        std::fs::write(&file, text).unwrap();
        let access = Access { kubeconfig: Some(file.clone()), context: None };
        let mut before = Fingerprint::of(&access);
        for name in ["ca.crt", "u.crt", "u.key", "token"] {
            for content in ["one", "two"] {
                std::fs::write(dir.path().join(name), content).unwrap();
                let after = Fingerprint::of(&access);
                assert_ne!(after, before, "{name} {content}");
                std::fs::write(dir.path().join(name), content).unwrap();
                assert_eq!(after, Fingerprint::of(&access), "{name} written again");
                before = after;
            }
        }
        std::fs::write(&file, text.replace("https://x", "https://y")).unwrap();
        assert_ne!(Fingerprint::of(&access), before);
    }
}
