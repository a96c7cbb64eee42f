//! The last good policy sets on disk, for a restart while the present ones do not compile.
//!
//! ```text
//!  a set is accepted ─► disk (one file a set)
//!  a set is refused, none of its name was in force ─► disk ─► digest as on the Lease? ─► Store::restore
//! ```
//!
//! A set that is absent or empty is what it is: nothing from disk takes its place. One that is refused may have been replaced
//! meanwhile, on purpose, by a replica that could read it; hence the Lease, whose holder says by which policies it places.
//! Looked at again whenever the sets or the word about the Lease change. Bundles have a place of their own (OPA's), and
//! modules that clients put one by one live in memory, as in OPA.

mod counts;
pub mod disk;

pub use counts::{Count, Counts};
pub use disk::StateDir;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::Chain;
use crate::snapshot::modules::CLIENTS;
use crate::snapshot::restore::Restored;
use crate::snapshot::{Offer, Policies, PolicySet, Store};

/// What failed is tried again after this time, and what is waited for is looked at again.
const AGAIN: Duration = Duration::from_secs(10);

/// Keeps the accepted sets of a store in the state directory.
#[derive(Debug)]
pub struct Keeper {
    store: Arc<Store>,
    state_dir: StateDir,
    counts: Counts,
    /// Sets that are on disk as they are in force, by name: the sum of each.
    saved: BTreeMap<String, String>,
    /// What was on disk of refused sets when it was needed first; `None` is nothing of use.
    fetched: BTreeMap<String, Option<Offer>>,
    /// The sets of the last pass.
    policies: Option<Arc<Policies>>,
    /// Something could not be written, which was said.
    failing: bool,
}

/// Runs for ever.
pub async fn keep(mut keeper: Keeper) {
    let store = Arc::clone(&keeper.store);
    let (mut published, mut leader) = (store.subscribe(), store.leader_changes());
    loop {
        published.borrow_and_update();
        leader.borrow_and_update();
        // Compiling and writing take their time.
        let pass = tokio::task::spawn_blocking(move || {
            keeper.pass();
            keeper
        });
        match pass.await {
            Ok(back) => keeper = back,
            Err(error) => return tracing::error!(%error, "the last good policies are not kept any more"),
        }
        let changed = async {
            while published.changed().await.is_ok() {
                if keeper.has_news() {
                    return;
                }
            }
        };
        tokio::select! {
            () = changed => {}
            _ = leader.changed() => {}
            () = tokio::time::sleep(AGAIN), if keeper.waits() => {}
        }
    }
}

impl Keeper {
    /// Nothing is kept yet.
    pub fn new(store: Arc<Store>, state_dir: StateDir, counts: Counts) -> Self {
        let (saved, fetched) = (BTreeMap::new(), BTreeMap::new());
        Self { store, state_dir, counts, saved, fetched, policies: None, failing: false }
    }

    /// Whether the sets are others than at the last pass.
    fn has_news(&self) -> bool {
        let now = &self.store.load().policies;
        self.policies.as_ref().is_none_or(|then| !Arc::ptr_eq(then, now))
    }

    /// Whether time alone may change something.
    fn waits(&self) -> bool {
        self.failing || !self.fetched.is_empty()
    }

    /// Writes what is accepted, and helps what is refused.
    pub fn pass(&mut self) {
        let policies = Arc::clone(&self.store.load().policies);
        self.save(&policies);
        self.help(&policies);
        self.policies = Some(policies);
    }

    fn save(&mut self, policies: &Policies) {
        let mut failed = None;
        let kept = |(name, set): &(&String, &PolicySet)| set.accepted && set.bundle.is_none() && *name != CLIENTS;
        for (name, set) in policies.sets.iter().filter(kept) {
            match self.state_dir.save(name, set, self.saved.get(name).map(String::as_str)) {
                Ok(disk::Kept { sum, written }) => {
                    self.saved.insert(name.clone(), sum);
                    if written {
                        self.counts.count(Count::Written);
                    }
                }
                Err(error) => failed = Some(error),
            }
        }
        let gone = |name: &String| !policies.sets.contains_key(name);
        for name in self.saved.keys().filter(|name| gone(name)).cloned().collect::<Vec<_>>() {
            match self.state_dir.remove(&name) {
                Ok(()) => drop(self.saved.remove(&name)),
                Err(error) => failed = Some(error),
            }
        }
        self.tell(failed.as_ref());
    }

    /// Says once that something could not be written.
    fn tell(&mut self, failed: Option<&disk::Error>) {
        match failed {
            Some(error) => {
                self.counts.count(Count::WriteFailed);
                if !self.failing {
                    tracing::error!(error = %Chain(error), "the last good policies cannot be kept for a restart");
                }
            }
            None if self.failing => tracing::info!("the last good policies are kept again"),
            None => {}
        }
        self.failing = failed.is_some();
    }

    fn help(&mut self, policies: &Policies) {
        let rejected: Vec<String> =
            policies.sets.iter().filter(|(_, set)| set.is_rejected()).map(|(name, _)| name.clone()).collect();
        self.fetched.retain(|name, _| rejected.contains(name));
        for name in &rejected {
            if !self.fetched.contains_key(name) {
                let kept = self.fetch(name);
                self.fetched.insert(name.clone(), kept);
            }
        }
        let kept = self.fetched.iter().filter_map(|(name, kept)| Some((name.clone(), kept.clone()?)));
        let kept: Vec<_> = kept.collect();
        if !kept.is_empty() {
            self.restore(kept);
        }
    }

    fn fetch(&self, name: &str) -> Option<Offer> {
        match self.state_dir.load(name) {
            Ok(kept) => kept,
            Err(error) => {
                self.counts.count(Count::Unusable);
                let why = Chain(&error).to_string();
                tracing::warn!(set = name, error = why, "the last good policy set on disk is not used");
                self.store.say_fallback(name, Some(format!("the last good one on disk is not used: {why}")));
                None
            }
        }
    }

    fn restore(&mut self, kept: Vec<(String, Offer)>) {
        let names: Vec<String> = kept.iter().map(|(name, _)| name.clone()).collect();
        let why = match self.store.leader() {
            None => "the last good one on disk is waiting for the Lease holder's digest".to_owned(),
            Some(leader) => match self.store.restore(kept, &leader.policy) {
                Restored::InForce => {
                    self.counts.count(Count::Restored);
                    self.fetched.clear();
                    return tracing::warn!(sets = names.join(", "), "refused; the last good ones from disk are in force");
                }
                Restored::Unwanted => return,
                Restored::Differs => "the last good one on disk differs from what the Lease's holder has in force".into(),
                Restored::Rejected(errors) => {
                    let first = errors.first().map(ToString::to_string).unwrap_or_default();
                    format!("the last good one on disk is refused too: {first}")
                }
            },
        };
        for name in names {
            self.store.say_fallback(&name, Some(why.clone()));
        }
    }
}

#[cfg(test)]
mod tests;
