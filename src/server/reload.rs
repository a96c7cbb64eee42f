//! What is read from mounted files and read again when they change: tokens, certificates. The last good content stays.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use parking_lot::Mutex;

/// Between two looks at the files. Mounted Secrets are swapped by symlink, so content is compared, not times.
const SPACING: Duration = Duration::from_secs(1);
/// Tokens and certificate chains are far smaller.
const LARGEST: u64 = 1 << 20;

/// Why contents mean nothing. Never shows a secret.
pub type Unusable = Box<dyn std::error::Error + Send + Sync>;

/// Makes the value of the files' contents.
type Parse<T> = fn(&[Vec<u8>]) -> Result<T, Unusable>;

/// Files and what they mean.
#[derive(Debug)]
pub struct Reloaded<T> {
    files: Vec<PathBuf>,
    parse: Parse<T>,
    current: ArcSwap<T>,
    seen: Mutex<Seen>,
    spacing: Duration,
}

#[derive(Debug)]
struct Seen {
    at: Instant,
    contents: Vec<Vec<u8>>,
}

/// Files that cannot be used at start.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Not there, not readable or too large.
    #[error("could not read `{path}`")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Readable but useless.
    #[error("{files} cannot be used: {why}")]
    Invalid {
        /// Which.
        files: String,
        /// Why.
        why: Unusable,
    },
}

impl<T> Reloaded<T> {
    /// Reads for the first time; what cannot be used is an error now.
    pub fn load(files: Vec<PathBuf>, parse: Parse<T>) -> Result<Self, LoadError> {
        let contents = read_all(&files)?;
        let first = parse(&contents).map_err(|why| LoadError::Invalid { files: names(&files), why })?;
        let seen = Mutex::new(Seen { at: Instant::now(), contents });
        Ok(Self { files, parse, current: ArcSwap::from_pointee(first), seen, spacing: SPACING })
    }

    /// The current value; looks at the files at most once a second.
    pub fn get(&self) -> Arc<T> {
        // Whoever finds the lock taken uses the value that is there: no caller waits for the disk behind another.
        if let Some(mut seen) = self.seen.try_lock()
            && seen.at.elapsed() >= self.spacing
        {
            seen.at = Instant::now();
            self.look(&mut seen);
        }
        self.current.load_full()
    }

    fn look(&self, seen: &mut Seen) {
        let contents = match read_all(&self.files) {
            Ok(contents) => contents,
            Err(error) => {
                tracing::error!(error = %chain(&error), "the last good content stays in use");
                return;
            }
        };
        if contents == seen.contents {
            return;
        }
        let files = names(&self.files);
        match (self.parse)(&contents) {
            Ok(value) => {
                self.current.store(Arc::new(value));
                tracing::info!(files, "read again after a change");
            }
            Err(why) => tracing::error!(files, why = why.to_string(), "the new content cannot be used, the last good one stays"),
        }
        seen.contents = contents;
    }
}

fn read_all(files: &[PathBuf]) -> Result<Vec<Vec<u8>>, LoadError> {
    files.iter().map(|path| read(path).map_err(|source| LoadError::Read { path: path.clone(), source })).collect()
}

fn read(path: &PathBuf) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut content)?;
    if content.len() as u64 > LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "larger than 1 MiB"));
    }
    Ok(content)
}

fn names(files: &[PathBuf]) -> String {
    files.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(" and ")
}

fn chain(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn number(contents: &[Vec<u8>]) -> Result<u32, Unusable> {
        let text = String::from_utf8_lossy(&contents[0]);
        text.trim().parse().map_err(|_| "no number".into())
    }

    #[test]
    fn a_change_is_seen_and_the_last_good_content_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("n");
        fs::write(&path, "1").unwrap();
        let value = Reloaded { spacing: Duration::ZERO, ..Reloaded::load(vec![path.clone()], number).unwrap() };
        assert_eq!(*value.get(), 1);
        fs::write(&path, "2\n").unwrap();
        assert_eq!(*value.get(), 2);
        fs::write(&path, "x").unwrap();
        assert_eq!(*value.get(), 2, "useless content");
        fs::remove_file(&path).unwrap();
        assert_eq!(*value.get(), 2, "no file");
        fs::write(&path, "3").unwrap();
        assert_eq!(*value.get(), 3);
    }

    #[test]
    fn what_cannot_be_used_at_start_is_an_error_that_names_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("n");
        let error = Reloaded::load(vec![path.clone()], number).unwrap_err();
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
        fs::write(&path, "x").unwrap();
        let error = Reloaded::load(vec![path], number).unwrap_err();
        assert!(error.to_string().ends_with("no number"), "{error}");
    }
}
