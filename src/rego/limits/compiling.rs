//! How long reading and compiling modules may take, and on how many threads.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_contract::policy::Diagnostic;
use plimsoll_rego::compile::{Interrupt, Options};
use plimsoll_rego::program::{Program, Text};

use super::count_to_the_end;

/// Wall-clock time for a set of modules, or a query, of up to 1 MiB, and for each further MiB: hundreds of times what policies take.
/// Who waits longer waits for an attack.
const TIME: Duration = Duration::from_secs(10);

/// Large sets take longer than small ones: for each mebibyte of text the limit is granted once more.
const BYTES: usize = 1 << 20;

/// How many of the processors may parse the texts of a set; what comes after is the work of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    /// All: nothing else is done meanwhile.
    All,
    /// Half: decisions are made meanwhile.
    Half,
}

impl Cores {
    /// Returns how many threads help the one that compiles.
    fn helpers(self) -> usize {
        let all = std::thread::available_parallelism().map_or(1, Into::into);
        let some = match self {
            Self::All => all,
            Self::Half => all / 2,
        };
        some.saturating_sub(1)
    }
}

/// Compiles modules, which up to eight threads parse. Fails with what is wrong in them, or when it takes longer than the limit.
pub(in crate::rego) fn timed(texts: &[Text], options: Options, cores: Cores) -> Result<Program, Vec<Diagnostic>> {
    let interrupt = Some(interrupt(texts.iter().map(|text| text.text.len()).sum()));
    let helpers = cores.helpers();
    let on_thread_start = Some(count_to_the_end as fn());
    Program::compile(texts, &Options { interrupt, helpers, on_thread_start, ..options }).map_err(|refused| refused.diagnostics())
}

/// Says when to end compiling so many bytes, from now on.
pub(in crate::rego) fn interrupt(bytes: usize) -> Interrupt {
    let limit = TIME.saturating_mul(u32::try_from(bytes / BYTES).unwrap_or(u32::MAX).saturating_add(1));
    let started = Instant::now();
    Arc::new(move || {
        let overdue = started.elapsed() > limit;
        overdue.then(|| format!("compiling was ended after {limit:?}: make the modules smaller, or less nested"))
    })
}
