//! `server`: sizes and compression of the API (OPA: `v1/plugins/server`).

use serde::Deserialize;

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

/// Of requests.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decoding {
    /// Bytes of a body as sent.
    #[serde(default = "sent")]
    pub max_length: usize,
    /// Compression.
    #[serde(default)]
    pub gzip: DecodingGzip,
}

/// Compression of requests.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecodingGzip {
    /// Bytes of a body, unpacked.
    #[serde(default = "unpacked")]
    pub max_length: usize,
}

fn kibibyte() -> usize {
    1024
}

fn best() -> u32 {
    9
}

fn sent() -> usize {
    256 << 20
}

fn unpacked() -> usize {
    512 << 20
}

impl Default for EncodingGzip {
    fn default() -> Self {
        Self { min_length: kibibyte(), compression_level: best() }
    }
}

impl Default for Decoding {
    fn default() -> Self {
        Self { max_length: sent(), gzip: DecodingGzip::default() }
    }
}

impl Default for DecodingGzip {
    fn default() -> Self {
        Self { max_length: unpacked() }
    }
}

impl Server {
    pub(super) fn check(&self) -> Result<(), String> {
        let gzip = &self.encoding.gzip;
        if gzip.min_length == 0 {
            return Err("encoding.gzip.min_length: it must be greater than 0".into());
        }
        if gzip.compression_level > 9 {
            return Err("encoding.gzip.compression_level: it must be between 0 and 9".into());
        }
        if self.decoding.max_length == 0 || self.decoding.gzip.max_length == 0 {
            return Err("decoding: a max_length must be greater than 0".into());
        }
        Ok(())
    }
}
