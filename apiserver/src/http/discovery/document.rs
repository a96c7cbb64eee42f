//! A document that is made once and sent often.

use std::io::Write;
use std::sync::OnceLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha512};

/// Smaller bodies are sent as they are, as kube-apiserver does.
const WORTH_COMPRESSING: usize = 128 * 1024;

/// A body with its content type and its entity tag.
#[derive(Clone, Debug)]
pub struct Document {
    /// `Content-Type`.
    pub content_type: &'static str,
    /// The body.
    pub body: Bytes,
    /// SHA-512 of the body as upper-case hexadecimal digits, without the quotes of the `ETag` header.
    pub etag: String,
    /// `None` within if the body is small.
    gzipped: OnceLock<Option<Bytes>>,
}

impl Document {
    /// A document of `body`.
    pub fn new(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let etag = Self::hash(&body);
        Document { content_type, body, etag, gzipped: OnceLock::new() }
    }

    /// The body for clients that take gzip, if it is worth it. Compressed once.
    pub fn gzipped(&self) -> Option<&Bytes> {
        let compress = || {
            let mut encoder = GzEncoder::new(Vec::with_capacity(self.body.len() / 8), Compression::fast());
            encoder.write_all(&self.body).and_then(|()| encoder.finish()).ok().map(Bytes::from)
        };
        let worth = || (self.body.len() >= WORTH_COMPRESSING).then(compress).flatten();
        self.gzipped.get_or_init(worth).as_ref()
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
        Sha512::digest(body).iter().map(|byte| format!("{byte:02X}")).collect()
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
    fn large_bodies_are_compressed() {
        let document = Document::new("application/json", "x".repeat(WORTH_COMPRESSING));
        let mut plain = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(document.gzipped().unwrap().as_ref()), &mut plain).unwrap();
        assert_eq!(plain, document.body);
        assert!(Document::new("application/json", "x").gzipped().is_none());
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
