//! Waiting on a condition with a deadline: the only place where a test lets time pass.

use std::fmt::Debug;
use std::thread::park_timeout;
use std::time::{Duration, Instant};

/// Long enough for a loaded machine; no test waits for it unless it fails.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

const PAUSE: Duration = Duration::from_millis(40);

/// Asks until the answer is `Ok`, and panics with the last `Err` when the deadline has passed.
#[track_caller]
pub(crate) fn eventually<T, E: Debug>(what: &str, mut condition: impl FnMut() -> Result<T, E>) -> T {
    let start = Instant::now();
    loop {
        match condition() {
            Ok(value) => return value,
            Err(last) if start.elapsed() > DEADLINE => panic!("not within {DEADLINE:?}: {what}; last seen: {last:#?}"),
            Err(_) => park_timeout(PAUSE),
        }
    }
}

/// Asks until the answer satisfies `good`, and returns it.
#[track_caller]
pub(crate) fn until<T: Debug>(what: &str, mut ask: impl FnMut() -> T, good: impl Fn(&T) -> bool) -> T {
    eventually(what, || {
        let value = ask();
        if good(&value) { Ok(value) } else { Err(value) }
    })
}

/// Counts until none is left, and panics with what `look` returns when there have not been fewer for as long as the deadline: on a loaded
/// machine much takes long, but goes on.
#[track_caller]
pub(crate) fn until_none<E: Debug>(what: &str, mut count: impl FnMut() -> usize, look: impl Fn() -> E) {
    let (mut least, mut since) = (usize::MAX, Instant::now());
    loop {
        match count() {
            0 => return,
            fewer if fewer < least => (least, since) = (fewer, Instant::now()),
            left if since.elapsed() > DEADLINE => {
                panic!("{what}: {left} are left, and were not fewer for {DEADLINE:?}; last seen: {:#?}", look())
            }
            _ => park_timeout(PAUSE),
        }
    }
}
