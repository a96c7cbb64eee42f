//! Users of a kubeconfig by the servers that they are for, as the callers of webhooks choose one. Source: `apiserver`
//! `pkg/util/webhook/authentication.go`.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Credentials, File, KubeconfigError};

/// Who to be for which server. Empty: nobody for any.
#[derive(Clone, Debug, Default)]
pub struct Users {
    /// By `host:port`, `host`, `*.suffix` or `*`.
    named: BTreeMap<String, AuthInfo>,
    /// The user of the current context, for all others.
    current: Option<String>,
}

/// One user, in client-go's word.
#[derive(Clone, PartialEq, Eq)]
pub struct AuthInfo {
    /// PEM of the client's key and certificates.
    pub identity: Option<Vec<u8>>,
    /// Sent with each request.
    pub credentials: Credentials,
}

impl Users {
    /// Reads the file and those that it names, relative to its own folder. Fails when one cannot be read or means something that is not supported.
    pub fn read(path: &Path) -> Result<Self, KubeconfigError> {
        let file = File::read(path)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let context = file.contexts.iter().find(|named| named.name == file.current_context);
        let current = context.map(|named| named.context.user.clone()).filter(|user| !user.is_empty());
        let info = |user: &super::User| {
            Ok::<_, KubeconfigError>(AuthInfo { identity: user.identity(folder)?, credentials: user.credentials(folder)? })
        };
        let named = file.users.iter().map(|named| Ok((named.name.clone(), info(&named.user)?)));
        Ok(Self { named: named.collect::<Result<_, KubeconfigError>>()?, current })
    }

    /// Returns who to be for a server: the user of exactly this name and port, of a suffix of it, the same without port 443, the user for all,
    /// the one of the current context.
    pub fn of(&self, host: &str, port: u16) -> Option<&AuthInfo> {
        let by_default = (port == 443).then(|| self.matching(host)).flatten();
        let found = self.matching(&format!("{host}:{port}")).or(by_default).or_else(|| self.named.get("*"));
        found.or_else(|| self.named.get(self.current.as_deref()?))
    }

    /// The user of this name, or of the longest suffix of it that there is one for.
    fn matching(&self, target: &str) -> Option<&AuthInfo> {
        let suffixes = target.match_indices('.').map(|(dot, _)| format!("*{}", target.get(dot..).unwrap_or_default()));
        self.named.get(target).or_else(|| suffixes.filter_map(|name| self.named.get(&name)).next())
    }
}

impl std::fmt::Debug for AuthInfo {
    /// Keys stay out of logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let identity = self.identity.as_ref().map(|_| "..");
        f.debug_struct("AuthInfo").field("identity", &identity).field("credentials", &self.credentials).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn users(names: &[&str], current: &str) -> Users {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kubeconfig");
        let named: Vec<String> = names.iter().map(|name| format!("{{name: '{name}', user: {{token: 'for {name}'}}}}")).collect();
        let contexts = format!("[{{name: c, context: {{cluster: x, user: '{current}'}}}}]");
        let text = format!("users: [{}]\ncontexts: {contexts}\ncurrent-context: c\n", named.join(", "));
        std::fs::write(&file, text).unwrap();
        Users::read(&file).unwrap()
    }

    #[test]
    fn the_nearest_name_is_taken() {
        let all = ["a.ns.svc:443", "a.ns.svc", "*.ns.svc", "*.svc:8443", "*.svc", "*", "me"];
        let table: [(&[&str], &str, u16, Option<&str>); 10] = [
            (&all, "a.ns.svc", 443, Some("a.ns.svc:443")),
            (&all[1..], "a.ns.svc", 443, Some("a.ns.svc")),
            (&all[2..], "a.ns.svc", 443, Some("*.ns.svc")),
            (&all[4..], "a.ns.svc", 443, Some("*.svc")),
            (&all[1..], "a.ns.svc", 8443, Some("*.svc:8443")),
            (&all[4..], "a.ns.svc", 8443, Some("*")),
            (&all[5..], "127.0.0.1", 1, Some("*")),
            (&["me", "other"], "host", 443, Some("me")),
            (&["other"], "host", 443, None),
            (&[], "host", 443, None),
        ];
        for (names, host, port, expected) in table {
            let users = users(names, "me");
            let found = users.of(host, port).map(|info| info.credentials.clone());
            assert_eq!(found, expected.map(|name| Credentials::Token(format!("for {name}"))), "{names:?} {host}:{port}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused_and_secrets_are_not_printed() {
        assert!(!format!("{:?}", users(&["*"], "")).contains("for *"));
        assert!(Users::read(Path::new("/none/kubeconfig")).unwrap_err().to_string().contains("/none/kubeconfig"));
        assert!(Users::default().of("host", 443).is_none());
    }
}
