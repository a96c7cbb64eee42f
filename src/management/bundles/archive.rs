//! A bundle as a gzipped tarball.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

use super::BundleError;
use super::files::{Files, Limits};

/// Unpacks in memory; links and devices are passed over, as OPA does.
pub fn unpack(tarball: impl Read, limits: Limits) -> Result<Files, BundleError> {
    let broken = |source| BundleError::Read { path: "the bundle's tarball".into(), source };
    let mut files = Files::default();
    // Headers count too: a tarball of nothing but folders ends as well.
    let bytes = MultiGzDecoder::new(tarball).take(limits.bytes.saturating_mul(2).saturating_add(1 << 20));
    let mut archive = Archive::new(bytes);
    for entry in archive.entries().map_err(broken)? {
        let entry = entry.map_err(broken)?;
        if !matches!(entry.header().entry_type(), EntryType::Regular | EntryType::Continuous) {
            continue;
        }
        let path = String::from_utf8(entry.path_bytes().into_owned());
        let path = path.map_err(|bad| BundleError::Escapes(String::from_utf8_lossy(bad.as_bytes()).into_owned()))?;
        files.add(&path, entry, limits)?;
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tar::{Builder, Header};

    use super::*;

    fn tarball(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, content) in files {
            let mut header = Header::new_gnu();
            // Set by hand: the library refuses what a hostile sender would not.
            header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_size(content.len() as u64);
            header.set_cksum();
            builder.append(&header, *content).unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn a_tarball_is_unpacked_in_memory() {
        let packed = tarball(&[("/data.json", b"{}"), ("a/p.rego", b"package a")]);
        let files = unpack(packed.as_slice(), Limits::default()).unwrap();
        assert_eq!(files.iter().map(|(path, _)| path).collect::<Vec<_>>(), ["a/p.rego", "data.json"]);
    }

    #[test]
    fn links_are_passed_over_and_names_and_numbers_are_checked() {
        let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (kind, name) in [(EntryType::Symlink, "data.json"), (EntryType::Link, "p.rego"), (EntryType::Fifo, "q.rego")] {
            let mut header = Header::new_gnu();
            header.set_entry_type(kind);
            header.set_size(0);
            if kind != EntryType::Fifo {
                header.set_link_name("/etc/passwd").unwrap();
            }
            builder.append_data(&mut header, name, &b""[..]).unwrap();
        }
        let linked = builder.into_inner().unwrap().finish().unwrap();
        assert_eq!(unpack(linked.as_slice(), Limits::default()).unwrap(), Files::default());
        let twice = tarball(&[("a/p.rego", b"package a"), ("./a//p.rego", b"package b")]);
        assert!(matches!(unpack(twice.as_slice(), Limits::default()), Err(BundleError::Twice(path)) if path == "a/p.rego"));
        let many = tarball(&[("1", b""), ("2", b""), ("3", b"")]);
        let limits = Limits { files: 2, ..Limits::default() };
        assert!(matches!(unpack(many.as_slice(), limits), Err(BundleError::TooMany(2))));
    }

    #[test]
    fn a_path_that_escapes_a_bomb_and_rubbish_are_refused() {
        let escaping = tarball(&[("../p.rego", b"package a")]);
        assert!(matches!(unpack(escaping.as_slice(), Limits::default()), Err(BundleError::Escapes(path)) if path == "../p.rego"));
        let bomb = tarball(&[("data.json", &vec![b' '; 1 << 20])]);
        let limits = Limits { bytes: 1000, ..Limits::default() };
        assert!(matches!(unpack(bomb.as_slice(), limits), Err(BundleError::TooLarge { .. })));
        for rubbish in [&b"not gzip"[..], &escaping[..escaping.len() / 2], b""] {
            assert!(unpack(rubbish, Limits::default()).is_err());
        }
    }
}
