//! Watches policy directories. An event only says "look again"; a periodic pass finds what events missed.
//!
//! A mounted ConfigMap changes by a rename of its `..data` symlink, an editor replaces files: so directories are watched,
//! never files, and contents are compared by the store, which ignores a set that it has.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::snapshot::Store;

/// When to look.
#[derive(Clone, Copy, Debug)]
pub struct WatchIntervals {
    /// Quiet time after an event before the directories are read.
    pub debounce: Duration,
    /// Longest wait while events keep coming.
    pub longest_debounce: Duration,
    /// Time between passes when no event comes.
    pub resync: Duration,
}

impl Default for WatchIntervals {
    fn default() -> Self {
        Self { debounce: Duration::from_millis(50), longest_debounce: Duration::from_secs(1), resync: Duration::from_secs(30) }
    }
}

/// A running watch; dropping it stops it.
#[derive(Debug)]
pub struct Watch {
    wake: Sender<Wake>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wake {
    Look,
    Stop,
}

/// Waits for changes below paths, on the thread of whoever asks.
pub struct PathWatcher {
    paths: Vec<PathBuf>,
    notifications: Notifications,
    woken: Receiver<Wake>,
    /// Without notifications nobody else holds the other end.
    wake: Sender<Wake>,
    intervals: WatchIntervals,
}

impl PathWatcher {
    /// Watches from now on. Paths may be files or directories, and may be missing.
    pub fn new(paths: Vec<PathBuf>, intervals: WatchIntervals) -> Self {
        let (wake, woken) = channel();
        let notifications = Notifications::new(&paths, wake.clone());
        Self { paths, notifications, woken, wake, intervals }
    }

    /// Returns when it is time to look, whether something has changed or not; false to stop.
    pub fn wait(&mut self) -> bool {
        let go_on = wait(&self.woken, self.intervals);
        if go_on {
            self.notifications.renew(&self.paths);
        }
        go_on
    }
}

impl std::fmt::Debug for PathWatcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PathWatcher").field("paths", &self.paths).finish_non_exhaustive()
    }
}

/// Loads directories into the store: [`super::reload`], or that of local bundles.
pub type Reload = Box<dyn Fn(&[PathBuf], &Store) + Send>;

/// Reads the directories once, then keeps the store in step with them from a thread of its own.
pub fn spawn(dirs: Vec<PathBuf>, store: Arc<Store>, reload: Reload, intervals: WatchIntervals) -> std::io::Result<Watch> {
    let mut watcher = PathWatcher::new(dirs, intervals);
    let wake = watcher.wake.clone();
    // Watched before the first read: what changes in between is seen by one of the two.
    reload(&watcher.paths, &store);
    let thread = std::thread::Builder::new().name("policy-watch".into()).spawn(move || {
        while watcher.wait() {
            reload(&watcher.paths, &store);
        }
    })?;
    Ok(Watch { wake, thread: Some(thread) })
}

impl Drop for Watch {
    fn drop(&mut self) {
        // The thread may be gone already; either way it ends.
        let _ = self.wake.send(Wake::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Waits until it is time to look; false to stop.
fn wait(woken: &Receiver<Wake>, intervals: WatchIntervals) -> bool {
    match woken.recv_timeout(intervals.resync) {
        Ok(Wake::Look) => settle(woken, intervals),
        Ok(Wake::Stop) | Err(RecvTimeoutError::Disconnected) => false,
        Err(RecvTimeoutError::Timeout) => true,
    }
}

fn settle(woken: &Receiver<Wake>, intervals: WatchIntervals) -> bool {
    let deadline = Instant::now() + intervals.longest_debounce;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match woken.recv_timeout(intervals.debounce.min(left)) {
            Ok(Wake::Look) if left.is_zero() => return true,
            Ok(Wake::Look) => {}
            Ok(Wake::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) => return true,
        }
    }
}

/// The operating system's notifications, where it gives any.
struct Notifications {
    watcher: Option<RecommendedWatcher>,
    watched: BTreeMap<PathBuf, Inode>,
}

/// Device and number: watches follow these, not paths.
type Inode = (u64, u64);

impl Notifications {
    fn new(dirs: &[PathBuf], wake: Sender<Wake>) -> Self {
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Our own reading is no change.
            if !event.is_ok_and(|event| event.kind.is_access()) {
                let _ = wake.send(Wake::Look);
            }
        });
        let watcher =
            watcher.inspect_err(|error| tracing::warn!(%error, "no file notifications, looking periodically only")).ok();
        let mut notifications = Self { watcher, watched: BTreeMap::new() };
        notifications.renew(dirs);
        notifications
    }

    /// Watches each directory, or if it is missing or a file the nearest folder above it. A directory that was replaced is watched
    /// anew; others are left alone, so that no event falls between two watches.
    fn renew(&mut self, dirs: &[PathBuf]) {
        let Some(watcher) = &mut self.watcher else { return };
        let mut wanted = BTreeMap::new();
        for (path, mode) in dirs.iter().map(|dir| nearest(dir)) {
            let mode = if wanted.get(path) == Some(&RecursiveMode::Recursive) { RecursiveMode::Recursive } else { mode };
            wanted.insert(path, mode);
        }
        self.watched.retain(|path, inode| {
            let keep = wanted.contains_key(path.as_path()) && inode_of(path) == Some(*inode);
            if !keep {
                // A path that is gone has lost its watch by itself.
                let _ = watcher.unwatch(path);
            }
            keep
        });
        for (path, mode) in wanted {
            let Some(inode) = inode_of(path).filter(|_| !self.watched.contains_key(path)) else { continue };
            match watcher.watch(path, mode) {
                Ok(()) => drop(self.watched.insert(path.into(), inode)),
                Err(error) => tracing::warn!(%error, path = %path.display(), "cannot watch, looking periodically only"),
            }
        }
    }
}

fn inode_of(path: &Path) -> Option<Inode> {
    std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

fn nearest(dir: &Path) -> (&Path, RecursiveMode) {
    if dir.is_dir() {
        return (dir, RecursiveMode::Recursive);
    }
    let above = dir.ancestors().skip(1).find(|path| path.is_dir()).unwrap_or(Path::new("."));
    (above, RecursiveMode::NonRecursive)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::rego::RegoVersion;
    use crate::snapshot::store::StoreOptions;

    const GOOD: &str = "package kubernetes.placement\n\nannotations := {\"a\": \"1\"}\n";

    fn store() -> Arc<Store> {
        let options =
            StoreOptions { require_sources: Vec::new(), rego: RegoVersion::Auto, expect_files: true, ..StoreOptions::default() };
        Arc::new(Store::new(options).unwrap())
    }

    /// Fast, and so patient between passes that only a notification can be what woke it.
    fn intervals() -> WatchIntervals {
        WatchIntervals {
            debounce: Duration::from_millis(10),
            longest_debounce: Duration::from_millis(100),
            resync: Duration::from_secs(3600),
        }
    }

    fn modules(store: &Store) -> usize {
        store.load().policies.sets.get(super::super::SET).map_or(0, |set| set.modules.len())
    }

    async fn until(store: &Store, what: impl Fn(&Store) -> bool) {
        let mut published = store.subscribe();
        let reached = tokio::time::timeout(Duration::from_secs(10), async {
            while !what(store) {
                published.changed().await.unwrap();
            }
        });
        reached.await.expect("the store never got there");
    }

    #[tokio::test]
    async fn a_directory_that_appears_later_is_loaded_and_makes_the_engine_ready() {
        let above = tempfile::tempdir().unwrap();
        let dir = above.path().join("policies");
        let store = store();
        let _watch = spawn(vec![dir.clone()], Arc::clone(&store), Box::new(crate::policy_set::reload), intervals()).unwrap();
        assert!(!store.load().ready());

        std::fs::create_dir(&dir).unwrap();
        std::fs::write(dir.join("p.rego"), GOOD).unwrap();
        until(&store, |store| modules(store) == 1 && store.load().ready()).await;
    }

    #[tokio::test]
    async fn a_mounted_configmap_is_followed_through_its_symlink_swap() {
        let dir = tempfile::tempdir().unwrap();
        let version = |name: &str, files: &[&str]| {
            std::fs::create_dir(dir.path().join(name)).unwrap();
            for file in files {
                let text = GOOD.replace("\"a\"", &format!("\"{file}\"")).replace("placement", &file.replace('.', "_"));
                std::fs::write(dir.path().join(name).join(file), text).unwrap();
            }
            symlink(name, dir.path().join("..tmp")).unwrap();
            std::fs::rename(dir.path().join("..tmp"), dir.path().join("..data")).unwrap();
        };
        version("..1", &["a.rego"]);
        symlink("..data/a.rego", dir.path().join("a.rego")).unwrap();
        let store = store();
        let _watch =
            spawn(vec![dir.path().into()], Arc::clone(&store), Box::new(crate::policy_set::reload), intervals()).unwrap();
        assert_eq!(modules(&store), 1);

        version("..2", &["a.rego", "b.rego"]);
        symlink("..data/b.rego", dir.path().join("b.rego")).unwrap();
        until(&store, |store| modules(store) == 2).await;
    }

    #[tokio::test]
    async fn a_broken_file_leaves_the_last_good_set_in_force_and_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("p.rego"), GOOD).unwrap();
        let store = store();
        let _watch =
            spawn(vec![dir.path().into()], Arc::clone(&store), Box::new(crate::policy_set::reload), intervals()).unwrap();
        let digest = store.load().policies.digest.clone();

        std::fs::write(dir.path().join("p.rego"), "package kubernetes.placement\n\nannotations := {\n").unwrap();
        until(&store, |store| store.load().policies.sets.values().any(|set| !set.errors.is_empty())).await;
        let snapshot = store.load();
        assert!(snapshot.ready());
        assert_eq!(snapshot.policies.digest, digest);

        std::fs::remove_file(dir.path().join("p.rego")).unwrap();
        until(&store, |store| modules(store) == 0 && store.load().ready()).await;
    }
}
