//! The embedded server, on a thread of its own.

use std::io::Write;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use plimsoll_apiserver::run::{Options, start};
use tempfile::NamedTempFile;
use tokio::sync::oneshot;

use super::super::servers::{Api, api};

const TOKEN: &str = "admin-token";

/// A running server, and its administrator. It ends with its owner.
pub(super) struct Embedded {
    pub(super) api: Api,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Embedded {
    pub(super) fn start() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut tokens = NamedTempFile::new().unwrap();
        writeln!(tokens, "{TOKEN},admin,1,\"system:masters\"").unwrap();
        let ((tell, told), (stop, stopped)) = (mpsc::channel(), oneshot::channel());
        let thread = thread::spawn(move || {
            actix_web::rt::System::new().block_on(async {
                let token_file = Some(tokens.path().to_path_buf());
                let running = start(Options { token_file, fsync: false, workers: 2, ..Options::default() }).await.unwrap();
                tell.send((running.url().to_owned(), running.ca().to_owned())).unwrap();
                // An owner that is gone stops it, too.
                let _ = stopped.await;
                running.stop().await;
            });
        });
        let (url, ca) = told.recv().unwrap();
        Self { api: api(&url, &ca, TOKEN), stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // What went wrong there has been printed there.
            let _ = thread.join();
        }
    }
}
