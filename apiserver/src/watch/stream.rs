//! The stream of one watcher.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::stream::LocalBoxStream;
use futures::{StreamExt, stream};
use tokio::sync::watch::Receiver;
use tokio::time::{Instant, sleep_until};

use super::encode::{self, Encoder};
use super::options::{Options, Start};
use crate::metrics::WatchGuard;
use crate::rest::context::Context;
use crate::rest::form::Shape;
use crate::rest::list::{self, Version};
use crate::server::Phase;
use crate::status::Status;
use crate::storage::{Cursor, CursorEnd, Event, Record};

/// Between bookmarks, as upstream.
const BOOKMARKS: Duration = Duration::from_secs(60);
/// A last bookmark comes so long before the end, as upstream.
const FAREWELL: Duration = Duration::from_secs(2);
/// Not before this, however short the watch is.
const EARLIEST: Duration = Duration::from_millis(500);
/// Lines that are ready are sent together, up to about this size.
const CHUNK: usize = 64 << 10;

/// What a watcher gets: JSON, a line for each event, some lines at a time.
pub type Lines = LocalBoxStream<'static, Bytes>;

/// One watcher.
struct Watcher {
    context: Rc<Context>,
    encoder: Encoder,
    cursor: Cursor,
    initial: VecDeque<Arc<Record>>,
    complete: Option<u64>,
    bookmarks: bool,
    next_bookmark: Instant,
    end: Instant,
    ready: VecDeque<Bytes>,
    ended: bool,
    phase: Receiver<Phase>,
    _counted: WatchGuard,
}

/// What a watcher waited for.
enum Happened {
    Batch(Result<Vec<Arc<Event>>, CursorEnd>),
    Bookmark,
    End,
}

/// Answers a watch. What is wrong with the request is said at once; what happens later is said in the stream.
pub async fn open(context: Context, options: Options, shape: Shape) -> Result<Lines, Status> {
    let watcher = match start(context, options, shape).await {
        Ok(watcher) => watcher,
        // kube-rs lists again only after a 410 in the stream, and client-go understands both.
        Err(status) if status.code == 410 => return Ok(stream::iter([encode::error(&status)]).boxed_local()),
        Err(status) => return Err(status),
    };
    let lines = stream::unfold(watcher, |mut watcher| async move {
        let chunk = watcher.chunk().await?;
        Some((chunk, watcher))
    });
    Ok(lines.boxed_local())
}

async fn start(context: Context, options: Options, shape: Shape) -> Result<Watcher, Status> {
    let history = context.server.store.history(&context.resource.collection);
    let encoder = Encoder::new(shape, options.selector);
    let (after, initial, marked) = match options.start {
        Start::After(revision) => (revision, VecDeque::new(), false),
        Start::Now => (context.snapshot().revision(), VecDeque::new(), false),
        Start::State { not_before, marked } => {
            let snapshot = list::snapshot(&context, not_before.map_or(Version::Latest, Version::NotOlder)).await?;
            let records = snapshot.list(&context.resource.collection, list::namespace(&context), None);
            let wanted = records.filter(|record| encoder.wants(record)).cloned().collect();
            (snapshot.revision(), wanted, marked)
        }
    };
    let too_old = |oldest: u64| Status::expired(format!("too old resource version: {after} ({oldest})"));
    let cursor = history.since(after).map_err(|gone| too_old(gone.oldest))?;
    let now = Instant::now();
    Ok(Watcher {
        encoder,
        cursor,
        initial,
        complete: marked.then_some(after),
        bookmarks: options.bookmarks,
        next_bookmark: now + BOOKMARKS.min(options.length.saturating_sub(FAREWELL)).max(EARLIEST),
        end: now + options.length,
        ready: VecDeque::new(),
        ended: false,
        phase: context.server.phase.subscribe(),
        _counted: context.server.metrics.watching(),
        context: Rc::new(context),
    })
}

impl Watcher {
    /// The next lines; `None` at the end.
    async fn chunk(&mut self) -> Option<Bytes> {
        loop {
            if let Some(chunk) = self.take() {
                return Some(chunk);
            }
            if self.ended {
                return None;
            }
            match self.initial.is_empty() && self.complete.is_none() {
                true => self.wait().await,
                false => self.fill(),
            }
        }
    }

    /// Ready lines, together as far as that saves packets; one line alone is not copied.
    fn take(&mut self) -> Option<Bytes> {
        let first = self.ready.pop_front()?;
        if self.ready.is_empty() {
            return Some(first);
        }
        let mut chunk = BytesMut::with_capacity(CHUNK);
        chunk.extend_from_slice(&first);
        while chunk.len() < CHUNK {
            let Some(line) = self.ready.pop_front() else { break };
            chunk.extend_from_slice(&line);
        }
        Some(chunk.freeze())
    }

    /// Some of the initial state, or its end.
    fn fill(&mut self) {
        let mut size = 0;
        while size < CHUNK {
            let Some(record) = self.initial.pop_front() else { break };
            match self.encoder.added(&self.context, &record) {
                Ok(line) => {
                    size += line.len();
                    self.ready.push_back(line);
                }
                Err(status) => return self.fail(&status),
            }
        }
        if self.initial.is_empty()
            && let Some(revision) = self.complete.take()
        {
            self.ready.push_back(self.encoder.bookmark(&self.context, revision, true));
        }
    }

    /// Until something happens.
    async fn wait(&mut self) {
        let Self { phase, cursor, bookmarks, next_bookmark, end, .. } = self;
        let happened = tokio::select! {
            biased;
            // Also when nobody is left who could change it: then the server is gone.
            _ = phase.wait_for(|phase| *phase >= Phase::Draining) => Happened::End,
            batch = cursor.next_batch() => Happened::Batch(batch),
            () = sleep_until(*next_bookmark), if *bookmarks => Happened::Bookmark,
            () = sleep_until(*end) => Happened::End,
        };
        match happened {
            Happened::Batch(Ok(events)) => self.events(&events),
            Happened::Batch(Err(CursorEnd::Lagged { oldest })) => {
                self.fail(&Status::expired(format!("too old resource version: the watch was too slow ({oldest})")));
            }
            Happened::Batch(Err(CursorEnd::Closed)) | Happened::End => self.ended = true,
            Happened::Bookmark => {
                let revision = self.cursor.progress();
                self.ready.push_back(self.encoder.bookmark(&self.context, revision, false));
                self.next_bookmark = self.after_bookmark();
            }
        }
    }

    /// Every minute, and once more shortly before the end.
    fn after_bookmark(&self) -> Instant {
        let now = Instant::now();
        let farewell = self.end.checked_sub(FAREWELL).unwrap_or(now);
        if now < farewell { (now + BOOKMARKS).min(farewell) } else { self.end + FAREWELL }
    }

    fn events(&mut self, events: &[Arc<Event>]) {
        for event in events {
            if list::namespace(&self.context).is_some_and(|namespace| namespace != &*event.record.key.namespace) {
                continue;
            }
            match self.encoder.event(&self.context, event) {
                Ok(line) => self.ready.extend(line),
                Err(status) => return self.fail(&status),
            }
        }
    }

    fn fail(&mut self, status: &Status) {
        self.ready.push_back(encode::error(status));
        self.ended = true;
    }
}
