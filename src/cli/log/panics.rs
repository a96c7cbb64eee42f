//! Writes panics to the log, because their messages may quote what a request brought.

use std::backtrace::Backtrace;
use std::io::{self, Write};
use std::panic::{self, PanicHookInfo};
use std::{env, thread};

use crate::printable;

/// Writes every panic from here on as one event; with `RUST_BACKTRACE`, the backtrace follows.
pub(super) fn log() {
    let backtraces = env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    panic::set_hook(Box::new(move |panic| tell(panic, backtraces)));
}

fn tell(panic: &PanicHookInfo<'_>, backtrace: bool) {
    let (message, thread) = (panic.payload_as_str().unwrap_or("no message"), thread::current());
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(thread = thread.name().unwrap_or("unnamed"), place, "panicked: {message}");
    if backtrace {
        // With standard error gone there is nobody left to tell.
        let _ = writeln!(io::stderr(), "{}", printable::lines(&Backtrace::force_capture().to_string()));
    }
}
