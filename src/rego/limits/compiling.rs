//! How long reading and compiling modules may take, and who may end it.
//!
//! The stages look at the clock between modules and between passes over one ([`check`]); what is inside one pass of the interpreter's
//! parser is bounded by the nesting that [`super::super::parse`] lets through. A compilation stays on one thread.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plimsoll_contract::policy::{Diagnostic, Location};

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
    static ASKED: RefCell<Option<CompileLimits>> = const { RefCell::new(None) };
    /// The compilation that runs on this thread.
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

struct Running {
    limits: CompileLimits,
    limit: Duration,
    started: Instant,
    /// The module at hand, and since when.
    at: Option<(String, Instant)>,
    spent: BTreeMap<String, Duration>,
}

/// Why a compilation ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::rego) enum Overdue {
    /// It took too long; most of it for this module.
    #[error("compiling was ended after {limit:?}, most of it spent on {module}: make the module smaller, or less nested")]
    Time {
        /// The limit.
        limit: Duration,
        /// A key.
        module: String,
    },
    /// Nobody wants the result.
    #[error("compiling was ended while at {module}: whoever asked for it has gone")]
    Cancelled {
        /// A key.
        module: String,
    },
}

impl Overdue {
    /// As an error of the module it was at.
    pub(in crate::rego) fn diagnostic(&self) -> Diagnostic {
        let (Self::Time { module, .. } | Self::Cancelled { module }) = self;
        let location = Location { file: module.clone(), row: 1, col: 1 };
        Diagnostic { code: "rego_compile_error".to_owned(), message: self.to_string(), location, details: Vec::new() }
    }
}

/// Does work on this thread whose compilations have these limits, whoever starts them.
pub fn compiling<T>(limits: &CompileLimits, work: impl FnOnce() -> T) -> T {
    let _restored = Asked(ASKED.replace(Some(limits.clone())));
    work()
}

/// Does the compiling of texts with so many bytes; what is inside another one shares its time.
pub(in crate::rego) fn timed<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    if RUNNING.with_borrow(Option::is_some) {
        return work();
    }
    let limits = ASKED.with_borrow(|asked| asked.clone()).unwrap_or_default();
    let times = u32::try_from(bytes / BYTES).unwrap_or(u32::MAX).saturating_add(1);
    let limit = limits.time.saturating_mul(times);
    RUNNING.set(Some(Running { limits, limit, started: Instant::now(), at: None, spent: BTreeMap::new() }));
    let _ended = Ended;
    work()
}

/// Does work on one module: its key is named if time runs out.
pub(in crate::rego) fn module<T>(key: &str, work: impl FnOnce() -> T) -> T {
    let begin = || {
        RUNNING.with_borrow_mut(|running| running.as_mut().map(|running| running.at.replace((key.to_owned(), Instant::now()))))
    };
    let before = begin();
    let done = work();
    RUNNING.with_borrow_mut(|running| {
        if let Some(running) = running {
            running.leave(before.flatten());
        }
    });
    done
}

/// Whether to go on.
pub(in crate::rego) fn check() -> Result<(), Overdue> {
    RUNNING.with_borrow(|running| running.as_ref().map_or(Ok(()), Running::check))
}

impl Running {
    fn leave(&mut self, before: Option<(String, Instant)>) {
        if let Some((key, since)) = std::mem::replace(&mut self.at, before) {
            let spent = self.spent.entry(key).or_default();
            *spent = spent.saturating_add(since.elapsed());
        }
    }

    fn check(&self) -> Result<(), Overdue> {
        if self.limits.cancelled.load(Ordering::Relaxed) {
            return Err(Overdue::Cancelled { module: self.longest() });
        }
        if self.started.elapsed() > self.limit {
            return Err(Overdue::Time { limit: self.limit, module: self.longest() });
        }
        Ok(())
    }

    /// The module that took most of the time.
    fn longest(&self) -> String {
        let now = self.at.iter().map(|(key, since)| {
            let before = self.spent.get(key).copied().unwrap_or_default();
            (before.saturating_add(since.elapsed()), key)
        });
        now.chain(self.spent.iter().map(|(key, spent)| (*spent, key))).max().map(|(_, key)| key.clone()).unwrap_or_default()
    }
}

/// Puts back what was, also after a panic.
struct Asked(Option<CompileLimits>);

impl Drop for Asked {
    fn drop(&mut self) {
        ASKED.replace(self.0.take());
    }
}

/// The compilation is over, also after a panic.
struct Ended;

impl Drop for Ended {
    fn drop(&mut self) {
        RUNNING.replace(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rego::{Module, Program, RegoVersion};

    fn modules() -> Vec<Module> {
        let module = |key: &str, rules: usize| Module {
            key: key.into(),
            text: format!("package {key}\n{}", (0..rules).map(|n| format!("r{n} := {n}\n")).collect::<String>()),
        };
        vec![module("small", 1), module("large", 300), module("little", 2)]
    }

    fn refused(limits: &CompileLimits) -> Vec<Diagnostic> {
        compiling(limits, || Program::compile(&modules(), RegoVersion::V1)).err().unwrap_or_default()
    }

    #[test]
    fn a_compilation_that_takes_too_long_ends_and_names_the_module() {
        let errors = refused(&CompileLimits { time: Duration::ZERO, ..CompileLimits::default() });
        let [error] = errors.as_slice() else { panic!("{errors:?}") };
        assert_eq!((error.code.as_str(), error.location.file.as_str()), ("rego_compile_error", "small"));
        assert!(error.message.contains("compiling was ended after 0ns, most of it spent on small"), "{error:?}");
    }

    #[test]
    fn it_ends_when_nobody_wants_the_result() {
        let limits = CompileLimits::default();
        limits.cancelled.store(true, Ordering::Relaxed);
        let errors = refused(&limits);
        assert!(matches!(errors.as_slice(), [error] if error.message.contains("whoever asked for it has gone")), "{errors:?}");
        // The next one on this thread is another one.
        assert!(Program::compile(&modules(), RegoVersion::V1).is_ok());
    }

    #[test]
    fn most_of_the_time_is_said_of_the_right_module() {
        timed(0, || {
            module("short", || {});
            module("long", || std::thread::park_timeout(Duration::from_millis(5)));
            let longest = RUNNING.with_borrow(|running| running.as_ref().map(Running::longest));
            assert_eq!(longest.as_deref(), Some("long"));
        });
        assert_eq!(check(), Ok(()), "nothing runs");
    }
}
