//! One thread of a pool.

use std::sync::Arc;
use std::{io, thread};

use futures::executor::block_on;

use super::queue::Queue;
use crate::rego::limits::count_to_the_end;

/// Of one worker. Deep policies and documents recurse; only touched pages are ever used.
const STACK: usize = 64 << 20;

/// A worker that has had so much at once ends, and a fresh one has its place: the allocator keeps for each thread what it has
/// freed, until the thread does more or ends.
const HEAVY: i64 = 16 << 20;

/// Starts a worker, which ends with its pool or when another one has its place.
pub(super) fn spawn(queue: &Arc<Queue>, number: u64) -> io::Result<()> {
    let queue = Arc::clone(queue);
    let builder = thread::Builder::new().name(format!("{}-{number}", queue.name)).stack_size(STACK);
    let counted = move || {
        count_to_the_end();
        work(&queue, number);
    };
    builder.spawn(counted).map(drop)
}

fn work(queue: &Arc<Queue>, number: u64) {
    while queue.wait() {
        // Its turn first, then a job: one that waits for a turn may still expire, or be taken by another worker.
        let turn = queue.shape.turns.clone().and_then(|turns| block_on(turns.acquire_owned()).ok());
        let Some(task) = queue.take(number, turn) else { continue };
        task.run();
        let heavy = regorus_mimalloc::current_thread_allocation_stats().peak > HEAVY;
        if !queue.done(number, heavy) {
            return;
        }
    }
}
