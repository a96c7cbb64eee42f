//! A bundle as a directory, or as a tarball in a file.

use std::fs::{self, File};
use std::path::Path;

use super::files::{Files, Limits};
use super::{BundleError, FileError, archive};

/// Folders within folders; a symlink that leads back ends here.
const DEPTH: usize = 32;

/// Reads a directory, or unpacks a file.
pub fn read(path: &Path, limits: Limits) -> Result<Files, BundleError> {
    let failed = |source| BundleError::Read { path: path.display().to_string(), source };
    if fs::metadata(path).map_err(failed)?.is_file() {
        return archive::unpack(File::open(path).map_err(failed)?, limits);
    }
    let mut files = Files::default();
    visit(path, "", 0, &mut files, limits)?;
    Ok(files)
}

fn visit(folder: &Path, below: &str, depth: usize, files: &mut Files, limits: Limits) -> Result<(), BundleError> {
    let failed = |source| BundleError::Read { path: folder.display().to_string(), source };
    if depth > DEPTH {
        return Err(BundleError::Invalid { path: folder.display().to_string(), why: FileError::TooDeep(DEPTH) });
    }
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        // A mounted ConfigMap's own folders; the files beside them lead there.
        if name.as_encoded_bytes().starts_with(b"..") {
            continue;
        }
        let name = name.to_str().ok_or_else(|| BundleError::Escapes(entry.path().display().to_string()))?;
        let inner = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        let path = entry.path();
        let broken = |source| BundleError::Read { path: path.display().to_string(), source };
        if fs::metadata(&path).map_err(broken)?.is_dir() {
            visit(&path, &inner, depth + 1, files, limits)?;
        } else if is_wanted(name) {
            files.add(&inner, File::open(&path).map_err(broken)?, limits)?;
        }
    }
    Ok(())
}

/// A directory may hold anything else beside the bundle's files.
fn is_wanted(name: &str) -> bool {
    let known = ["data.json", "data.yaml", "data.yml", ".signatures.json", "patch.json", "policy.wasm"];
    [".rego", ".manifest", ".manifest.pb"].iter().any(|end| name.ends_with(end)) || known.contains(&name)
}
