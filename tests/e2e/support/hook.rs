//! A webhook of the test's own, in this process, on loopback: a function answers what it is asked.
#![allow(dead_code, reason = "benchmarks have none")]

mod connection;
pub(crate) mod stamp;

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};

use super::certificates::Authority;

/// What becomes of a review.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    /// The members of its response, without the uid.
    Now(Json),
    /// The same, unless who asks goes within this time.
    After(Duration, Json),
    /// Nothing, until who asks goes.
    Never,
    /// There is nothing at the path.
    NotFound,
}

/// Judges a review's `request`, by the path at which it came.
pub(crate) type Judge = fn(path: &str, request: &Json) -> Reply;

/// The running webhook; it ends when dropped.
#[derive(Debug)]
pub(crate) struct Hook {
    address: SocketAddr,
    authority: Authority,
    stop: Arc<AtomicBool>,
}

impl Hook {
    /// Starts one that is known by this name, and as `127.0.0.1`.
    pub(crate) fn start(name: &str, judge: Judge) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let authority = Authority::new("e2e-webhook");
        let config = Arc::new(connection::tls(&authority.serving_as(&[name, "127.0.0.1"], directory.path())));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                if stopped.load(Ordering::Acquire) {
                    return;
                }
                let config = Arc::clone(&config);
                thread::spawn(move || connection::serve(connection, config, judge));
            }
        });
        Self { address, authority, stop }
    }

    /// Where it listens, on loopback.
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// A `clientConfig` by URL.
    pub(crate) fn by_url(&self) -> Json {
        json!({"url": format!("https://{}/", self.address), "caBundle": self.ca_bundle()})
    }

    /// Who vouches for it, as configurations have it.
    pub(crate) fn ca_bundle(&self) -> String {
        STANDARD.encode(self.authority.pem())
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        // Wakes the listener up.
        let _ = TcpStream::connect(self.address);
    }
}

/// The members of a response that allows with these changes, a JSON patch.
pub(crate) fn patched(operations: &Json) -> Json {
    json!({"allowed": true, "patchType": "JSONPatch", "patch": STANDARD.encode(operations.to_string())})
}
