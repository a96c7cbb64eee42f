//! Watches policy directories. An event only says "look again"; a periodic pass finds what events missed.
//!
//! A mounted ConfigMap changes by a rename of its `..data` symlink, an editor replaces files: so directories are watched,
//! never files, and contents are compared by the store, which ignores a set that it has.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::reload;
use crate::snapshot::Store;

/// How fast to look.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Quiet time after an event before the directories are read.
    pub debounce: Duration,
    /// Longest wait while events keep coming.
    pub patience: Duration,
    /// Time between passes when nothing is heard.
    pub resync: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { debounce: Duration::from_millis(50), patience: Duration::from_secs(1), resync: Duration::from_secs(30) }
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

/// Reads the directories once, then keeps the store in step with them from a thread of its own.
pub fn spawn(dirs: Vec<PathBuf>, store: Arc<Store>, pace: Pace) -> std::io::Result<Watch> {
    let (wake, woken) = channel();
    let mut eyes = Eyes::new(&dirs, wake.clone());
    // Watched before the first read: what changes in between is seen by one of the two.
    reload(&dirs, &store);
    let thread = std::thread::Builder::new().name("policy-watch".into()).spawn(move || {
        while wait(&woken, pace) {
            eyes.open(&dirs);
            reload(&dirs, &store);
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
fn wait(woken: &Receiver<Wake>, pace: Pace) -> bool {
    match woken.recv_timeout(pace.resync) {
        Ok(Wake::Look) => settle(woken, pace),
        Ok(Wake::Stop) | Err(RecvTimeoutError::Disconnected) => false,
        Err(RecvTimeoutError::Timeout) => true,
    }
}

fn settle(woken: &Receiver<Wake>, pace: Pace) -> bool {
    let deadline = Instant::now() + pace.patience;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match woken.recv_timeout(pace.debounce.min(left)) {
            Ok(Wake::Look) if left.is_zero() => return true,
            Ok(Wake::Look) => {}
            Ok(Wake::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) => return true,
        }
    }
}

/// The operating system's notifications, where it gives any.
struct Eyes {
    watcher: Option<RecommendedWatcher>,
    watched: Vec<PathBuf>,
}

impl Eyes {
    fn new(dirs: &[PathBuf], wake: Sender<Wake>) -> Self {
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Our own reading is no change.
            if !event.is_ok_and(|event| event.kind.is_access()) {
                let _ = wake.send(Wake::Look);
            }
        });
        let watcher =
            watcher.inspect_err(|error| tracing::warn!(%error, "no file notifications, looking periodically only")).ok();
        let mut eyes = Self { watcher, watched: Vec::new() };
        eyes.open(dirs);
        eyes
    }

    /// Watches each directory, or while it is missing the nearest folder above it. Watches follow inodes, so they are set
    /// anew each time: a directory that was replaced is watched again.
    fn open(&mut self, dirs: &[PathBuf]) {
        let Some(watcher) = &mut self.watcher else { return };
        for path in self.watched.drain(..) {
            // A path that is gone has lost its watch by itself.
            let _ = watcher.unwatch(&path);
        }
        for dir in dirs {
            let (path, mode) = nearest(dir);
            match watcher.watch(path, mode) {
                Ok(()) => self.watched.push(path.into()),
                Err(error) => tracing::warn!(%error, path = %path.display(), "cannot watch, looking periodically only"),
            }
        }
    }
}

fn nearest(dir: &Path) -> (&Path, RecursiveMode) {
    if dir.exists() {
        return (dir, RecursiveMode::Recursive);
    }
    let above = dir.ancestors().skip(1).find(|path| path.exists()).unwrap_or(Path::new("."));
    (above, RecursiveMode::NonRecursive)
}
