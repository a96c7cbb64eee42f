//! A caller, as authentication found it. Source of the names: `apiserver` `pkg/authentication/user` and
//! `pkg/authentication/serviceaccount`.

use std::collections::BTreeMap;

/// Everybody who proved who they are.
pub const AUTHENTICATED: &str = "system:authenticated";
/// Everybody who did not try.
pub const UNAUTHENTICATED: &str = "system:unauthenticated";
/// Who may do everything.
pub const MASTERS: &str = "system:masters";
/// The name of who did not say any.
pub const ANONYMOUS: &str = "system:anonymous";
/// Before the namespace and name of a ServiceAccount.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// A caller. Groups hold `system:authenticated` or `system:unauthenticated` already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// Such as `admin` or `system:serviceaccount:ns:name`.
    pub name: String,
    /// May be empty.
    pub uid: String,
    /// As the credential lists them, each once, `system:authenticated` last.
    pub groups: Vec<String>,
    /// More that the credential says, such as its id.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// Somebody who proved to be `name`.
    pub fn authenticated(name: impl Into<String>, uid: impl Into<String>, groups: Vec<String>) -> Self {
        let mut user = Self { name: name.into(), uid: uid.into(), ..Self::default() };
        let own = groups.into_iter().filter(|group| !group.is_empty());
        for group in own.chain([AUTHENTICATED.to_owned()]) {
            if !user.groups.contains(&group) {
                user.groups.push(group);
            }
        }
        user
    }

    /// Somebody without credentials.
    pub fn anonymous() -> Self {
        Self { name: ANONYMOUS.into(), groups: vec![UNAUTHENTICATED.into()], ..Self::default() }
    }

    /// A ServiceAccount.
    pub fn service_account(namespace: &str, name: &str, uid: &str) -> Self {
        Self::authenticated(service_account_name(namespace, name), uid, service_account_groups(namespace))
    }

    /// Members of `system:masters` may do everything and are never throttled.
    pub fn is_master(&self) -> bool {
        self.in_group(MASTERS)
    }

    /// Whether `group` is one of the user's.
    pub fn in_group(&self, group: &str) -> bool {
        self.groups.iter().any(|own| own == group)
    }
}

/// The user name of a ServiceAccount.
pub fn service_account_name(namespace: &str, name: &str) -> String {
    format!("{SERVICE_ACCOUNT}{namespace}:{name}")
}

/// The groups of every ServiceAccount in a namespace.
pub fn service_account_groups(namespace: &str) -> Vec<String> {
    vec!["system:serviceaccounts".into(), format!("system:serviceaccounts:{namespace}")]
}

/// Namespace and name of the ServiceAccount that a user name names.
pub fn split_service_account(user: &str) -> Option<(&str, &str)> {
    let (namespace, name) = user.strip_prefix(SERVICE_ACCOUNT)?.split_once(':')?;
    let valid = |word: &str| !word.is_empty() && !word.contains(':');
    (valid(namespace) && valid(name)).then_some((namespace, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_kept_in_order_each_once_and_end_with_authenticated() {
        let user = User::authenticated("u", "", vec!["b".into(), "a".into(), "b".into(), String::new()]);
        assert_eq!(user.groups, ["b", "a", AUTHENTICATED]);
        assert_eq!(User::anonymous().groups, [UNAUTHENTICATED]);
    }

    #[test]
    fn names_of_service_accounts_go_both_ways() {
        let user = User::service_account("ns", "robot", "1");
        assert_eq!(user.name, "system:serviceaccount:ns:robot");
        assert_eq!(user.groups, ["system:serviceaccounts", "system:serviceaccounts:ns", AUTHENTICATED]);
        assert_eq!(split_service_account(&user.name), Some(("ns", "robot")));
        for wrong in ["alice", "system:serviceaccount:ns", "system:serviceaccount::x", "system:serviceaccount:a:b:c"] {
            assert_eq!(split_service_account(wrong), None, "{wrong}");
        }
    }
}
