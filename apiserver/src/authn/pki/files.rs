//! Files with secrets: readable by their owner alone from the first byte, and whole or not there.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::PkiError;

/// Writes a file of mode 0600; its directory is made (0700) if it is not there. A reader sees the old text or the new one.
pub fn write_private(path: &Path, text: &str) -> Result<(), PkiError> {
    write(path, text).map_err(|source| PkiError::File { action: "write", path: path.into(), source })
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
    if let Some(directory) = directory.filter(|directory| !directory.exists()) {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    }
    let mut name = path.file_name().map(ToOwned::to_owned).unwrap_or_default();
    name.push(format!(".{}.tmp", std::process::id()));
    let aside = path.with_file_name(name);
    let written = fs::remove_file(&aside).or_else(absent_is_fine).and_then(|()| fill(&aside, text));
    let renamed = written.and_then(|()| fs::rename(&aside, path));
    if renamed.is_err() {
        fs::remove_file(&aside).or_else(absent_is_fine)?;
    }
    renamed
}

fn fill(path: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn absent_is_fine(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}
