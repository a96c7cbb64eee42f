//! Notices that files have changed, by looking: no notification is lost on any file system.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Between two looks.
const PACE: Duration = Duration::from_millis(300);
/// Folders within folders.
const DEPTH: usize = 32;

type Files = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

/// The files as they were.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Seen {
    paths: Vec<PathBuf>,
    files: Files,
}

impl Seen {
    pub(super) fn of(paths: &[String]) -> Self {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        Self { files: files(&paths), paths }
    }

    /// Returns when they are otherwise, and have stayed so for one look.
    #[allow(clippy::disallowed_methods, reason = "looks again and again; files tell nobody that they have changed")]
    pub(super) fn wait(&mut self) {
        let mut before = self.files.clone();
        loop {
            std::thread::sleep(PACE);
            let now = files(&self.paths);
            if now == before && now != self.files {
                self.files = now;
                return;
            }
            before = now;
        }
    }
}

fn files(paths: &[PathBuf]) -> Files {
    let mut files = Files::new();
    paths.iter().for_each(|path| look(path, 0, &mut files));
    files
}

/// What cannot be read is as good as gone; the next run says why.
fn look(path: &Path, depth: usize, files: &mut Files) {
    let Ok(metadata) = std::fs::metadata(path) else { return };
    if !metadata.is_dir() {
        files.insert(path.into(), (metadata.modified().ok(), metadata.len()));
    } else if depth < DEPTH {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.for_each(|entry| look(&entry.path(), depth + 1, files));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changes_appears_or_goes_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let paths = [dir.path().display().to_string()];
        let (a, b) = (dir.path().join("a.rego"), dir.path().join("b.rego"));
        std::fs::write(&a, "1").unwrap();
        let steps: [&dyn Fn(); 3] =
            [&|| std::fs::write(&a, "12").unwrap(), &|| std::fs::write(&b, "").unwrap(), &|| std::fs::remove_file(&a).unwrap()];
        for step in steps {
            let mut seen = Seen::of(&paths);
            step();
            seen.wait();
            assert_eq!(seen, Seen::of(&paths));
        }
    }
}
