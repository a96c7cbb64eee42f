//! Reads policy directories as they are mounted: several files, folders, ConfigMaps with their `..data` symlink.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::rego::Module;

/// Bytes of one module.
const MODULE_BYTES: u64 = 1 << 20;
/// Modules of all directories together.
const MODULES: usize = 10_000;
/// Folders within folders; a symlink that leads back ends here.
const DEPTH: usize = 32;

/// Whether `*_test.rego` is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tests {
    /// For `test` and `check`.
    Load,
    /// For everything that decides: one `with` in a test would turn the fast path off.
    Skip,
}

/// Why the directories could not be read. Nothing of them is used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Missing, unreadable, or a symlink that leads nowhere.
    #[error("could not read `{path}`")]
    Read {
        /// What was read.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Not text.
    #[error("`{0}` is not UTF-8")]
    NotText(PathBuf),
    /// Too large to be a policy.
    #[error("`{path}` is larger than {limit} bytes: split it")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit: u64,
    },
    /// More modules than anybody writes by hand.
    #[error("`{path}` holds more than {limit} modules")]
    TooMany {
        /// The directory.
        path: PathBuf,
        /// The limit.
        limit: usize,
    },
    /// Folders nest too deep.
    #[error("`{0}` nests deeper than 32 folders: does a symlink lead back?")]
    TooDeep(PathBuf),
}

/// Every `*.rego` below the given directories (or the given files), sorted by path; the path as given is the key.
pub fn load(paths: &[PathBuf], tests: Tests) -> Result<Vec<Module>, Error> {
    let mut modules = Vec::new();
    for path in paths {
        visit(path, tests, 0, &mut modules)?;
    }
    modules.sort();
    modules.dedup();
    Ok(modules)
}

fn visit(path: &Path, tests: Tests, depth: usize, modules: &mut Vec<Module>) -> Result<(), Error> {
    let failed = |source| Error::Read { path: path.into(), source };
    if fs::metadata(path).map_err(failed)?.is_file() {
        if depth == 0 || is_wanted(path, tests) {
            modules.push(read(path)?);
        }
        return if modules.len() > MODULES { Err(Error::TooMany { path: path.into(), limit: MODULES }) } else { Ok(()) };
    }
    if depth > DEPTH {
        return Err(Error::TooDeep(path.into()));
    }
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        // `..data` and the timestamped folder behind it: the kubelet's own; the files beside it lead there.
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            visit(&entry.path(), tests, depth + 1, modules)?;
        }
    }
    Ok(())
}

fn is_wanted(path: &Path, tests: Tests) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    name.ends_with(".rego") && (tests == Tests::Load || !name.ends_with("_test.rego"))
}

fn read(path: &Path) -> Result<Module, Error> {
    let failed = |source| Error::Read { path: path.into(), source };
    let mut bytes = Vec::new();
    // One more than allowed, whatever the file's size claims to be.
    fs::File::open(path).map_err(failed)?.take(MODULE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MODULE_BYTES {
        return Err(Error::TooLarge { path: path.into(), limit: MODULE_BYTES });
    }
    let text = String::from_utf8(bytes).map_err(|_| Error::NotText(path.into()))?;
    Ok(Module { key: path.display().to_string(), text })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn write(path: PathBuf, text: &[u8]) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn keys(dir: &Path, tests: Tests) -> Vec<String> {
        let modules = load(&[dir.into()], tests).unwrap();
        modules.iter().map(|m| Path::new(&m.key).strip_prefix(dir).unwrap().display().to_string()).collect()
    }

    #[test]
    fn folders_are_read_sorted_and_tests_only_when_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["b.rego", "a/c.rego", "a/c_test.rego", "notes.md", ".hidden.rego"] {
            write(dir.path().join(name), b"package x");
        }
        assert_eq!(keys(dir.path(), Tests::Skip), ["a/c.rego", "b.rego"]);
        assert_eq!(keys(dir.path(), Tests::Load), ["a/c.rego", "a/c_test.rego", "b.rego"]);
    }

    #[test]
    fn a_mounted_configmap_is_read_once_through_its_symlinks() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path().join("..2026_11_21/p.rego"), b"package p");
        symlink("..2026_11_21", dir.path().join("..data")).unwrap();
        symlink("..data/p.rego", dir.path().join("p.rego")).unwrap();
        assert_eq!(keys(dir.path(), Tests::Skip), ["p.rego"]);
    }

    #[test]
    fn an_empty_directory_is_an_empty_set_and_a_missing_one_an_error_that_names_it() {
        let dir = tempfile::tempdir().unwrap();
        assert!(keys(dir.path(), Tests::Skip).is_empty());
        let error = load(&[dir.path().join("gone")], Tests::Skip).unwrap_err();
        assert!(matches!(error, Error::Read { path, .. } if path.ends_with("gone")));
    }

    #[test]
    fn what_is_no_policy_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path().join("bin.rego"), b"package \xff");
        assert!(matches!(load(&[dir.path().into()], Tests::Skip), Err(Error::NotText(path)) if path.ends_with("bin.rego")));
        write(dir.path().join("bin.rego"), &vec![b' '; MODULE_BYTES as usize + 1]);
        assert!(matches!(load(&[dir.path().into()], Tests::Skip), Err(Error::TooLarge { .. })));
    }

    #[test]
    fn a_symlink_that_leads_back_ends_with_an_error() {
        let dir = tempfile::tempdir().unwrap();
        symlink(".", dir.path().join("again")).unwrap();
        assert!(matches!(load(&[dir.path().into()], Tests::Skip), Err(Error::TooDeep(_) | Error::Read { .. })));
    }
}
