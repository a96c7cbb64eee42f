//! Which mutant is on, as `PLIMSOLL_MUTANT` says; 0 is none. Or which mutants are come by, one a line in the file `PLIMSOLL_MUTANTS_REACHED`.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

const UNREAD: u32 = u32::MAX;
const RECORDED: u32 = u32::MAX - 1;
static ON: AtomicU32 = AtomicU32::new(UNREAD);
static REACHED: [AtomicBool; 1 << 14] = [const { AtomicBool::new(false) }; 1 << 14];

#[inline(always)]
pub(crate) fn is(number: u32) -> bool {
    match ON.load(Ordering::Relaxed) {
        UNREAD => begin(number),
        RECORDED => record(number),
        on => on == number,
    }
}

#[cold]
fn begin(number: u32) -> bool {
    let on = std::env::var("PLIMSOLL_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    ON.store(if std::env::var_os("PLIMSOLL_MUTANTS_REACHED").is_some() { RECORDED } else { on }, Ordering::Relaxed);
    is(number)
}

#[cold]
fn record(number: u32) -> bool {
    let first = REACHED.get(number as usize).is_some_and(|reached| !reached.swap(true, Ordering::Relaxed));
    if first && let Some(file) = std::env::var_os("PLIMSOLL_MUTANTS_REACHED") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(file);
        // All at once: other threads write, too.
        file.and_then(|mut file| file.write_all(format!("{number}\n").as_bytes())).expect("the file of what is reached can be written");
    }
    false
}
