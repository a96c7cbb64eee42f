//! A batch of lines, as a service takes it.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// A gzipped JSON array; in memory it cannot fail.
pub(super) fn gzip<'a>(lines: impl Iterator<Item = &'a Bytes>) -> Option<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::new(), Compression::default());
    for (at, line) in lines.enumerate() {
        out.write_all(if at == 0 { b"[" } else { b"," }).ok()?;
        out.write_all(line).ok()?;
    }
    out.write_all(b"]").ok()?;
    out.finish().ok()
}
