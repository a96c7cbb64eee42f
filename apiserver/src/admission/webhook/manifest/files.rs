//! The bytes of a folder of manifests, and a hash of them. Source: `apiserver` `pkg/admission/plugin/manifest/loader.go`.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::ManifestError;

/// More manifests are refused.
pub(super) const MOST_FILES: usize = 1_000;
/// Larger folders are refused.
pub(super) const MOST_BYTES: u64 = 8 << 20;

/// In any case.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// Every manifest of a folder, in the order of the names.
#[derive(Debug)]
pub(super) struct Files {
    /// Path and content.
    pub(super) files: Vec<(PathBuf, Vec<u8>)>,
    /// `sha256:` and the digest of every content followed by a NUL, as upstream; empty if there is no file.
    pub(super) hash: String,
}

/// Reads what is directly in `folder` and has the extension of a manifest. Fails when it, or one of them, cannot be read, is empty or no
/// file, or when there is too much.
pub(super) fn read(folder: &Path) -> Result<Files, ManifestError> {
    let names = names(folder)?;
    let (mut files, mut digest, mut left) = (Vec::with_capacity(names.len()), Sha256::new(), MOST_BYTES);
    for file in names {
        let content = content(&file, left)?;
        left = left.checked_sub(content.len() as u64).ok_or_else(|| ManifestError::TooMuch(folder.into()))?;
        digest.update(&content);
        digest.update([0]);
        files.push((file, content));
    }
    let hash = if files.is_empty() { String::new() } else { format!("sha256:{:x}", digest.finalize()) };
    Ok(Files { files, hash })
}

fn names(folder: &Path) -> Result<Vec<PathBuf>, ManifestError> {
    let failed = |source| ManifestError::Folder { folder: folder.into(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        if !EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension)) {
            continue;
        }
        if names.len() == MOST_FILES {
            return Err(ManifestError::TooMuch(folder.into()));
        }
        names.push(path);
    }
    names.sort();
    Ok(names)
}

/// At most one byte more than `left`.
fn content(file: &Path, left: u64) -> Result<Vec<u8>, ManifestError> {
    let failed = |source| ManifestError::File { file: file.into(), source };
    // Asked before it is opened: a pipe would be waited for.
    if !fs::metadata(file).map_err(failed)?.is_file() {
        return Err(ManifestError::NotAFile(file.into()));
    }
    let mut content = Vec::new();
    File::open(file).map_err(failed)?.take(left + 1).read_to_end(&mut content).map_err(failed)?;
    if content.is_empty() { Err(ManifestError::Empty(file.into())) } else { Ok(content) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_in_the_order_of_their_names_with_upstreams_hash() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()).unwrap().hash, "");
        for (name, text) in [("b.yaml", "b"), ("a.JSON", "a"), ("c.yml", "c"), ("d.txt", "d"), ("yaml", "e")] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        fs::create_dir(folder.path().join("folder")).unwrap();
        let Files { files, hash } = read(folder.path()).unwrap();
        let contents: Vec<&[u8]> = files.iter().map(|(_, content)| content.as_slice()).collect();
        assert_eq!(contents, [b"a", b"b", b"c"]);
        assert_eq!(hash, format!("sha256:{:x}", Sha256::digest(b"a\0b\0c\0")));
    }

    #[test]
    fn what_is_no_manifest_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let told = || read(folder.path()).unwrap_err().to_string();
        fs::create_dir(at("a.yaml")).unwrap();
        assert!(told().contains("a.yaml` is not a file"), "{}", told());
        fs::remove_dir(at("a.yaml")).unwrap();
        fs::write(at("b.yaml"), "").unwrap();
        assert!(told().contains("b.yaml` has no object"), "{}", told());
        fs::remove_file(at("b.yaml")).unwrap();
        fs::write(at("c.yaml"), vec![b'#'; usize::try_from(MOST_BYTES).unwrap()]).unwrap();
        assert!(read(folder.path()).is_ok());
        fs::write(at("d.yaml"), "#").unwrap();
        assert!(told().contains("bytes"), "{}", told());
        fs::remove_file(at("c.yaml")).unwrap();
        (0..MOST_FILES).for_each(|number| fs::write(at(&format!("{number}.json")), "{}").unwrap());
        assert!(told().contains("1000 manifests"), "{}", told());
        drop(folder);
        assert!(read(Path::new("/none")).unwrap_err().to_string().contains("`/none`"));
    }
}
