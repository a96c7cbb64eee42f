//! Acting as somebody else: the `Impersonate-*` headers, each part of which needs the verb `impersonate`. Source:
//! `apiserver` `pkg/endpoints/filters/impersonation/impersonation.go`.

use std::collections::BTreeMap;

use super::rbac::Policy;
use super::request::{Access, What};
use crate::authn::User;
use crate::authn::user::{ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED, service_account_groups, split_service_account};
use crate::status::Status;

const USER: &str = "impersonate-user";
const GROUP: &str = "impersonate-group";
const UID: &str = "impersonate-uid";
const EXTRA: &str = "impersonate-extra-";

/// The API group of uids and extras.
const AUTHENTICATION: &str = "authentication.k8s.io";

/// As whom a request asks to act.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impersonation {
    user: String,
    uid: String,
    groups: Vec<String>,
    extra: BTreeMap<String, Vec<String>>,
}

impl Impersonation {
    /// Reads headers (names in lower case); none of its headers: nobody is impersonated.
    pub fn read<'a>(headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Option<Self>, Status> {
        let mut asked = Self::default();
        for (name, value) in headers {
            match name {
                USER if asked.user.is_empty() => asked.user = value.into(),
                UID if asked.uid.is_empty() => asked.uid = value.into(),
                GROUP => asked.groups.push(value.into()),
                name => {
                    let Some(key) = name.strip_prefix(EXTRA) else { continue };
                    asked.extra.entry(unescape(key)).or_default().push(value.into());
                }
            }
        }
        if asked == Self::default() {
            return Ok(None);
        }
        if asked.user.is_empty() {
            return Err(Status::bad_request("requested to impersonate groups, a uid or extras without impersonating a user"));
        }
        Ok(Some(asked))
    }

    /// The user that is acted as, if `caller` may act as each part of it.
    pub fn apply(self, policy: &Policy, caller: &User) -> Result<User, Status> {
        for access in self.accesses() {
            let what = What::Resource(Access { verb: "impersonate", ..access });
            policy.authorize(caller, &what).or_forbidden(caller, &what)?;
        }
        Ok(self.into_user())
    }

    fn accesses(&self) -> Vec<Access<'_>> {
        let plain = |resource, name| Access { resource, name, ..Access::default() };
        let mut accesses = vec![match split_service_account(&self.user) {
            Some((namespace, name)) => Access { namespace, ..plain("serviceaccounts", name) },
            None => plain("users", &self.user),
        }];
        accesses.extend(self.groups.iter().map(|group| plain("groups", group)));
        for (key, values) in &self.extra {
            let of = |value| Access { group: AUTHENTICATION, subresource: key, ..plain("userextras", value) };
            accesses.extend(values.iter().map(|value| of(value)));
        }
        if !self.uid.is_empty() {
            accesses.push(Access { group: AUTHENTICATION, ..plain("uids", &self.uid) });
        }
        accesses
    }

    fn into_user(self) -> User {
        let mut groups = self.groups;
        if let (true, Some((namespace, _))) = (groups.is_empty(), split_service_account(&self.user)) {
            groups = service_account_groups(namespace);
        }
        let kinds: &[&str] = if self.user == ANONYMOUS { &[UNAUTHENTICATED] } else { &[AUTHENTICATED, UNAUTHENTICATED] };
        if !groups.iter().any(|group| kinds.contains(&group.as_str())) {
            groups.extend(kinds.first().map(|kind| (*kind).to_owned()));
        }
        User { name: self.user, uid: self.uid, groups, extra: self.extra }
    }
}

/// Keys of extras are percent-encoded in header names; what is malformed stays as it is.
fn unescape(key: &str) -> String {
    let mut bytes = Vec::with_capacity(key.len());
    let mut rest = key;
    while let Some((before, after)) = rest.split_once('%') {
        let Some(byte) = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
            return key.to_owned();
        };
        bytes.extend_from_slice(before.as_bytes());
        bytes.push(byte);
        rest = after.get(2..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).unwrap_or_else(|_| key.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn policy() -> Policy {
        let rules = json!([
            {"verbs": ["impersonate"], "apiGroups": [""], "resources": ["users"], "resourceNames": ["bob"]},
            {"verbs": ["impersonate"], "apiGroups": [""], "resources": ["groups", "serviceaccounts"]},
            {"verbs": ["impersonate"], "apiGroups": ["authentication.k8s.io"], "resources": ["userextras/scopes"]},
        ]);
        let objects = [
            json!({"kind": "ClusterRole", "metadata": {"name": "r"}, "rules": rules}),
            json!({"kind": "ClusterRoleBinding", "metadata": {"name": "b"}, "roleRef": {"kind": "ClusterRole", "name": "r"},
                   "subjects": [{"kind": "User", "name": "alice"}]}),
        ]
        .map(|object| object.to_string());
        Policy::read(objects.iter().map(|object| object.as_bytes()))
    }

    fn act(headers: &[(&str, &str)]) -> Result<User, String> {
        let alice = User::authenticated("alice", "", vec![]);
        let asked = Impersonation::read(headers.iter().copied()).map_err(|status| status.message)?;
        asked.unwrap().apply(&policy(), &alice).map_err(|status| status.message)
    }

    #[test]
    fn each_part_must_be_allowed() {
        let bob =
            act(&[(USER, "bob"), (GROUP, "dev"), ("impersonate-extra-scopes", "a"), ("impersonate-extra-scopes", "b")]).unwrap();
        assert_eq!((bob.name.as_str(), bob.groups), ("bob", vec!["dev".to_owned(), AUTHENTICATED.into()]));
        assert_eq!(bob.extra["scopes"], ["a", "b"]);
        let robot = act(&[(USER, "system:serviceaccount:ns:robot")]).unwrap();
        assert_eq!(robot.groups, User::service_account("ns", "robot", "").groups);
        let refused = [
            (
                vec![(USER, "carol")],
                r#"users "carol" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster scope"#,
            ),
            (
                vec![(USER, "bob"), (UID, "1")],
                r#"uids.authentication.k8s.io "1" is forbidden: User "alice" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope"#,
            ),
            (
                vec![(USER, "bob"), ("impersonate-extra-a%2fb", "x")],
                r#"userextras.authentication.k8s.io "x" is forbidden: User "alice" cannot impersonate resource "userextras/a/b" in API group "authentication.k8s.io" at the cluster scope"#,
            ),
            (vec![(GROUP, "dev")], "requested to impersonate groups, a uid or extras without impersonating a user"),
        ];
        for (headers, expected) in refused {
            assert_eq!(act(&headers).unwrap_err(), expected);
        }
        assert_eq!(Impersonation::read([("accept", "*/*")]), Ok(None));
    }

    #[test]
    fn extras_are_unescaped() {
        for (key, expected) in [("plain", "plain"), ("a%2fb", "a/b"), ("bad%", "bad%"), ("bad%zz", "bad%zz"), ("%ff", "%ff")] {
            assert_eq!(unescape(key), expected);
        }
    }
}
