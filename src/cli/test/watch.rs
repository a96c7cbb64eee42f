//! Notices changes of files: looks at them when the operating system reports one, and at intervals in any case.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::cli::material;
use crate::policy_set::watch::{PathWatcher, WatchIntervals};

/// How deep folders may nest; deeper files are not looked at.
const DEPTH: usize = 32;

type Files = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

/// The files that are watched, as they were at the last look.
#[derive(Debug)]
pub(super) struct Seen {
    paths: Vec<PathBuf>,
    files: Files,
    watcher: PathWatcher,
}

impl Seen {
    /// Looks at the paths of the command line for the first time; `a.b:path` is `path`.
    pub(super) fn of(given: &[String], intervals: WatchIntervals) -> Self {
        let paths: Vec<PathBuf> = given.iter().map(|given| material::split_prefix(given).1.into()).collect();
        // Watched before the first look: what changes in between is seen by one of the two.
        let watcher = PathWatcher::new(paths.clone(), intervals);
        Self { files: files(&paths), paths, watcher }
    }

    /// Waits until a file has changed, appeared or gone.
    pub(super) fn wait(&mut self) {
        while self.watcher.wait() {
            let now = files(&self.paths);
            if now != self.files {
                self.files = now;
                return;
            }
        }
    }
}

fn files(paths: &[PathBuf]) -> Files {
    let mut files = Files::new();
    paths.iter().for_each(|path| look(path, 0, &mut files));
    files
}

/// Records modification time and size of all files below a path. Files that cannot be read are left out; the next run reports them.
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
    use std::time::Duration;

    use super::*;

    /// Intervals so long that only a notification can end the wait.
    fn intervals() -> WatchIntervals {
        WatchIntervals {
            debounce: Duration::from_millis(1),
            longest_debounce: Duration::from_millis(50),
            resync: Duration::from_secs(3600),
        }
    }

    #[test]
    fn a_file_that_changes_appears_or_goes_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a.rego"), dir.path().join("b.rego"));
        std::fs::write(&a, "1").unwrap();
        let steps: [&dyn Fn(); 3] =
            [&|| std::fs::write(&a, "12").unwrap(), &|| std::fs::write(&b, "").unwrap(), &|| std::fs::remove_file(&a).unwrap()];
        let mut seen = Seen::of(&[dir.path().display().to_string()], intervals());
        for step in steps {
            let before = seen.files.clone();
            step();
            seen.wait();
            assert_ne!(seen.files, before);
        }
        assert_eq!(seen.files.into_keys().collect::<Vec<_>>(), [b]);
    }

    #[test]
    fn a_file_that_is_given_alone_is_followed_when_an_editor_replaces_it() {
        let dir = tempfile::tempdir().unwrap();
        let (file, new) = (dir.path().join("a.rego"), dir.path().join("a.rego~"));
        std::fs::write(&file, "1").unwrap();
        let mut seen = Seen::of(&[format!("p.q:{}", file.display())], intervals());
        std::fs::write(&new, "12").unwrap();
        std::fs::rename(&new, &file).unwrap();
        seen.wait();
        assert_eq!(seen.files[&file].1, 2);
    }
}
