//! The last good bundle on disk, for a start while the server is away (OPA: `<persistence>/bundles/<name>/bundle.tar.gz`).

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::policy_set::last_good::disk::file_name;

/// Where one bundle is kept.
#[derive(Clone, Debug)]
pub struct SavedBundle {
    file: PathBuf,
}

impl SavedBundle {
    /// Below the persistence directory; a name with slashes stays one folder.
    pub fn new(persistence: &Path, name: &str) -> Self {
        Self { file: persistence.join("bundles").join(file_name(name)).join("bundle.tar.gz") }
    }

    /// Replaces what is there in one step.
    pub fn save(&self, tarball: &[u8]) -> io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(tarball)?;
        file.as_file().sync_all()?;
        file.persist(&self.file).map_err(|error| error.error)?;
        Ok(())
    }

    /// Returns the saved bundle; `None` without one. Fails when it cannot be read, or is larger than `limit` bytes.
    pub fn load(&self, limit: u64) -> io::Result<Option<Vec<u8>>> {
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
            let saved = SavedBundle::new(dir.path(), name);
            assert!(saved.file.starts_with(dir.path().join("bundles")) && !saved.file.to_str().unwrap().contains(".."));
            assert!(saved.load(100).unwrap().is_none(), "{name}");
            saved.save(name.as_bytes()).unwrap();
            saved.save(name.as_bytes()).unwrap();
            assert_eq!(saved.load(100).unwrap().unwrap(), name.as_bytes());
        }
    }
}
