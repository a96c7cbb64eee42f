//! Names, labels and other words with a form. Source of rules and texts: `apimachinery/pkg/util/validation` and
//! `apimachinery/pkg/api/validate/content`.

const DNS_LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

/// How a kind's names are formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRule {
    /// What can be part of a path; RBAC.
    PathSegment,
    /// Most kinds.
    Subdomain,
    /// Namespaces and services.
    Label,
    /// What becomes a DNS name of the older kind: starts with a letter.
    Label1035,
}

impl NameRule {
    /// What is wrong with a name; `prefix` for a `generateName`, which may end with a dash.
    pub fn faults(self, name: &str, prefix: bool) -> Vec<String> {
        let masked;
        let name = if prefix && self != Self::PathSegment && name.ends_with('-') {
            masked = format!("{}a", name.trim_end_matches('-'));
            &masked
        } else {
            name
        };
        match self {
            Self::PathSegment => path_segment(name, prefix),
            Self::Subdomain => subdomain(name),
            Self::Label => dns_label(name),
            Self::Label1035 => label_1035(name),
        }
    }
}

/// Upstream's `RegexError`, with its spaces.
fn expression(text: &str, form: &str, examples: &[&str]) -> String {
    let shown: Vec<String> = examples.iter().map(|example| format!("'{example}', ")).collect();
    format!("{text} (e.g. {}regex used for validation is '{form}')", shown.join(" or "))
}

fn longest(most: usize, unit: &str) -> String {
    format!("must be no more than {most} {unit}")
}

/// A name between slashes.
pub fn path_segment(name: &str, prefix: bool) -> Vec<String> {
    if !prefix && (name == "." || name == "..") {
        return vec![format!("may not be '{name}'")];
    }
    ["/", "%"].iter().filter(|part| name.contains(**part)).map(|part| format!("may not contain '{part}'")).collect()
}

/// RFC 1123 subdomain.
pub fn subdomain(name: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if name.len() > 253 {
        faults.push(longest(253, "characters"));
    }
    if !is_subdomain(name) {
        let text = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
        faults.push(expression(text, &format!("{DNS_LABEL}(\\.{DNS_LABEL})*"), &["example.com"]));
    }
    faults
}

fn is_subdomain(name: &str) -> bool {
    name.split('.').all(is_dns_label)
}

fn is_dns_label(name: &str) -> bool {
    let inside = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    edges(name, inside) && name.bytes().all(|byte| inside(byte) || byte == b'-')
}

/// Whether the first and the last byte are of a class; there must be one.
fn edges(name: &str, class: impl Fn(u8) -> bool) -> bool {
    name.bytes().next().is_some_and(&class) && name.bytes().next_back().is_some_and(&class)
}

/// RFC 1123 label.
pub fn dns_label(name: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if name.len() > 63 {
        faults.push(longest(63, "characters"));
    }
    if !is_dns_label(name) {
        let text = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
        faults.push(match is_subdomain(name) {
            true => "must not contain dots".to_owned(),
            false => expression(text, DNS_LABEL, &["my-name", "123-abc"]),
        });
    }
    faults
}

/// RFC 1035 label: starts with a letter.
pub fn label_1035(name: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if name.len() > 63 {
        faults.push(longest(63, "characters"));
    }
    if !is_dns_label(name) || name.starts_with(|first: char| first.is_ascii_digit()) {
        let text = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
        faults.push(expression(text, "[a-z]([-a-z0-9]*[a-z0-9])?", &["my-name", "abc-123"]));
    }
    faults
}

/// A label's key: an optional subdomain and a name.
pub fn label_key(key: &str) -> Vec<String> {
    let text = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    let shown = expression(text, KEY, &["MyName", "my.name", "123-abc"]);
    let mut faults = Vec::new();
    let parts: Vec<&str> = key.split('/').collect();
    let name = match parts.as_slice() {
        [name] => name,
        [prefix, name] => {
            match prefix.is_empty() {
                true => faults.push("prefix part must be non-empty".to_owned()),
                false => faults.extend(subdomain(prefix).into_iter().map(|fault| {
                    let fault = fault.replace("253 characters", "253 bytes");
                    format!("prefix part {fault}")
                })),
            }
            name
        }
        _ => {
            return vec![format!(
                "a valid label key {shown} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    match name.len() {
        0 => faults.push("name part must be non-empty".to_owned()),
        64.. => faults.push(format!("name part {}", longest(63, "bytes"))),
        _ => {}
    }
    if !is_key(name) {
        faults.push(format!("name part {shown}"));
    }
    faults
}

fn is_key(name: &str) -> bool {
    edges(name, |byte| byte.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// A label's value: may be empty.
pub fn label_value(value: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if value.len() > 63 {
        faults.push(longest(63, "bytes"));
    }
    if !value.is_empty() && !is_key(value) {
        let text = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
        faults.push(expression(text, &format!("({KEY})?"), &["MyValue", "my_value", "12345"]));
    }
    faults
}

/// A key of a ConfigMap or Secret.
pub fn config_key(key: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if key.len() > 253 {
        faults.push(longest(253, "characters"));
    }
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if key.is_empty() || !key.bytes().all(fits) {
        let text = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
        faults.push(expression(text, "[-._a-zA-Z0-9]+", &["key.name", "KEY_NAME", "key-name"]));
    }
    match key {
        "." | ".." => faults.push(format!("must not be '{key}'")),
        _ if key.starts_with("..") => faults.push("must not start with '..'".to_owned()),
        _ => {}
    }
    faults
}

/// The name of an environment variable.
pub fn variable(name: &str) -> Vec<String> {
    if !name.is_empty() && name.bytes().any(|byte| !(0x20..0x7f).contains(&byte) || byte == b'=') {
        return vec![
            "a valid environment variable name must consist only of printable ASCII characters other than '='".to_owned(),
        ];
    }
    Vec::new()
}

/// The name of a port, IANA's service names.
pub fn port_name(name: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if name.len() > 15 {
        faults.push(longest(15, "characters"));
    }
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-') {
        faults.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".to_owned());
    }
    if !name.bytes().any(|byte| byte.is_ascii_lowercase()) {
        faults.push("must contain at least one letter (a-z)".to_owned());
    }
    if name.contains("--") {
        faults.push("must not contain consecutive hyphens".to_owned());
    }
    if name.starts_with('-') || name.ends_with('-') {
        faults.push("must not begin or end with a hyphen".to_owned());
    }
    faults
}

/// What a text must be that stands for a share.
pub const PERCENTAGE: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/// Whether it is a share.
pub fn is_percentage(text: &str) -> bool {
    text.strip_suffix('%').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_are_kubernetes_own() {
        assert_eq!(
            dns_label("A_b"),
            [
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
            ]
        );
        assert_eq!(dns_label("a.b"), ["must not contain dots"]);
        assert_eq!(
            label_key("a b"),
            [
                "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
            ]
        );
        assert_eq!(path_segment("a/b%", false), ["may not contain '/'", "may not contain '%'"]);
    }

    #[test]
    fn names_are_told_from_what_is_none() {
        let good = ["a", "a-b", "a.b", "0", "example.com"];
        let bad = ["", "-a", "a-", "A", "a..b", "a_b", ".", "a."];
        for name in good {
            assert!(subdomain(name).is_empty(), "{name}");
        }
        for name in bad {
            assert!(!subdomain(name).is_empty(), "{name}");
        }
        assert!(NameRule::Subdomain.faults("web-", true).is_empty());
        assert!(!NameRule::Subdomain.faults("web-", false).is_empty());
    }
}
