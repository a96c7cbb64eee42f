//! Free loopback ports, for processes that must be told theirs.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};

// Below the range from which the kernel takes ports for outgoing connections, so that none of those takes ours
// between the probe and the use.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

static NEXT: AtomicU16 = AtomicU16::new(0);

/// A port that is free now and that no other caller in this process gets.
pub(crate) fn free() -> u16 {
    // Test processes that run side by side start at different places.
    let start = u16::try_from(u32::from(FIRST) + std::process::id().wrapping_mul(7) % u32::from(COUNT)).unwrap();
    for _ in 0..COUNT {
        let port = FIRST + (start - FIRST + NEXT.fetch_add(1, Ordering::Relaxed)) % COUNT;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no free port in {FIRST}..{}", FIRST + COUNT);
}
