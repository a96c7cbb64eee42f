//! API servers for the tests: each test has one alone; a test that passed leaves its server clean for the next.

use std::ops::Deref;

use parking_lot::{Condvar, Mutex};

use super::api_server::ApiServer;
use super::assets::Assets;

// A server takes 260 MB; more at once are no faster than the cores allow.
const AT_MOST: usize = 4;

static POOL: Mutex<Pool> = Mutex::new(Pool { idle: Vec::new(), running: 0 });
static RETURNED: Condvar = Condvar::new();

struct Pool {
    idle: Vec<ApiServer>,
    running: usize,
}

/// An API server that nobody else uses now.
#[derive(Debug)]
pub(crate) struct Lent(Option<ApiServer>);

/// `None` when the test is to be skipped.
pub(crate) fn api_server() -> Option<Lent> {
    let assets = Assets::find()?;
    let mut pool = POOL.lock();
    while pool.idle.is_empty() && pool.running >= AT_MOST {
        RETURNED.wait(&mut pool);
    }
    if let Some(server) = pool.idle.pop() {
        return Some(Lent(Some(server)));
    }
    pool.running += 1;
    drop(pool);
    // Counted from here on: a start that fails gives its place back.
    let mut place = Lent(None);
    place.0 = Some(ApiServer::start(&assets));
    Some(place)
}

impl Deref for Lent {
    type Target = ApiServer;

    fn deref(&self) -> &ApiServer {
        self.0.as_ref().unwrap()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let clean = self.0.take().filter(|server| !std::thread::panicking() && server.clean().is_ok());
        let mut pool = POOL.lock();
        match clean {
            Some(server) => pool.idle.push(server),
            None => pool.running -= 1,
        }
        RETURNED.notify_one();
    }
}
