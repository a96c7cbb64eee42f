//! The last good bundle on disk, for a start while the server is away (OPA: `<persistence>/bundles/<name>/bundle.tar.gz`).

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Where one bundle is kept.
#[derive(Clone, Debug)]
pub struct Shelf {
    file: PathBuf,
}

impl Shelf {
    /// Below the persistence directory; a name with slashes stays one folder.
    pub fn new(persistence: &Path, name: &str) -> Self {
        Self { file: persistence.join("bundles").join(plain(name)).join("bundle.tar.gz") }
    }

    /// Replaces what is there in one step.
    pub fn keep(&self, tarball: &[u8]) -> io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(tarball)?;
        file.as_file().sync_all()?;
        file.persist(&self.file).map_err(|error| error.error)?;
        Ok(())
    }

    /// What is there, if anything.
    pub fn fetch(&self, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let file = match fs::File::open(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let mut tarball = Vec::new();
        file.take(limit).read_to_end(&mut tarball)?;
        Ok(Some(tarball))
    }
}

/// A name as that of a file. Two names never share one, and another version of this program finds it again.
pub(crate) fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    let file: String = name.chars().map(plain).collect();
    if file == name {
        return file;
    }
    let digest: String = Sha256::digest(name).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{file}-{digest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_and_names_stay_inside() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["authz", "../../etc", "a/b", "a_b"] {
            let shelf = Shelf::new(dir.path(), name);
            assert!(shelf.file.starts_with(dir.path().join("bundles")) && !shelf.file.to_str().unwrap().contains(".."));
            assert!(shelf.fetch(100).unwrap().is_none(), "{name}");
            shelf.keep(name.as_bytes()).unwrap();
            shelf.keep(name.as_bytes()).unwrap();
            assert_eq!(shelf.fetch(100).unwrap().unwrap(), name.as_bytes());
        }
    }
}
