//! A list of all rows while their stream goes on: nobody waits for it, and what the stream tells meanwhile may be newer than it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::placement::{Placement, PlacementList};
use thiserror::Error;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::{Instant, sleep_until};

use super::FeedEvent;
use crate::engine::{Engine, EngineError};
use crate::plan::row::Key;

/// The next list of all rows.
pub(super) struct Relist {
    due: Instant,
    asked: Option<JoinHandle<Result<PlacementList, EngineError>>>,
    /// The rows of which the stream told since the list was asked for: position and row, or none where the object is gone.
    told: BTreeMap<Key, (u64, Option<Placement>)>,
}

/// Why there is no list.
#[derive(Debug, Error)]
pub(super) enum Unlisted {
    /// The engine did not give it.
    #[error(transparent)]
    Failed(#[from] EngineError),
    /// A mistake of the program.
    #[error("reading it broke off: {0}")]
    Broken(#[from] JoinError),
}

impl Relist {
    /// A list to be asked for after this time.
    pub(super) fn after(wait: Duration) -> Self {
        Self { due: Instant::now() + wait, asked: None, told: BTreeMap::new() }
    }

    /// Waits until the list is due, asks for it, and returns it as it was answered. May be dropped at any time and called again.
    pub(super) async fn listed(&mut self, engine: &Arc<Engine>) -> Result<PlacementList, Unlisted> {
        sleep_until(self.due).await;
        // Rows are many: they are read on a thread beside the stream's.
        let asked = self.asked.get_or_insert_with(|| {
            let engine = Arc::clone(engine);
            tokio::spawn(async move { engine.placements().await })
        });
        Ok(asked.await??)
    }

    /// Remembers what the stream tells at a position while the list is under way.
    pub(super) fn heard(&mut self, at: u64, event: &FeedEvent) {
        if self.asked.is_none() {
            return;
        }
        match event {
            FeedEvent::Changed(row) => self.told.insert(Key::of(row), (at, Some(row.as_ref().clone()))),
            FeedEvent::Removed(key) => self.told.insert(key.clone(), (at, None)),
            FeedEvent::Listed(_) | FeedEvent::Reached(_) | FeedEvent::Lost => None,
        };
    }

    /// Returns the list with what the stream told after it was made: a row must never go back to what it was.
    pub(super) fn brought_up(&self, mut list: PlacementList) -> PlacementList {
        let newer: BTreeSet<_> = self.told.iter().filter(|(_, (at, _))| *at > list.since).map(|(key, _)| key).collect();
        if newer.is_empty() {
            return list;
        }
        list.items.retain(|row| !newer.contains(&Key::of(row)));
        let told = newer.iter().filter_map(|key| self.told.get(*key));
        for (at, row) in told {
            list.since = list.since.max(*at);
            list.items.extend(row.clone());
        }
        list
    }
}

impl Drop for Relist {
    fn drop(&mut self) {
        if let Some(asked) = &self.asked {
            asked.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::kind::Mode;
    use plimsoll_contract::outcome::Outcome;

    use super::*;
    use crate::plan::row::tests;

    fn row(name: &str, version: &str) -> Placement {
        Placement { name: name.into(), resource_version: version.into(), ..tests::row(Outcome::Place, Mode::Auto, true) }
    }

    fn list(since: u64, items: &[(&str, &str)]) -> PlacementList {
        let items = items.iter().map(|(name, version)| row(name, version)).collect();
        PlacementList { epoch: "e".into(), revision: 1, since, items }
    }

    fn told(list: PlacementList, events: &[(u64, FeedEvent)]) -> (u64, Vec<(String, String)>) {
        let mut relist = Relist { asked: None, due: Instant::now(), told: BTreeMap::new() };
        relist.asked = Some(tokio::spawn(std::future::pending()));
        events.iter().for_each(|(at, event)| relist.heard(*at, event));
        let list = relist.brought_up(list);
        let mut rows: Vec<_> = list.items.into_iter().map(|row| (row.name, row.resource_version)).collect();
        rows.sort();
        (list.since, rows)
    }

    fn changed(name: &str, version: &str) -> FeedEvent {
        FeedEvent::Changed(Box::new(row(name, version)))
    }

    fn removed(name: &str) -> FeedEvent {
        FeedEvent::Removed(Key::of(&row(name, "")))
    }

    fn named(rows: &[(&str, &str)]) -> Vec<(String, String)> {
        rows.iter().map(|(name, version)| ((*name).to_owned(), (*version).to_owned())).collect()
    }

    #[tokio::test]
    async fn what_the_stream_told_after_the_list_was_made_stands() {
        let list = list(5, &[("a", "1"), ("b", "1"), ("c", "1")]);
        let events =
            [(5, changed("a", "0")), (6, changed("b", "2")), (7, removed("c")), (8, changed("d", "1")), (9, changed("b", "3"))];
        assert_eq!(told(list, &events), (9, named(&[("a", "1"), ("b", "3"), ("d", "1")])));
    }

    #[tokio::test]
    async fn what_the_list_knows_already_stands_as_it_is_there() {
        let events = [(3, changed("a", "0")), (4, removed("b"))];
        assert_eq!(told(list(5, &[("a", "1"), ("b", "2")]), &events), (5, named(&[("a", "1"), ("b", "2")])));
    }
}
