//! `format` (`internal/gojsonschema`, `format_checkers.go`). What is not known fits.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::Regex;

use crate::builtins::uri::url::Url;
use crate::builtins::{regex::is_pattern, time};

/// A pattern; one that does not compile fits nothing.
type Pattern = LazyLock<Option<Regex>>;

static HOSTNAME: Pattern = LazyLock::new(|| {
    let label = r"([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\-]{0,61}[a-zA-Z0-9])";
    Regex::new(&format!(r"\A{label}(\.{label})*\z")).ok()
});
static TEMPLATE: Pattern = LazyLock::new(|| Regex::new(r"\A([^{]*(\{[^}]*\})?)*\z").ok());
static UUID: Pattern =
    LazyLock::new(|| Regex::new(r"(?i-u)\A[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}\z").ok());
static POINTER: Pattern = LazyLock::new(|| Regex::new(r"\A(?:/(?:[^~/]|~0|~1)*)*\z").ok());
static RELATIVE_POINTER: Pattern = LazyLock::new(|| Regex::new(r"\A(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~0|~1)*)*)\z").ok());
/// The address of `mail.ParseAddress`, with a name before it or without.
static EMAIL: Pattern = LazyLock::new(|| {
    let atom = r"[^\x00-\x20()<>\[\]:;@\\,.\x22\x7f]+";
    let local = format!(r"(?:{atom}(?:\.{atom})*|\x22(?:[^\x22\\\r\n]|\\.)*\x22)");
    let address = format!(r"{local}@(?:{atom}(?:\.{atom})*|\[[^\[\]\\]*\])");
    let name = format!(r"(?:(?:{atom}|\.|\x22(?:[^\x22\\\r\n]|\\.)*\x22)[ \t]*)*");
    Regex::new(&format!(r"\A[ \t]*(?:{address}|{name}<{address}>)[ \t]*\z")).ok()
});

/// Whether a text has a format.
pub(super) fn fits(format: &str, text: &str) -> bool {
    match format {
        "date" => is_time(&["2006-01-02"], text),
        "time" => is_time(&["15:04:05Z07:00", "15:04:05"], text),
        "date-time" => is_time(&["15:04:05", "15:04:05Z07:00", "2006-01-02", "2006-01-02T15:04:05Z07:00"], text),
        "hostname" => matches(&HOSTNAME, text) && text.len() < 256,
        "email" | "idn-email" => matches(&EMAIL, text),
        "ipv4" => is_address(text) && text.contains('.'),
        "ipv6" => is_address(text) && text.contains(':'),
        "uri" | "iri" => url(text).is_some_and(|url| !url.scheme.is_empty()),
        "uri-reference" | "iri-reference" => url(text).is_some(),
        "uri-template" => url(text).is_some_and(|url| matches(&TEMPLATE, &url.path)),
        "uuid" => matches(&UUID, text),
        "regex" => is_pattern(text),
        "json-pointer" => matches(&POINTER, text),
        "relative-json-pointer" => matches(&RELATIVE_POINTER, text),
        _ => true,
    }
}

fn matches(pattern: &Pattern, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

fn is_time(layouts: &[&str], text: &str) -> bool {
    layouts.iter().any(|layout| time::parse::parse(layout, text).is_ok())
}

fn is_address(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok() || text.parse::<Ipv6Addr>().is_ok()
}

/// No backslash stands in one.
fn url(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|_| !text.contains('\\'))
}
