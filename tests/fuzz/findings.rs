//! Panics that somebody caught: the engine answers them with an error, the fuzzer must see them all the same.

use std::panic::{self, PanicHookInfo};
use std::sync::Once;

use parking_lot::Mutex;

/// What is known to panic in other people's code, is turned into an error of that one evaluation, and is reported: the end
/// of the file's path, a part of the message, the page of docs/regorus.
const KNOWN: &[(&str, &str, &str)] = &[];

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
static HOOK: Once = Once::new();

/// Runs one input; a panic on any thread, caught or not, fails.
pub(super) fn watched(run: impl FnOnce()) {
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if note(panic) {
                usual(panic);
            }
        }));
    });
    run();
    let seen = std::mem::take(&mut *SEEN.lock());
    assert!(seen.is_empty(), "a panic was caught: {}", seen.join("; "));
}

/// Whether it is news.
fn note(panic: &PanicHookInfo<'_>) -> bool {
    let said = panic.payload_as_str().unwrap_or("no message");
    let file = panic.location().map_or("", |place| place.file());
    if KNOWN.iter().any(|(path, part, _)| file.ends_with(path) && said.contains(part)) {
        return false;
    }
    let line = panic.location().map_or(0, |place| place.line());
    let thread = std::thread::current();
    let text = format!("{file}:{line}: {said} (thread {})", thread.name().unwrap_or("without a name"));
    SEEN.lock().push(text);
    true
}
