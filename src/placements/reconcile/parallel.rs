//! One function over many items, on every core, until told to stop.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;

use crate::rego::limits::count_to_the_end;

/// Fewer items than this are not worth a thread.
const WORTH_A_THREAD: usize = 8;

/// Applies `work` to the items in order; `None` stands for those that were left when `stop` said so. The first item is
/// always done.
pub(super) fn map<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Option<R>> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return done };
            if at > 0 && stop() {
                return done;
            }
            done.push((at, work(item)));
        }
    };
    let helpers = threads.min(items.len() / WORTH_A_THREAD).saturating_sub(1);
    let done = std::thread::scope(|scope| {
        let helpers: Vec<_> = (0..helpers)
            .map(|_| {
                scope.spawn(|| {
                    count_to_the_end();
                    worker()
                })
            })
            .collect();
        let mut done = worker();
        helpers.into_iter().for_each(|helper| done.extend(joined(helper)));
        done
    });
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    for (at, result) in done {
        if let Some(slot) = results.get_mut(at) {
            *slot = Some(result);
        }
    }
    results
}

/// A panic goes on where the work was asked for.
fn joined<T>(helper: ScopedJoinHandle<'_, T>) -> T {
    helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_done_once_and_in_place() {
        let items: Vec<usize> = (0..1_000).collect();
        for threads in [1, 2, 7] {
            let doubled = map(&items, threads, |n| n * 2, &|| false);
            assert!(doubled.iter().enumerate().all(|(n, result)| *result == Some(n * 2)), "{threads} threads");
        }
        assert!(map(&[], 4, |n: &usize| *n, &|| false).is_empty());
    }

    #[test]
    fn the_first_item_is_done_even_when_told_to_stop() {
        let results = map(&[1, 2, 3], 1, |n| *n, &|| true);
        assert_eq!(results, [Some(1), None, None]);
    }
}
