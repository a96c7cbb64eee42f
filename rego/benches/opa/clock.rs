//! Time on the processor, as Linux counts it.

use std::fs::read_to_string;
use std::time::{Duration, Instant};

use super::case::Outcome;

/// How long a measurement takes at least.
const LONG: Duration = Duration::from_millis(500);
/// A tick of `/proc/self/stat`, in nanoseconds.
const TICK: f64 = 1e7;

/// Nanoseconds that this thread has run.
pub(crate) fn running() -> Outcome<f64> {
    let text = read_to_string("/proc/thread-self/schedstat")?;
    Ok(text.split_whitespace().next().ok_or("empty")?.parse()?)
}

/// Nanoseconds that processes which have ended, started from here, have run.
pub(crate) fn children() -> Outcome<f64> {
    let text = read_to_string("/proc/self/stat")?;
    let fields: Vec<f64> =
        text.rsplit(')').next().unwrap_or_default().split_whitespace().filter_map(|field| field.parse().ok()).collect();
    // The state is no number; then parent, group, session, terminal, its group, flags, 4 counts of faults, 2 times of this process.
    let [user, system] = fields.get(12..14).ok_or("no times of children")? else { return Err("no times of children".into()) };
    Ok((user + system) * TICK)
}

/// Nanoseconds for each call.
pub(crate) fn each(mut call: impl FnMut() -> Outcome<()>) -> Outcome<f64> {
    let mut calls = 1_u32;
    loop {
        let (wall, before) = (Instant::now(), running()?);
        for _ in 0..calls {
            call()?;
        }
        let time = running()? - before;
        if wall.elapsed() >= LONG || time >= 1e9 {
            return Ok(time / f64::from(calls));
        }
        calls = calls.saturating_mul(2);
    }
}

/// Nanoseconds as people read them.
pub(crate) fn human(nanoseconds: f64) -> String {
    if nanoseconds < 1e3 {
        format!("{nanoseconds:.1} ns")
    } else if nanoseconds < 1e6 {
        format!("{:.1} us", nanoseconds / 1e3)
    } else {
        format!("{:.2} ms", nanoseconds / 1e6)
    }
}
