//! The last good bundle on disk, for a start while the server is away (OPA: `<persistence>/bundles/<name>/bundle.tar.gz`).

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::policy_set::last_good::disk::file_name;

/// Where one bundle is kept.
#[derive(Clone, Debug)]
pub struct Shelf {
    file: PathBuf,
}

impl Shelf {
    /// Below the persistence directory; a name with slashes stays one folder.
    pub fn new(persistence: &Path, name: &str) -> Self {
        Self { file: persistence.join("bundles").join(file_name(name)).join("bundle.tar.gz") }
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
