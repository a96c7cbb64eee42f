//! `exemptNamespaces`: names, and why nothing else.

use std::fmt;

use serde::Deserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};

/// Labels are set by tenants, names are not.
pub(super) const NOT_A_SELECTOR: &str =
    "list names, as in [cert-manager]: by a selector, whoever labels a Namespace would take it out of policy";

/// Reads a list of names.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    deserializer.deserialize_any(Names)
}

/// A DNS label, which is what a namespace's name is.
pub(super) fn is_namespace(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    (1..=63).contains(&text.len())
        && text.chars().all(|c| is_letter(c) || c == '-')
        && text.starts_with(is_letter)
        && text.ends_with(is_letter)
}

struct Names;

impl<'de> Visitor<'de> for Names {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("names of namespaces")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut names = Vec::new();
        while let Some(name) = list.next_element()? {
            names.push(name);
        }
        Ok(names)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
        Err(E::custom(NOT_A_SELECTOR))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
        Err(A::Error::custom(NOT_A_SELECTOR))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_dns_label() {
        let cases = [("cert-manager", true), ("a", true), ("9", true), ("", false), ("a.b", false), ("A", false), ("-a", false)];
        for (text, expected) in cases.into_iter().chain([("a-", false), ("a=b", false), ("*", false)]) {
            assert_eq!(is_namespace(text), expected, "{text}");
        }
        assert!(!is_namespace(&"a".repeat(64)));
    }
}
