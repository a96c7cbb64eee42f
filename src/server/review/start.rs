//! Who asks, from the start of a review alone: for one that is too large to be read, or that there is no memory for now. The API
//! server writes version and uid first.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::wire::Version;

/// The version and uid; v1alpha1 has no uid. Nothing is kept of the rest.
pub fn asked(start: &[u8]) -> Option<(Version, String)> {
    let mut found = Found::default();
    // The text most likely ends in the middle: what was found until then counts.
    let _ = serde_json::Deserializer::from_slice(start).deserialize_map(Envelope(&mut found));
    let version = Version::of(&found.api_version).filter(|_| found.kind == "AdmissionReview")?;
    if version == Version::V1alpha1 {
        return Some((version, String::new()));
    }
    Some((version, found.uid.filter(|uid| !uid.is_empty())?))
}

#[derive(Default)]
struct Found {
    api_version: String,
    kind: String,
    uid: Option<String>,
}

struct Envelope<'f>(&'f mut Found);

impl<'de> Visitor<'de> for Envelope<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an AdmissionReview")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            match name.as_str() {
                "apiVersion" => self.0.api_version = members.next_value()?,
                "kind" => self.0.kind = members.next_value()?,
                "request" => members.next_value_seed(RequestSeed(self.0))?,
                _ => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

struct RequestSeed<'f>(&'f mut Found);

impl<'de> serde::de::DeserializeSeed<'de> for RequestSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RequestSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a request")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            match name.as_str() {
                "uid" => self.0.uid = Some(members.next_value()?),
                _ => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_enough() {
        let whole = r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u1","object":{"a":[1,2"#;
        assert_eq!(asked(whole.as_bytes()), Some((Version::V1, "u1".into())));
        let last = r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"object":{"a":[1]},"uid":"u1"}}"#;
        assert_eq!(asked(last.as_bytes()), Some((Version::V1, "u1".into())));
        let alpha = r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1alpha1","spec":{"object":{"#;
        assert_eq!(asked(alpha.as_bytes()), Some((Version::V1alpha1, String::new())));
        let beta = whole.replace("/v1", "/v1beta1");
        assert_eq!(asked(beta.as_bytes()), Some((Version::V1beta1, "u1".into())));
        let others = [
            "",
            "   ",
            "[1",
            r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u"#,
            r#"{"kind":"AdmissionReview","request":{"uid":"u1","object":{"#,
            r#"{"kind":"Pod","apiVersion":"admission.k8s.io/v1","request":{"uid":"u1","#,
            r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"","#,
        ];
        for text in others {
            assert_eq!(asked(text.as_bytes()), None, "{text}");
        }
    }
}
