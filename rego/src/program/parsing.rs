//! The texts of a set as trees.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, ScopedJoinHandle, scope};

use super::Text;
use crate::compile::{self, Options};
use crate::error::Errors;
use crate::syntax::parse::{self, parse_auto, parse_module};
use crate::syntax::source::{Source, Sources};
use crate::syntax::span::{SourceId, Span};
use crate::syntax::stack::with_depth;
use crate::syntax::tree::{Module, Version};

/// So many bytes of text are worth a thread: reading them takes some milliseconds, starting it a twentieth of one.
const WORTH_A_THREAD: usize = 64 << 10;

/// More helpers would not shorten what follows, which is one thread's work, and each keeps memory of its own.
const MOST: usize = 7;

/// Stack of a helper, in bytes: enough for most texts; parsing deeper ones takes more ([`crate::syntax::stack`]). Pages that are not
/// touched cost nothing.
const STACK: usize = 64 << 20;

/// Parses texts, which get the next numbers of `sources`. Fails with the errors of all texts that are no Rego, in the order of the
/// texts.
pub(super) fn modules(sources: &mut Sources, texts: &[Text], options: &Options) -> Result<Vec<Module>, Errors> {
    let ids: Vec<_> = texts.iter().map(|text| sources.add(Source::new(&text.name, &text.text))).collect();
    let job = |(id, text): (SourceId, &Text)| Some((id, sources.get(id)?, text.version));
    let jobs: Vec<_> = ids.into_iter().zip(texts).filter_map(job).collect();
    let bytes: usize = texts.iter().map(|text| text.text.len()).sum();
    let mut modules = Vec::with_capacity(texts.len());
    let mut errors = Vec::new();
    for result in each(&jobs, options, bytes / WORTH_A_THREAD, |job| parsed(job, options)) {
        match result {
            Ok(module) => modules.push(module),
            Err(found) => errors.extend(found),
        }
    }
    Errors::check(errors).inspect_err(|_| {
        let deepest = compile::depth_of(&modules);
        with_depth(deepest, || modules.clear());
    })?;
    Ok(modules)
}

/// Returns the tree of one text. Fails with its errors, or when the compilation has to end.
fn parsed((id, source, version): &(SourceId, &Source, Option<Version>), options: &Options) -> Result<Module, Errors> {
    options.go_on(Span { source: *id, ..Span::default() })?;
    match version {
        Some(version) => parse_module(source, *id, &parse::Options::of(*version)),
        None => parse_auto(source, *id),
    }
}

/// Returns what `work` makes of each job, in the order of the jobs. At most `worth` threads beside this one share the jobs, fewer if
/// `options` allow fewer; a thread that cannot be started leaves its jobs to the others.
fn each<T: Sync, R: Send>(jobs: &[T], options: &Options, worth: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let run = || {
        let job = || next.fetch_add(1, Ordering::Relaxed);
        std::iter::repeat_with(job).map_while(|at| Some((at, work(jobs.get(at)?)))).collect::<Vec<_>>()
    };
    let helpers = options.helpers.min(worth).min(MOST).min(jobs.len().saturating_sub(1));
    let mut done = scope(|scope| {
        let help = || {
            options.on_thread_start.iter().for_each(|begin| begin());
            run()
        };
        let helpers: Vec<_> = (0..helpers).filter_map(|_| helper().spawn_scoped(scope, help).ok()).collect();
        let mut done = run();
        helpers.into_iter().for_each(|helper| done.extend(joined(helper)));
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

fn helper() -> Builder {
    Builder::new().name("parse".to_owned()).stack_size(STACK)
}

/// A panic goes on where the work was asked for.
fn joined<T>(helper: ScopedJoinHandle<'_, T>) -> T {
    helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::compile::Interrupt;

    static BEGUN: AtomicUsize = AtomicUsize::new(0);

    fn helped(helpers: usize) -> Options {
        let begin: fn() = || {
            BEGUN.fetch_add(1, Ordering::Relaxed);
        };
        Options { helpers, on_thread_start: Some(begin), ..Options::default() }
    }

    #[test]
    fn each_job_is_done_once_and_stays_in_its_place() {
        let jobs: Vec<usize> = (0..1_000).collect();
        for (helpers, worth, begun) in [(0, 9, 0), (1, 9, 1), (6, 9, 6), (9, 8, MOST), (9, 0, 0)] {
            BEGUN.store(0, Ordering::Relaxed);
            let done = each(&jobs, &helped(helpers), worth, |job| job * 2);
            assert_eq!(done, jobs.iter().map(|job| job * 2).collect::<Vec<_>>(), "{helpers} helpers");
            assert_eq!(BEGUN.load(Ordering::Relaxed), begun, "{helpers} helpers, worth {worth}");
        }
        BEGUN.store(0, Ordering::Relaxed);
        assert_eq!(each(&[1, 2], &helped(4), 4, |job: &usize| *job), [1, 2]);
        assert_eq!(BEGUN.load(Ordering::Relaxed), 1);
        assert!(each(&[], &helped(4), 4, |job: &usize| *job).is_empty());
    }

    /// Large enough for helpers.
    fn texts(code: impl Fn(usize) -> String) -> Vec<Text> {
        let filler = format!("# {}\n", "x".repeat(WORTH_A_THREAD));
        let text = |at| Text { name: format!("{at}.rego"), text: format!("{filler}package a\n\n{}", code(at)), version: None };
        (0..40).map(text).collect()
    }

    fn read(texts: &[Text], options: Options, helpers: usize) -> Errors {
        modules(&mut Sources::default(), texts, &Options { helpers, ..options }).unwrap_err()
    }

    #[test]
    fn errors_are_those_of_all_texts_and_in_their_order() {
        let texts = texts(|at| format!("p := {at} +"));
        let [alone, helped] = [0, 3].map(|helpers| read(&texts, Options::default(), helpers));
        let shown = |errors: &Errors| errors.iter().map(|error| (error.span(), error.message().to_owned())).collect::<Vec<_>>();
        assert_eq!(shown(&alone), shown(&helped));
        let sources: BTreeSet<_> = alone.iter().map(|error| error.span().source).collect();
        assert_eq!(sources.len(), texts.len());
    }

    #[test]
    fn helpers_end_when_whoever_asked_says_so() {
        let interrupt = Some(Arc::new(|| Some("enough".to_owned())) as Interrupt);
        let errors = read(&texts(|at| format!("p := {at}")), Options { interrupt, ..Options::default() }, 3);
        assert!(errors.iter().all(|error| error.message() == "enough"), "{errors}");
        assert_eq!(errors.iter().count(), 40);
    }

    #[test]
    fn deep_modules_beside_a_broken_one_are_dropped_on_a_small_stack() {
        let texts = texts(|at| match at {
            7 => "p :=".to_owned(),
            _ => format!("p := {}true{}", "[1 | ".repeat(3_000), "]".repeat(3_000)),
        });
        let thread = Builder::new().stack_size(256 << 10).spawn(move || read(&texts, Options::default(), 3)).unwrap();
        let errors = thread.join().unwrap();
        assert!(errors.iter().all(|error| error.span().source == SourceId(7)), "{errors}");
    }
}
