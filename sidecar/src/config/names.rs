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
