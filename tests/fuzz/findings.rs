//! Panics that somebody caught: the engine answers them with an error, the fuzzer must see them all the same.

use std::panic::{self, PanicHookInfo};
use std::sync::Once;

use parking_lot::Mutex;

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
static HOOK: Once = Once::new();

/// Runs one input; a panic on any thread, caught or not, fails.
pub(super) fn watched(run: impl FnOnce()) {
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            note(panic);
            usual(panic);
        }));
    });
    run();
    let seen = std::mem::take(&mut *SEEN.lock());
    assert!(seen.is_empty(), "a panic was caught: {}", seen.join("; "));
}

fn note(panic: &PanicHookInfo<'_>) {
    let said = panic.payload_as_str().unwrap_or("no message");
    let file = panic.location().map_or("", |place| place.file());
    let line = panic.location().map_or(0, |place| place.line());
    let thread = std::thread::current();
    let text = format!("{file}:{line}: {said} (thread {})", thread.name().unwrap_or("without a name"));
    SEEN.lock().push(text);
}
