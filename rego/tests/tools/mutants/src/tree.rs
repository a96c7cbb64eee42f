//! A copy of the workspace, below the target directory.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Rooms that are mutated.
pub const ROOMS: [&str; 3] = ["compile", "eval", "depend"];

/// The module that knows which mutant is on: read once, from the environment; 0 is none.
const SWITCH: &str = include_str!("tree/switch.rs");

/// Where the copy is, and what is built of it.
pub struct Tree {
    /// The copied workspace.
    pub root: PathBuf,
    /// Cargo's target directory for it.
    pub target: PathBuf,
    /// The files of the rooms, unchanged.
    pub files: Vec<File>,
}

/// A file that may be mutated.
pub struct File {
    /// From the workspace on, as rustc names it.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// Copies every file that git knows or would know. What is there already and equal keeps its time, so that cargo builds less.
pub fn copy(workspace: &Path, to: &Path) -> Result<Tree> {
    let mut tree = Tree { root: to.join("tree"), target: to.join("target"), files: Vec::new() };
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(workspace)
        .output()
        .context("running git to list the files of the workspace")?;
    ensure!(listed.status.success(), "git ls-files: {}", String::from_utf8_lossy(&listed.stderr));
    for name in listed.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let name = Path::new(OsStr::from_bytes(name));
        // What is deleted, and not yet committed, is still listed.
        let Ok(mut bytes) = std::fs::read(workspace.join(name)) else { continue };
        if name == Path::new("rego/src/lib.rs") {
            bytes.extend_from_slice(b"\nmod mutant;\n");
        }
        match name.to_str().filter(|path| is_mutated(path)) {
            Some(path) => tree.files.push(File { path: path.to_owned(), text: String::from_utf8(bytes)? }),
            None => put(&tree.root.join(name), &bytes)?,
        }
    }
    put(&tree.root.join("rego/src/mutant.rs"), SWITCH.as_bytes())?;
    ensure!(!tree.files.is_empty(), "no files of {ROOMS:?} in {}", workspace.display());
    Ok(tree)
}

/// Whether it is of the rooms; modules of unit tests are not.
fn is_mutated(path: &str) -> bool {
    let below = path.strip_prefix("rego/src/").and_then(|below| below.strip_suffix(".rs"));
    below.is_some_and(|below| ROOMS.iter().any(|room| below.split('/').next() == Some(room)) && !below.ends_with("/tests"))
}

/// Writes a file, unless it is there with the same bytes.
pub fn put(to: &Path, bytes: &[u8]) -> Result<()> {
    if std::fs::read(to).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let folder = to.parent().context("a file is in a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    // Scripts keep their mode where they are there already; none is run from the copy.
    std::fs::write(to, bytes).with_context(|| format!("writing {}", to.display()))
}
