//! The private directory in which the parts of `plimsoll dev` find each other: tokens, kubeconfigs and configuration files.

use std::fs::{self, TryLockError};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use serde_json::Value as Json;
use tempfile::TempDir;
use uuid::Uuid;

/// The directory. A temporary one is deleted when this is dropped.
pub(super) struct Places {
    directory: PathBuf,
    kubeconfig: PathBuf,
    data: Option<PathBuf>,
    /// Nobody else has the directory while this is open.
    _lock: fs::File,
    _temporary: Option<TempDir>,
}

impl Places {
    /// Creates the directory, at `data` or as a temporary one, readable by its owner alone. Fails when it cannot be created, another
    /// process has it, or `kubeconfig` names a file that another program has written.
    pub(super) fn prepare(data: Option<&Path>, kubeconfig: Option<&Path>) -> anyhow::Result<Self> {
        let (directory, temporary) = match data {
            Some(data) => {
                let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(data);
                made.with_context(|| format!("could not make the data directory `{}`", data.display()))?;
                (data.to_owned(), None)
            }
            None => {
                let made = tempfile::Builder::new().prefix("plimsoll-dev-").tempdir();
                let made = made.context("could not make a temporary directory")?;
                (made.path().to_owned(), Some(made))
            }
        };
        let directory = fs::canonicalize(&directory).with_context(|| format!("`{}`", directory.display()))?;
        let lock = take(&directory)?;
        let kubeconfig = kubeconfig.map_or_else(|| directory.join("kubeconfig"), Path::to_owned);
        let data = data.map(|_| directory.clone());
        make_way(&kubeconfig)?;
        Ok(Self { directory, kubeconfig, data, _lock: lock, _temporary: temporary })
    }

    /// Returns the directory in which objects and keys are kept; `None` if they are held in memory.
    pub(super) fn data(&self) -> Option<&Path> {
        self.data.as_deref()
    }

    /// Returns the path of the user's kubeconfig.
    pub(super) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Returns the path of a file in the directory.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Writes a file into the directory, readable by its owner alone, and returns its path. Fails when it cannot be written.
    pub(super) fn write(&self, name: &str, text: &str) -> anyhow::Result<PathBuf> {
        let path = self.file(name);
        write_private(&path, text)?;
        Ok(path)
    }

    /// Writes a new random bearer token into a file of the directory, and returns the token. Fails when it cannot be written.
    pub(super) fn token(&self, name: &str) -> anyhow::Result<String> {
        let token = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        self.write(name, &token)?;
        Ok(token)
    }

    /// Returns the path of a file with a secret in the directory, and creates it the first time. Fails when it cannot be looked for or
    /// written.
    pub(super) fn kept_secret(&self, name: &str) -> anyhow::Result<PathBuf> {
        let path = self.file(name);
        if !path.try_exists().with_context(|| format!("could not look for `{}`", path.display()))? {
            self.token(name)?;
        }
        Ok(path)
    }
}

/// Takes the directory for this process, before anything in it is written: another run would put its tokens in place of those that a running
/// one goes by. Returns the lock, which ends when it is dropped; the number of the process is in the file. Fails when another process has
/// it, or the file cannot be written.
fn take(directory: &Path) -> anyhow::Result<fs::File> {
    let path = directory.join("dev.lock");
    let failed = || format!("could not lock `{}`", path.display());
    let mut options = fs::File::options();
    let mut lock = options.create(true).truncate(false).read(true).write(true).mode(0o600).open(&path).with_context(failed)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let holder = fs::read_to_string(&path).unwrap_or_default();
            let holder = holder.trim().parse::<u32>().map_or_else(|_| "another process".to_owned(), |id| format!("process {id}"));
            bail!("the data directory `{}` is in use by {holder}: stop it, or choose another directory", directory.display());
        }
        Err(TryLockError::Error(error)) => return Err(error).with_context(failed),
    }
    let signed = lock.set_len(0).and_then(|()| lock.write_all(std::process::id().to_string().as_bytes()));
    signed.with_context(failed)?;
    Ok(lock)
}

/// Removes the kubeconfig of an earlier run, so that scripts do not take it as the sign that this one is ready. Fails when another
/// program has written the file.
fn make_way(kubeconfig: &Path) -> anyhow::Result<()> {
    let failed = || format!("could not replace `{}`", kubeconfig.display());
    let text = match fs::read_to_string(kubeconfig) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return has_directory(kubeconfig),
        Err(error) => return Err(error).with_context(failed),
    };
    let known: Json = yaml_serde::from_str(&text).unwrap_or_default();
    let contexts = known.get("contexts").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let ours = matches!(contexts, [only] if only.get("name").is_some_and(|name| name == "plimsoll"));
    if !ours {
        bail!("`{}` is there already and is not of `plimsoll dev`: name another file with --kubeconfig", kubeconfig.display());
    }
    fs::remove_file(kubeconfig).with_context(failed)
}

/// Makes sure that the directory of a file is there: the file itself is written when everything has started. Fails when there is none.
fn has_directory(file: &Path) -> anyhow::Result<()> {
    match file.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.is_dir()) {
        Some(parent) => bail!("could not write `{}`: there is no directory `{}`", file.display(), parent.display()),
        None => Ok(()),
    }
}

/// Writes a file readable by its owner alone, by renaming a finished one: readers find the old text or the new one, never half of it.
pub(super) fn write_private(path: &Path, text: &str) -> anyhow::Result<()> {
    let failed = || format!("could not write `{}`", path.display());
    let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(|| anyhow!("`{}` names no file", path.display()))?;
    let new = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = fs::File::options().create(true).truncate(true).write(true).mode(0o600).open(&new);
    written.and_then(|mut file| file.write_all(text.as_bytes())).with_context(failed)?;
    fs::rename(&new, path).with_context(failed)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_directory_that_another_run_has_stays_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let places = Places::prepare(Some(directory.path()), None).unwrap();
        let token = places.token("t").unwrap();
        places.write("kubeconfig", r#"{"contexts": [{"name": "plimsoll"}]}"#).unwrap();
        let refused = Places::prepare(Some(directory.path()), None).err().unwrap().to_string();
        assert!(refused.contains(&format!("is in use by process {}: stop it", std::process::id())), "{refused}");
        assert_eq!(fs::read_to_string(places.file("t")).unwrap(), token);
        assert!(places.kubeconfig().exists());
        drop(places);
        assert!(Places::prepare(Some(directory.path()), None).is_ok());
    }

    #[test]
    fn nobody_else_reads_what_is_written_and_a_temporary_directory_goes() {
        let places = Places::prepare(None, None).unwrap();
        let token = places.token("t").unwrap();
        assert_eq!(token.len(), 64);
        let mode = fs::metadata(places.file("t")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let directory = places.file("");
        assert!(directory.is_dir());
        drop(places);
        assert!(!directory.exists());
    }

    #[test]
    fn only_a_kubeconfig_of_our_own_is_replaced() {
        let parent = tempfile::tempdir().unwrap();
        let file = parent.path().join("config");
        for (text, replaced) in [
            ("contexts: [{name: plimsoll, context: {}}]", true),
            ("contexts: [{name: plimsoll}, {name: production}]", false),
            ("contexts: [{name: production}]", false),
            ("", false),
            ("no: [yaml", false),
        ] {
            fs::write(&file, text).unwrap();
            assert_eq!(Places::prepare(None, Some(&file)).is_ok(), replaced, "{text}");
            assert_eq!(file.exists(), !replaced, "{text}");
        }
    }

    #[test]
    fn a_kubeconfig_that_could_not_be_written_is_told_before_anything_starts() {
        let parent = tempfile::tempdir().unwrap();
        let refused = Places::prepare(None, Some(&parent.path().join("no/config"))).err().unwrap().to_string();
        assert!(refused.ends_with(&format!("there is no directory `{}`", parent.path().join("no").display())), "{refused}");
        assert!(Places::prepare(None, Some(&parent.path().join("config"))).is_ok());
    }

    #[test]
    fn a_data_directory_stays() {
        let parent = tempfile::tempdir().unwrap();
        let data = parent.path().join("a/b");
        let places = Places::prepare(Some(&data), None).unwrap();
        assert_eq!(places.kubeconfig(), fs::canonicalize(&data).unwrap().join("kubeconfig"));
        drop(places);
        assert_eq!(fs::metadata(&data).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
