//! Where a hook is called: a URL, or a Service.

use serde_json::Value as Json;

use crate::names;
use crate::resources::validate::peek::{field, text};
use crate::status::field::{Faults, Path};

const FORM: &str = "; desired format: https://host[/path]";

pub(super) fn validate(client: &Json, path: &Path<'_>, faults: &mut Faults) {
    let (address, service) = (field(client, "url"), field(client, "service"));
    match (address.as_str(), service.is_object()) {
        (Some(address), false) => url(address, &path.child("url"), faults),
        (None, true) => self::service(service, &path.child("service"), faults),
        _ => faults.required(path, "exactly one of url or service is required"),
    }
}

/// The parts of an absolute URL that are judged; empty where they are not there.
struct Url<'a> {
    scheme: &'a str,
    user: Option<&'a str>,
    host: &'a str,
    query: &'a str,
    fragment: &'a str,
}

impl<'a> Url<'a> {
    /// As Go's `net/url` takes it apart; `None` for what it refuses.
    fn read(text: &'a str) -> Option<Self> {
        if text.contains(|c: char| c.is_control() || c == ' ') {
            return None;
        }
        let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let is_scheme = |scheme: &str| scheme.starts_with(|c: char| c.is_ascii_alphabetic());
        let (scheme, rest) = rest.split_once(':').filter(|(scheme, _)| is_scheme(scheme)).unwrap_or(("", rest));
        let authority = rest.strip_prefix("//").map_or("", |rest| rest.split('/').next().unwrap_or_default());
        let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
        let port = host.rsplit_once(':').map_or("", |(_, port)| port);
        let is_port = port.bytes().all(|byte| byte.is_ascii_digit()) || host.ends_with(']');
        is_port.then_some(Self { scheme, user, host, query, fragment })
    }
}

fn url(text: &str, path: &Path<'_>, faults: &mut Faults) {
    let Some(Url { scheme, user, host, query, fragment }) = Url::read(text) else {
        return faults.required(path, &format!("url must be a valid URL: cannot parse {text:?}{FORM}"));
    };
    if scheme != "https" {
        faults.invalid_text(path, scheme, &format!("'https' is the only allowed URL scheme{FORM}"));
    }
    if host.is_empty() {
        faults.invalid_text(path, host, &format!("host must be specified{FORM}"));
    }
    if let Some(user) = user {
        // Never the password, which may be one in earnest.
        let name = user.split(':').next().unwrap_or_default();
        faults.invalid_text(path, name, "user information is not permitted in the URL");
    }
    if !fragment.is_empty() {
        faults.invalid_text(path, fragment, "fragments are not permitted in the URL");
    }
    if !query.is_empty() {
        faults.invalid_text(path, query, "query parameters are not permitted in the URL");
    }
}

fn service(service: &Json, path: &Path<'_>, faults: &mut Faults) {
    // Upstream tells a missing name as a missing namespace, and the other way round.
    for name in ["name", "namespace"].into_iter().filter(|name| text(service, name).is_empty()) {
        faults.required(&path.child(name), "");
    }
    let port = field(service, "port");
    if !port.as_i64().is_some_and(|port| (1..=65_535).contains(&port)) {
        faults.invalid(&path.child("port"), port, "port is not valid: must be between 1 and 65535, inclusive");
    }
    self::path(text(service, "path"), &path.child("path"), faults);
}

fn path(text: &str, path: &Path<'_>, faults: &mut Faults) {
    if text.is_empty() || text == "/" {
        return;
    }
    if text == "//" {
        return faults.invalid_text(path, text, "segment[0] may not be empty");
    }
    if !text.starts_with('/') {
        faults.invalid_text(path, text, "must start with a '/'");
    }
    // Whatever the first character is.
    let inner = text.char_indices().nth(1).and_then(|(start, _)| text.get(start..)).unwrap_or_default();
    for (index, segment) in inner.strip_suffix('/').unwrap_or(inner).split('/').enumerate() {
        if segment.is_empty() {
            faults.invalid_text(path, text, &format!("segment[{index}] may not be empty"));
            continue;
        }
        for fault in names::subdomain(segment) {
            faults.invalid_text(path, text, &format!("segment[{index}]: {fault}"));
        }
    }
}
