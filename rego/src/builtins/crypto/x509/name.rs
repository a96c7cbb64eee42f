//! Distinguished names, in the form of Go's `pkix.Name`.

use x509_parser::asn1_rs::Tag;
use x509_parser::x509::{AttributeTypeAndValue, X509Name};

/// A name: its attributes in order, by object identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) raw: Vec<u8>,
    pub(super) attributes: Vec<(String, String)>,
}

impl Name {
    pub(super) fn of(name: &X509Name<'_>) -> Self {
        let attribute = |a: &AttributeTypeAndValue<'_>| (a.attr_type().to_id_string(), text(a));
        Self { raw: name.as_raw().to_vec(), attributes: name.iter_attributes().map(attribute).collect() }
    }

    /// The values of `2.5.4.n`.
    pub(super) fn all(&self, n: u8) -> Vec<&str> {
        let oid = format!("2.5.4.{n}");
        self.attributes.iter().filter(|(of, _)| *of == oid).map(|(_, text)| text.as_str()).collect()
    }
}

fn text(attribute: &AttributeTypeAndValue<'_>) -> String {
    let bytes = attribute.as_slice();
    if attribute.attr_value().tag() == Tag::BmpString {
        let units = bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair));
        return char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    }
    attribute.as_str().map_or_else(|_| String::from_utf8_lossy(bytes).into_owned(), str::to_owned)
}
