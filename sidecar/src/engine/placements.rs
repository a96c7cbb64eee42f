//! The engine's placements: listed, then watched, and listed again now and then while the stream goes on. A stream that is silent is broken.

mod relist;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::TryStreamExt;
use plimsoll_contract::placement::{Placement, PlacementEvent, PlacementList};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use crate::backoff::Backoff;
use crate::engine::{Engine, EngineError};
use crate::lines::Lines;
use crate::plan::row::Key;
use relist::Relist;

/// The engine sends a line at least every 10 s.
const SILENCE: Duration = Duration::from_secs(25);

/// One event of the stream of placements.
#[derive(Debug)]
pub enum FeedEvent {
    /// The whole table of one engine process.
    Listed(PlacementList),
    /// A row is new or changed.
    Changed(Box<Placement>),
    /// An object is gone.
    Removed(Key),
    /// Everything up to this position has been told.
    Reached(u64),
    /// The stream is broken: nothing told so far may be acted upon.
    Lost,
}

/// The reader is gone.
struct ReaderGone;

/// Why a stream ended.
enum End {
    /// Its position is too old, or it is of another engine process.
    ListAgain,
    /// It broke off.
    Broken(String),
}

/// Runs until the reader is gone.
pub async fn run(engine: Arc<Engine>, resync: Duration, feed: mpsc::Sender<FeedEvent>) {
    let mut backoff = Backoff::nearby();
    let mut is_lost = false;
    loop {
        let list = match engine.placements().await {
            Ok(list) => list,
            Err(error) => {
                if lost(&feed, &format!("cannot be listed: {error}"), &mut is_lost).await.is_err() {
                    return;
                }
                backoff.wait().await;
                continue;
            }
        };
        is_lost = false;
        let position = Position { epoch: list.epoch.clone(), since: list.since };
        let opened = Instant::now();
        if feed.send(FeedEvent::Listed(list)).await.is_err() {
            return;
        }
        let ended = Stream { engine: &engine, feed: &feed, resync, position }.follow().await;
        if opened.elapsed() > resync {
            backoff.reset();
        }
        match ended {
            Ok(End::ListAgain) => backoff.wait().await,
            Ok(End::Broken(reason)) => {
                if lost(&feed, &reason, &mut is_lost).await.is_err() {
                    return;
                }
                backoff.wait().await;
            }
            Err(ReaderGone) => return,
        }
    }
}

/// How far the stream has been read.
struct Position {
    epoch: String,
    since: u64,
}

/// The stream after a list.
struct Stream<'a> {
    engine: &'a Arc<Engine>,
    feed: &'a mpsc::Sender<FeedEvent>,
    resync: Duration,
    position: Position,
}

/// Says so once, however often it is tried again.
async fn lost(feed: &mpsc::Sender<FeedEvent>, reason: &str, is_lost: &mut bool) -> Result<(), ReaderGone> {
    if std::mem::replace(is_lost, true) {
        return Ok(());
    }
    tracing::warn!(reason, "the placements are out of sight: nothing is written");
    feed.send(FeedEvent::Lost).await.map_err(|_| ReaderGone)
}

impl Stream<'_> {
    /// Reads the stream until it ends, and lists all rows whenever that is due.
    async fn follow(mut self) -> Result<End, ReaderGone> {
        let stream = match self.engine.watch_placements(&self.position.epoch, self.position.since).await {
            Ok(stream) => stream,
            Err(EngineError::Gone) => return Ok(End::ListAgain),
            Err(error) => return Ok(End::Broken(error.to_string())),
        };
        let (mut stream, mut lines) = (pin!(stream), Lines::default());
        let mut relist = Relist::after(self.resync);
        loop {
            let chunk = tokio::select! {
                biased;
                listed = relist.listed(self.engine) => match listed {
                    Ok(list) if list.epoch != self.position.epoch => return Ok(End::ListAgain),
                    Ok(list) => {
                        self.listed(relist.brought_up(list)).await?;
                        relist = Relist::after(self.resync);
                        continue;
                    }
                    Err(error) => return Ok(End::Broken(format!("cannot be listed: {error}"))),
                },
                chunk = timeout(SILENCE, stream.try_next()) => chunk,
            };
            match chunk {
                Err(_) => return Ok(End::Broken(format!("no line for {SILENCE:?}"))),
                Ok(Err(error)) => return Ok(End::Broken(error.to_string())),
                Ok(Ok(None)) => return Ok(End::Broken("the engine ended the stream".into())),
                Ok(Ok(Some(chunk))) => lines.push(&chunk),
            }
            if let Some(end) = self.take(&mut lines, &mut relist).await? {
                return Ok(end);
            }
        }
    }

    async fn listed(&mut self, list: PlacementList) -> Result<(), ReaderGone> {
        self.position.since = self.position.since.max(list.since);
        self.feed.send(FeedEvent::Listed(list)).await.map_err(|_| ReaderGone)
    }

    /// Tells what came in whole lines; returns why the stream is over, if it is.
    async fn take(&mut self, lines: &mut Lines, relist: &mut Relist) -> Result<Option<End>, ReaderGone> {
        let before = self.position.since;
        loop {
            let line = match lines.next_line() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => return Ok(Some(End::Broken(error.to_string()))),
            };
            match understand(&line, &mut self.position) {
                Ok(Some(event)) => {
                    relist.heard(self.position.since, &event);
                    self.feed.send(event).await.map_err(|_| ReaderGone)?;
                }
                Ok(None) => {}
                Err(end) => return Ok(Some(end)),
            }
        }
        if self.position.since != before {
            self.feed.send(FeedEvent::Reached(self.position.since)).await.map_err(|_| ReaderGone)?;
        }
        Ok(None)
    }
}

fn understand(line: &[u8], position: &mut Position) -> Result<Option<FeedEvent>, End> {
    let event: PlacementEvent = serde_json::from_slice(line).map_err(|error| End::Broken(error.to_string()))?;
    let (epoch, seq, event) = match event {
        PlacementEvent::Changed { epoch, seq, placement } => (epoch, seq, Some(FeedEvent::Changed(placement))),
        PlacementEvent::Removed { epoch, seq, gvr, namespace, name } => {
            (epoch, seq, Some(FeedEvent::Removed(Key { gvr, namespace, name })))
        }
        PlacementEvent::Bookmark { epoch, seq, .. } => (epoch, seq, None),
    };
    if epoch != position.epoch {
        return Err(End::ListAgain);
    }
    if seq <= position.since {
        // A list told it already, or something newer.
        return Ok(None);
    }
    position.since = seq;
    Ok(event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t10_a_line_of_another_epoch_is_never_acted_upon() {
        let mut position = Position { epoch: "e1".into(), since: 3 };
        let bookmark = |epoch: &str| format!(r#"{{"bookmark":{{"epoch":"{epoch}","seq":9,"revision":1}}}}"#);
        assert!(matches!(understand(bookmark("e1").as_bytes(), &mut position), Ok(None)));
        assert_eq!(position.since, 9);
        let known = r#"{"removed":{"epoch":"e1","seq":9,"gvr":"v1/pods","namespace":"n","name":"a"}}"#;
        assert!(matches!(understand(known.as_bytes(), &mut position), Ok(None)), "a list told it already");
        assert!(matches!(understand(bookmark("e2").as_bytes(), &mut position), Err(End::ListAgain)));
        let removed = r#"{"removed":{"epoch":"e1","seq":10,"gvr":"v1/pods","namespace":"n","name":"a"}}"#;
        assert!(matches!(understand(removed.as_bytes(), &mut position), Ok(Some(FeedEvent::Removed(key))) if key.name == "a"));
        assert!(matches!(understand(b"{}", &mut position), Err(End::Broken(_))));
    }
}
