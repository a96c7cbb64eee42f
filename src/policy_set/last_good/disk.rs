//! One file for each set below the state directory: a line with a checksum, then the set as JSON. Replaced in one step; read
//! only if it is this user's own, so that nobody else decides what comes into force.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::rego::Module;
use crate::snapshot::{Document, Offer, PolicySet};
use crate::state::Incoming;

/// Of one file.
const MAX_BYTES: u64 = 64 << 20;
/// First word of a file; another format has another one.
const FORMAT: &str = "plimsoll-policy-set-1";
/// Nobody else lists, reads or writes.
const PRIVATE: u32 = 0o700;

/// Where sets are kept.
#[derive(Clone, Debug)]
pub struct StateDir {
    folder: PathBuf,
    /// The user who runs this process.
    owner: u32,
}

/// The policy sets on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Of the file.
    pub sum: String,
    /// It was another one, or none.
    pub written: bool,
}

/// A file or directory that is not as it should be.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be made, read, written or deleted.
    #[error("could not {what} `{path}`")]
    Io {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Somebody else's.
    #[error("`{0}` belongs to another user, or others may write it: remove it, or give it to the user of this process")]
    Foreign(PathBuf),
    /// Larger than any policy set that is taken.
    #[error("`{path}` would be larger than {MAX_BYTES} bytes")]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// Cut off, altered, or of another program.
    #[error("`{0}` is damaged or of another format: remove it")]
    Damaged(PathBuf),
}

#[derive(Serialize)]
struct Written<'a> {
    name: &'a str,
    digest: &'a str,
    modules: Vec<(&'a str, &'a str)>,
    documents: Vec<(&'a [String], &'a Incoming, &'a str)>,
}

#[derive(Deserialize)]
struct Found {
    name: String,
    modules: Vec<(String, String)>,
    documents: Vec<(Vec<String>, Incoming, String)>,
}

impl StateDir {
    /// Makes the directory `policies` below the state directory, for this user alone, and tries whether it can be written.
    pub fn open(state_dir: &Path) -> Result<Self, Error> {
        let folder = state_dir.join("policies");
        let failed = |what| io_error(what, &folder);
        fs::create_dir_all(state_dir).map_err(io_error("make the directory", state_dir))?;
        match DirBuilder::new().mode(PRIVATE).create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made.map_err(failed("make the directory"))?,
        }
        let probe = tempfile::tempfile_in(&folder).and_then(|file| file.metadata()).map_err(failed("write in"))?;
        let found = fs::symlink_metadata(&folder).map_err(failed("look at"))?;
        let owner = probe.uid();
        if !found.is_dir() || found.uid() != owner {
            return Err(Error::Foreign(folder));
        }
        // Volumes give directories to a group on every mount.
        fs::set_permissions(&folder, fs::Permissions::from_mode(PRIVATE)).map_err(failed("set the permissions of"))?;
        Ok(Self { folder, owner })
    }

    /// Writes a set, unless it is there already: `known` is the sum that this process found or wrote last.
    pub fn save(&self, name: &str, set: &PolicySet, known: Option<&str>) -> Result<Kept, Error> {
        let path = self.file(name);
        let body = encode(name, set).map_err(|error| io_error("encode", &path)(error.into()))?;
        let sum = sum(&body);
        if body.len() as u64 > MAX_BYTES {
            return Err(Error::TooLarge { path });
        }
        let there = known.map(str::to_owned).or_else(|| self.sum_of(&path));
        if there.as_ref() == Some(&sum) {
            return Ok(Kept { sum, written: false });
        }
        self.write(&path, &sum, &body).map_err(io_error("write", &path))?;
        Ok(Kept { sum, written: true })
    }

    /// Returns the saved policy set of this name; `None` without one. Fails when it cannot be read.
    pub fn load(&self, name: &str) -> Result<Option<Offer>, Error> {
        let path = self.file(name);
        let Some(text) = self.read(&path)? else { return Ok(None) };
        let found = decode(&text).filter(|found| found.name == name);
        let Some(Found { modules, documents, .. }) = found else { return Err(Error::Damaged(path)) };
        let modules = modules.into_iter().map(|(key, text)| Module { key, text }).collect();
        let documents = documents.into_iter().map(|(path, value, origin)| Document { path, value, origin }).collect();
        Ok(Some(Offer { modules, documents, bundle: None }))
    }

    /// Deletes what is there of a set.
    pub fn remove(&self, name: &str) -> Result<(), Error> {
        let path = self.file(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(io_error("delete", &path)),
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{}.json", file_name(name)))
    }

    fn write(&self, path: &Path, sum: &str, body: &[u8]) -> io::Result<()> {
        // Made for its owner alone.
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(format!("{FORMAT} {sum}\n").as_bytes())?;
        file.write_all(body)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        // The new name, too, must survive a power cut.
        File::open(&self.folder)?.sync_all()
    }

    /// The whole file, whose sum is right.
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, Error> {
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(io_error("read", path))?,
        };
        let found = file.metadata().map_err(io_error("look at", path))?;
        if !found.is_file() || found.uid() != self.owner || found.mode() & 0o002 != 0 {
            return Err(Error::Foreign(path.into()));
        }
        let mut text = Vec::new();
        // The checksum's line is short.
        file.take(MAX_BYTES.saturating_add(1 << 10)).read_to_end(&mut text).map_err(io_error("read", path))?;
        Ok(Some(text))
    }

    fn sum_of(&self, path: &Path) -> Option<String> {
        let text = self.read(path).ok().flatten()?;
        let (claimed, body) = split(&text)?;
        (sum(body) == claimed).then(|| claimed.to_owned())
    }
}

fn io_error(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io { what, path, source }
}

fn encode(name: &str, set: &PolicySet) -> serde_json::Result<Vec<u8>> {
    let modules = set.modules.iter().map(|module| (module.key.as_str(), module.text.as_str())).collect();
    let documents = set.documents.iter().map(|found| (found.path.as_slice(), &found.value, found.origin.as_str())).collect();
    serde_json::to_vec(&Written { name, digest: &set.digest, modules, documents })
}

fn decode(text: &[u8]) -> Option<Found> {
    let (claimed, body) = split(text)?;
    if sum(body) != claimed {
        return None;
    }
    serde_json::from_slice(body).ok()
}

/// The sum that the first line claims, and what it is of.
fn split(text: &[u8]) -> Option<(&str, &[u8])> {
    let end = text.iter().position(|byte| *byte == b'\n')?;
    let (line, body) = text.split_at_checked(end)?;
    let claimed = std::str::from_utf8(line).ok()?.strip_prefix(FORMAT)?.trim();
    Some((claimed, body.get(1..)?))
}

fn sum(body: &[u8]) -> String {
    format!("sha256:{}", plimsoll_contract::annotations::hex(&Sha256::digest(body)))
}

/// Returns the name of the file for a set or a bundle. Two names never share one, and another version of this program finds it again.
pub(crate) fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    let file: String = name.chars().map(plain).collect();
    if file == name {
        return file;
    }
    let digest: String = Sha256::digest(name).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{file}-{digest}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(text: &str) -> PolicySet {
        let document = Document { path: vec!["lib".into()], value: json!({"x": [1, 0.25]}).into(), origin: "lib.json".into() };
        let modules = vec![Module { key: "a.rego".into(), text: text.into() }];
        PolicySet { modules, documents: [document].into(), accepted: true, ..PolicySet::default() }
    }

    fn only_file(dir: &Path) -> PathBuf {
        let mut files = fs::read_dir(dir.join("policies")).unwrap();
        let file = files.next().unwrap().unwrap().path();
        assert!(files.next().is_none(), "no temporary file stays");
        file
    }

    #[test]
    fn a_set_is_found_as_it_was_kept_and_written_only_when_it_differs() {
        let dir = tempfile::tempdir().unwrap();
        let state_dir = StateDir::open(dir.path()).unwrap();
        assert!(state_dir.load("files").unwrap().is_none());
        let kept = state_dir.save("files", &set("package a"), None).unwrap();
        assert!(kept.written);
        for known in [None, Some(kept.sum.as_str())] {
            assert!(!state_dir.save("files", &set("package a"), known).unwrap().written, "{known:?}");
        }
        let found = StateDir::open(dir.path()).unwrap().load("files").unwrap().unwrap();
        assert_eq!((found.modules, found.documents.as_slice()), (set("package a").modules, &*set("").documents));
        assert!(state_dir.save("files", &set("package b"), Some(&kept.sum)).unwrap().written);
        assert_eq!(only_file(dir.path()).metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(dir.path().join("policies").metadata().unwrap().mode() & 0o777, 0o700);
        state_dir.remove("files").unwrap();
        assert!(state_dir.load("files").unwrap().is_none());
        state_dir.remove("files").unwrap();
    }

    #[test]
    fn what_is_damaged_or_of_another_set_or_open_to_others_is_not_used() {
        let dir = tempfile::tempdir().unwrap();
        let state_dir = StateDir::open(dir.path()).unwrap();
        state_dir.save("files", &set("package a"), None).unwrap();
        let (file, other) = (only_file(dir.path()), dir.path().join("policies/host.json"));
        let good = fs::read(&file).unwrap();
        fs::copy(&file, &other).unwrap();
        assert!(matches!(state_dir.load("host"), Err(Error::Damaged(_))), "under another name");
        fs::remove_file(other).unwrap();
        let altered = String::from_utf8(good.clone()).unwrap().replace("package a", "package b").into_bytes();
        for bad in [&b""[..], b"{}", &good[..good.len() - 1], &altered, b"another-format sha256:00\n{}"] {
            fs::write(&file, bad).unwrap();
            assert!(matches!(state_dir.load("files"), Err(Error::Damaged(_))), "{}", String::from_utf8_lossy(bad));
            assert!(state_dir.save("files", &set("package a"), None).unwrap().written, "written anew");
        }
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(matches!(state_dir.load("files"), Err(Error::Foreign(_))));
    }

    #[test]
    fn a_directory_that_is_none_is_an_error_that_names_it() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        let error = StateDir::open(&file).unwrap_err().to_string();
        assert!(error.contains("make the directory") && error.contains("file"), "{error}");
        fs::write(dir.path().join("policies"), "").unwrap();
        assert!(StateDir::open(dir.path()).is_err());
    }
}
