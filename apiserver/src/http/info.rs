//! What a request is about, read from its path alone, so that routing and authorization see the same thing. Source:
//! `apiserver` `pkg/endpoints/request/requestinfo.go`; stricter in that only canonical paths are read at all
//! (lesson of CVE-2022-3162).

use crate::status::Status;

/// What a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A resource, or one object of it.
    Resource(Info),
    /// Anything else, such as `/healthz` or `/apis/apps`; without a slash at the end.
    Path(String),
}

/// A resource, or one object of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Empty for core.
    pub group: String,
    /// Such as `v1`.
    pub version: String,
    /// The plural.
    pub resource: String,
    /// Such as `status`; mostly empty.
    pub subresource: String,
    /// Empty for what has no namespace, and for all namespaces.
    pub namespace: String,
    /// Empty for the whole collection.
    pub name: String,
}

/// Kubernetes' verbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "Kubernetes' own names")]
pub enum Verb {
    Create,
    Delete,
    DeleteCollection,
    Get,
    List,
    Patch,
    Update,
    Watch,
}

impl Verb {
    /// As rules of RBAC spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Get => "get",
            Self::List => "list",
            Self::Patch => "patch",
            Self::Update => "update",
            Self::Watch => "watch",
        }
    }

    /// Of a method on an object or, where `named` is false, on a collection.
    pub fn of(method: &str, named: bool, watch: bool) -> Option<Self> {
        Some(match (method, named) {
            ("GET" | "HEAD", _) if watch => Self::Watch,
            ("GET" | "HEAD", true) => Self::Get,
            ("GET" | "HEAD", false) => Self::List,
            ("POST", _) => Self::Create,
            ("PUT", true) => Self::Update,
            ("PATCH", true) => Self::Patch,
            ("DELETE", true) => Self::Delete,
            ("DELETE", false) => Self::DeleteCollection,
            _ => return None,
        })
    }

    /// Whether it may change something.
    pub fn mutates(self) -> bool {
        !matches!(self, Self::Get | Self::List | Self::Watch)
    }
}

/// Subresources of a namespace; everything else below its name is a resource in it.
const OF_NAMESPACES: [&str; 2] = ["status", "finalize"];

impl Target {
    /// Reads a raw path, percent-encoded as it came.
    pub fn read(path: &str) -> Result<Self, Status> {
        let segments = segments(path)?;
        let words: Vec<&str> = segments.iter().map(String::as_str).collect();
        Ok(match words.as_slice() {
            ["api", version, rest @ ..] if !rest.is_empty() => resource("", version, rest)?,
            ["apis", group, version, rest @ ..] if !rest.is_empty() => resource(group, version, rest)?,
            words => Self::Path(format!("/{}", words.join("/"))),
        })
    }
}

fn resource(group: &str, version: &str, rest: &[&str]) -> Result<Target, Status> {
    let (namespace, rest) = match rest {
        ["namespaces", name, sub, ..] if OF_NAMESPACES.contains(sub) && group.is_empty() => (*name, rest),
        ["namespaces", name, inner @ ..] if !inner.is_empty() => (*name, inner),
        ["namespaces", name] => (*name, rest),
        rest => ("", rest),
    };
    let (resource, name, subresource) = match rest {
        [resource] => (*resource, "", ""),
        [resource, name] => (*resource, *name, ""),
        [resource, name, subresource] => (*resource, *name, *subresource),
        _ => return Err(Status::no_such_path()),
    };
    let [group, version, resource, subresource, namespace, name] =
        [group, version, resource, subresource, namespace, name].map(str::to_owned);
    Ok(Target::Resource(Info { group, version, resource, subresource, namespace, name }))
}

/// The decoded segments of a path in its one canonical form; a slash at the end is allowed.
fn segments(path: &str) -> Result<Vec<String>, Status> {
    let refused = || {
        Status::bad_request("the path is not canonical: it may hold no empty, `.` or `..` segment and no encoded `/`, `.` or `%`")
    };
    let inner = path.strip_prefix('/').ok_or_else(refused)?;
    let inner = inner.strip_suffix('/').unwrap_or(inner);
    if inner.is_empty() && path.len() <= 1 {
        return Ok(Vec::new());
    }
    inner.split('/').map(|segment| decode(segment).ok_or_else(refused)).collect()
}

/// One segment; `None` if it is empty, special, or hides a special character.
fn decode(segment: &str) -> Option<String> {
    if segment.is_empty() || segment == "." || segment == ".." {
        return None;
    }
    let mut bytes = segment.bytes();
    let mut decoded = Vec::with_capacity(segment.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let value = digit(bytes.next()?)? * 16 + digit(bytes.next()?)?;
                let value = u8::try_from(value).ok()?;
                if matches!(value, b'/' | b'.' | b'%' | b'\\') || value.is_ascii_control() {
                    return None;
                }
                value
            }
            byte if byte.is_ascii_control() || byte == b'\\' => return None,
            byte => byte,
        });
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(group: &str, version: &str, namespace: &str, rest: &str) -> Target {
        let mut rest = rest.split('/').map(str::to_owned);
        let mut next = || rest.next().unwrap_or_default();
        let (resource, name, subresource) = (next(), next(), next());
        let [group, version, namespace] = [group, version, namespace].map(str::to_owned);
        Target::Resource(Info { group, version, resource, subresource, namespace, name })
    }

    #[test]
    fn paths_name_resources() {
        let table = [
            ("/api/v1/pods", info("", "v1", "", "pods")),
            ("/api/v1/namespaces", info("", "v1", "", "namespaces")),
            ("/api/v1/namespaces/a", info("", "v1", "a", "namespaces/a")),
            ("/api/v1/namespaces/a/status", info("", "v1", "a", "namespaces/a/status")),
            ("/api/v1/namespaces/a/finalize", info("", "v1", "a", "namespaces/a/finalize")),
            ("/api/v1/namespaces/a/pods", info("", "v1", "a", "pods")),
            ("/api/v1/namespaces/a/pods/b", info("", "v1", "a", "pods/b")),
            ("/apis/apps/v1/namespaces/a/deployments/b/scale", info("apps", "v1", "a", "deployments/b/scale")),
            ("/apis/apps/v1/deployments/", info("apps", "v1", "", "deployments")),
            (
                "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aadmin",
                info("rbac.authorization.k8s.io", "v1", "", "clusterroles/system:admin"),
            ),
            ("/", Target::Path("/".into())),
            ("/api", Target::Path("/api".into())),
            ("/apis/apps/v1", Target::Path("/apis/apps/v1".into())),
            ("/apis/apps/", Target::Path("/apis/apps".into())),
            ("/readyz/etcd", Target::Path("/readyz/etcd".into())),
        ];
        for (path, expected) in table {
            assert_eq!(Target::read(path).unwrap(), expected, "{path}");
        }
    }

    #[test]
    fn only_canonical_paths_are_read() {
        let paths = [
            "",
            "api",
            "//",
            "//api",
            "/api//v1/pods",
            "/api/./v1",
            "/api/../apis",
            "/api/v1/%2e%2e/x",
            "/api/v1/pods/a%2Fb",
            "/api/v1/pods/a%2fb",
            "/api/v1/pods/a%25b",
            "/api/v1/pods/a%00b",
            "/api/v1/pods/a%zz",
            "/api/v1/pods/a%2",
            "/api/v1/%ff",
            "/a\\b",
            "/api/v1//",
        ];
        for path in paths {
            assert_eq!(Target::read(path).unwrap_err().code, 400, "{path}");
        }
        assert_eq!(Target::read("/api/v1/namespaces/a/pods/b/c/d").unwrap_err().code, 404);
    }

    #[test]
    fn methods_are_verbs() {
        let table = [
            ("GET", true, false, Some("get")),
            ("GET", false, false, Some("list")),
            ("GET", false, true, Some("watch")),
            ("HEAD", true, false, Some("get")),
            ("POST", false, false, Some("create")),
            ("PUT", true, false, Some("update")),
            ("PUT", false, false, None),
            ("PATCH", true, false, Some("patch")),
            ("PATCH", false, false, None),
            ("DELETE", true, false, Some("delete")),
            ("DELETE", false, false, Some("deletecollection")),
            ("OPTIONS", true, false, None),
        ];
        for (method, named, watch, expected) in table {
            assert_eq!(Verb::of(method, named, watch).map(Verb::name), expected, "{method} {named} {watch}");
        }
    }
}
