use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::Poll;

use parking_lot::Mutex;
use tokio::task::JoinHandle;

use super::*;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

fn shape(workers: usize, waiting: usize) -> Shape {
    Shape { workers, waiting, limit: Duration::MAX, spares: 0, turns: None }
}

/// A job that runs until it is let go.
struct Blocked {
    release: Sender<()>,
    job: JoinHandle<Result<(), PoolError>>,
}

async fn block(pool: &Arc<Pool>) -> Blocked {
    let (release, wait) = channel::<()>();
    let (started, running) = oneshot::channel();
    let pool = Arc::clone(pool);
    let job = tokio::spawn(async move { pool.run(None, until(started, wait)).await });
    running.await.unwrap();
    Blocked { release, job }
}

fn until(started: oneshot::Sender<()>, wait: Receiver<()>) -> impl FnOnce() + Send {
    move || {
        let _ = started.send(());
        let _ = wait.recv();
    }
}

impl Blocked {
    async fn end(self) {
        self.release.send(()).unwrap();
        assert_eq!(self.job.await.unwrap(), Ok(()));
    }
}

/// Looks again until it is so.
async fn eventually(mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "not within {PATIENCE:?}");
        tokio::task::yield_now().await;
    }
}

/// What holds jobs until the sender is dropped.
fn blocked() -> (Sender<()>, Arc<Mutex<Receiver<()>>>) {
    let (release, wait) = channel();
    (release, Arc::new(Mutex::new(wait)))
}

fn wait_for(blocked: &Mutex<Receiver<()>>) {
    assert!(blocked.lock().recv().is_err());
}

fn over() -> Option<Deadline> {
    let now = Instant::now();
    Some(Deadline { begin: now, end: now })
}

#[tokio::test]
async fn a_panic_costs_one_request() {
    let pool = Pool::start("test", shape(1, 8)).unwrap();
    for _ in 0..20 {
        assert_eq!(pool.run(None, || panic!("expected")).await, Err::<(), _>(PoolError::Panicked));
    }
    assert_eq!(pool.run(None, || 7).await, Ok(7));
}

#[tokio::test]
async fn a_full_queue_refuses_at_once_and_makes_room_of_what_nobody_waits_for() {
    let pool = Arc::new(Pool::start("test", shape(1, 1)).unwrap());
    let busy = block(&pool).await;
    let mut waiting = Box::pin(pool.run(None, || 1));
    assert!(futures::poll!(&mut waiting).is_pending(), "it waits in the queue");
    assert_eq!(pool.run(None, || 2).await, Err(PoolError::Overloaded));
    drop(waiting);
    let mut waiting = Box::pin(pool.run(None, || 3));
    assert!(futures::poll!(&mut waiting).is_pending(), "the one before has left");
    busy.end().await;
    assert_eq!(waiting.await, Ok(3));
}

#[tokio::test]
async fn a_request_is_answered_at_its_deadline_and_not_when_a_worker_comes_free() {
    let pool = Arc::new(Pool::start("test", shape(1, 8)).unwrap());
    let busy = block(&pool).await;
    let begun = Arc::new(AtomicUsize::new(0));
    let count = |begun: &Arc<AtomicUsize>| {
        let begun = Arc::clone(begun);
        move || begun.fetch_add(1, Ordering::SeqCst)
    };
    assert_eq!(pool.run(over(), count(&begun)).await, Err(PoolError::Expired));
    let mut left = Box::pin(pool.run(None, count(&begun)));
    assert!(futures::poll!(&mut left).is_pending());
    drop(left);
    busy.end().await;
    assert_eq!(pool.run(None, || 1).await, Ok(1), "the queue is worked off");
    assert_eq!(begun.load(Ordering::SeqCst), 0, "neither was begun");
}

#[tokio::test]
async fn a_job_that_does_not_end_is_answered_too() {
    let pool = Arc::new(Pool::start("test", shape(1, 8)).unwrap());
    let (release, wait) = channel::<()>();
    let (started, running) = oneshot::channel();
    let (begin, end) = (Instant::now() + Duration::from_millis(200), Instant::now() + Duration::from_millis(300));
    let job = pool.run(Some(Deadline { begin, end }), until(started, wait));
    let (answer, started) = futures::join!(job, running);
    started.unwrap();
    assert_eq!(answer, Err(PoolError::Overrun));
    release.send(()).unwrap();
}

#[tokio::test]
async fn stuck_workers_are_replaced_as_far_as_there_are_spares() {
    let limit = Duration::from_millis(20);
    let pool = Arc::new(Pool::start("test", Shape { limit, spares: 1, ..shape(1, 8) }).unwrap());
    let first = block(&pool).await;
    eventually(|| pool.condition().replaced == 1).await;
    assert_eq!(pool.run(None, || 1).await, Ok(1), "a fresh worker took its place");
    let second = block(&pool).await;
    eventually(|| pool.condition().able == 0).await;
    eventually(|| pool.condition().hopeless).await;
    let condition = pool.condition();
    assert_eq!((condition.stuck, condition.replaced, condition.running), (2, 1, 0), "{condition:?}");
    first.end().await;
    second.end().await;
    // The second may have been replaced too, in the moment between its answer and its end.
    let settled = |now: Condition| (now.able, now.stuck, now.running) == (1, 0, 0);
    eventually(|| settled(pool.condition())).await;
    assert_eq!(pool.run(None, || 2).await, Ok(2));
}

#[tokio::test]
async fn decisions_are_made_while_every_other_worker_is_busy() {
    let lanes = Lanes::start(2, Duration::from_secs(60)).unwrap();
    let ((release, blocked), mut held) = (blocked(), Vec::new());
    for lane in Lane::ALL.into_iter().filter(|lane| *lane != Lane::Decide) {
        // More than it has workers, up to its queue's end.
        for _ in 0..600 {
            let blocked = Arc::clone(&blocked);
            let mut job = Box::pin(lanes.pool(lane).run(None, move || wait_for(&blocked)));
            match futures::poll!(&mut job) {
                Poll::Pending => held.push(job),
                Poll::Ready(answer) => assert_eq!(answer, Err(PoolError::Overloaded)),
            }
        }
    }
    let readers =
        || [Lane::Query, Lane::Data, Lane::Compile].map(|lane| lanes.pool(lane).condition().running).iter().sum::<usize>();
    eventually(|| readers() == 1).await;
    for number in 0..100 {
        let decided = tokio::time::timeout(PATIENCE, lanes.pool(Lane::Decide).run(None, move || number)).await;
        assert_eq!(decided.unwrap(), Ok(number));
    }
    assert_eq!(readers(), 1, "readers have half the cores together");
    assert_eq!((lanes.unready(), lanes.dead()), (None, None));
    drop(release);
    for job in held {
        assert_eq!(job.await, Ok(()));
    }
}

#[tokio::test]
async fn readiness_and_liveness_see_stuck_decisions_only() {
    let lanes = Lanes::start(2, Duration::from_millis(5)).unwrap();
    let (release, blocked) = blocked();
    let mut held = Vec::new();
    let mut fill = async |lane: Lane| {
        for _ in 0..8 {
            let blocked = Arc::clone(&blocked);
            let mut job = Box::pin(lanes.pool(lane).run(None, move || wait_for(&blocked)));
            assert!(futures::poll!(&mut job).is_pending());
            held.push(job);
        }
        eventually(|| lanes.pool(lane).condition().able == 0).await;
    };
    fill(Lane::Query).await;
    assert_eq!((lanes.unready(), lanes.dead()), (None, None), "readers never make it unready");
    fill(Lane::Decide).await;
    assert_eq!(lanes.unready().unwrap(), "all 4 workers for decisions are stuck");
    eventually(|| lanes.dead().is_some()).await;
    drop(release);
    for job in held {
        assert_eq!(job.await, Ok(()));
    }
    eventually(|| lanes.unready().is_none() && lanes.dead().is_none()).await;
}
