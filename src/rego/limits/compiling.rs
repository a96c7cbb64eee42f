//! How long reading and compiling modules may take, and who may end it.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plimsoll_contract::policy::Diagnostic;
use plimsoll_rego::compile::{Interrupt, Options};
use plimsoll_rego::program::{Program, Text};

/// Large sets take longer than small ones: for each mebibyte of text the limit is granted once more.
const BYTES: usize = 1 << 20;

/// Limits of compiling one set of modules, or one query.
#[derive(Clone, Debug)]
pub struct CompileLimits {
    /// Wall-clock time for a set of up to 1 MiB, and for each further MiB.
    pub time: Duration,
    /// Set by whoever no longer wants the result, such as the handler of a request whose client has gone.
    pub cancelled: Arc<AtomicBool>,
}

impl Default for CompileLimits {
    /// 10 seconds, hundreds of times what sets of policies take: who waits longer waits for an attack.
    fn default() -> Self {
        Self { time: Duration::from_secs(10), cancelled: Arc::default() }
    }
}

thread_local! {
    /// What the caller asked for.
    static LIMITS: RefCell<Option<CompileLimits>> = const { RefCell::new(None) };
}

/// Does work on this thread whose compilations have these limits, whoever starts them.
pub fn compiling<T>(limits: &CompileLimits, work: impl FnOnce() -> T) -> T {
    let _restore = Restore(LIMITS.replace(Some(limits.clone())));
    work()
}

/// Compiles within the limits.
pub(in crate::rego) fn timed(texts: &[Text], options: Options) -> Result<Program, Vec<Diagnostic>> {
    let interrupt = Some(interrupt(texts.iter().map(|text| text.text.len()).sum()));
    Program::compile(texts, &Options { interrupt, ..options }).map_err(|refused| refused.diagnostics())
}

/// Says when to end compiling so many bytes, from now on.
pub(in crate::rego) fn interrupt(bytes: usize) -> Interrupt {
    let limits = LIMITS.with_borrow(|limits| limits.clone()).unwrap_or_default();
    let limit = limits.time.saturating_mul(u32::try_from(bytes / BYTES).unwrap_or(u32::MAX).saturating_add(1));
    let started = Instant::now();
    Arc::new(move || {
        if limits.cancelled.load(Ordering::Relaxed) {
            return Some("compiling was ended: whoever asked for it has gone".to_owned());
        }
        let overdue = started.elapsed() > limit;
        overdue.then(|| format!("compiling was ended after {limit:?}: make the modules smaller, or less nested"))
    })
}

/// Puts back what was, also after a panic.
struct Restore(Option<CompileLimits>);

impl Drop for Restore {
    fn drop(&mut self) {
        LIMITS.replace(self.0.take());
    }
}
