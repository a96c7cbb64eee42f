//! `server`: sizes and compression of the API (OPA: `v1/plugins/server`).

use serde::Deserialize;

use super::KeyError;

/// A body is held in memory as a whole: larger than any is meant to be, and far from unlimited.
pub(super) const LARGEST: usize = 2 << 30;

/// The section.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Of answers.
    #[serde(default)]
    pub encoding: Encoding,
    /// Of requests.
    #[serde(default)]
    pub decoding: Decoding,
}

/// Of answers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Encoding {
    /// Compression.
    #[serde(default)]
    pub gzip: EncodingGzip,
}

/// Compression of answers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncodingGzip {
    /// Shorter answers are not compressed.
    #[serde(default = "kibibyte")]
    pub min_length: usize,
    /// 0 to 9.
    #[serde(default = "best")]
    pub compression_level: u32,
}

/// Of requests. What is not said is the server's own limit for the kind of body, less than OPA's.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decoding {
    /// Bytes of a body as sent.
    #[serde(default)]
    pub max_length: Option<usize>,
    /// Compression.
    #[serde(default)]
    pub gzip: DecodingGzip,
}

/// Compression of requests.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecodingGzip {
    /// Bytes of a body, unpacked.
    #[serde(default)]
    pub max_length: Option<usize>,
}

fn kibibyte() -> usize {
    1024
}

fn best() -> u32 {
    9
}

impl Default for EncodingGzip {
    fn default() -> Self {
        Self { min_length: kibibyte(), compression_level: best() }
    }
}

impl Server {
    pub(super) fn check(&self) -> Result<(), KeyError> {
        let gzip = &self.encoding.gzip;
        if gzip.min_length == 0 {
            return Err(KeyError::MinLength);
        }
        if gzip.compression_level > 9 {
            return Err(KeyError::CompressionLevel);
        }
        let sizes = [("max_length", self.decoding.max_length), ("gzip.max_length", self.decoding.gzip.max_length)];
        let wrong = sizes.into_iter().find(|(_, size)| size.is_some_and(|size| !(1..=LARGEST).contains(&size)));
        if let Some((key, _)) = wrong {
            return Err(KeyError::BodySize(key));
        }
        Ok(())
    }
}
