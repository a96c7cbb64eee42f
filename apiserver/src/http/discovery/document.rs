//! A document that is made once and sent often.

use bytes::Bytes;
use sha2::{Digest, Sha512};

/// A body with its content type and its entity tag.
#[derive(Clone, Debug)]
pub struct Document {
    /// `Content-Type`.
    pub content_type: &'static str,
    /// The body.
    pub body: Bytes,
    /// SHA-512 of the body as upper-case hexadecimal digits, without the quotes of the `ETag` header.
    pub etag: String,
}

impl Document {
    /// A document of `body`.
    pub fn new(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let etag = Self::hash(&body);
        Document { content_type, body, etag }
    }

    /// The value of the `ETag` header.
    pub fn quoted_etag(&self) -> String {
        format!("\"{}\"", self.etag)
    }

    /// Whether a client that sent `if_none_match` has this body already. Weak tags count: the body is the same.
    pub fn is_known_to(&self, if_none_match: &str) -> bool {
        let tags = if_none_match.split(',').map(str::trim);
        tags.map(|tag| tag.strip_prefix("W/").unwrap_or(tag)).any(|tag| tag == "*" || tag.trim_matches('"') == self.etag)
    }

    fn hash(body: &[u8]) -> String {
        use std::fmt::Write;
        Sha512::digest(body).iter().fold(String::with_capacity(128), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02X}");
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_etag_is_the_sha512_of_the_body() {
        let document = Document::new("application/json", "");
        assert!(document.etag.starts_with("CF83E1357EEFB8BD"), "{}", document.etag);
        assert_eq!(document.etag.len(), 128);
    }

    #[test]
    fn a_client_knows_the_body_by_its_tag() {
        let document = Document::new("application/json", "x");
        for (header, known) in [
            (document.quoted_etag(), true),
            (format!("W/{}", document.quoted_etag()), true),
            (format!("\"other\", {}", document.quoted_etag()), true),
            ("*".into(), true),
            ("\"other\"".into(), false),
            (String::new(), false),
        ] {
            assert_eq!(document.is_known_to(&header), known, "{header}");
        }
    }
}
