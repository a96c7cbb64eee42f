//! How old is what the engine has: the time since the oldest thing that the engine took as proved was asked for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// The ages of all that is mirrored, by name.
#[derive(Clone, Debug, Default)]
pub struct Ages {
    rows: Arc<Mutex<BTreeMap<String, Row>>>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    required: bool,
    proved: Option<Instant>,
}

/// One name's age, as of now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aged {
    /// A kind of the table, or `policies`.
    pub name: String,
    /// Readiness depends on it.
    pub required: bool,
    /// Since the last proof; `None` before the first.
    pub age: Option<Duration>,
}

/// Where the owner of one name notes its proofs.
#[derive(Clone, Debug)]
pub struct Age {
    ages: Ages,
    name: String,
}

impl Ages {
    /// A new name, not proved yet.
    pub fn of(&self, name: &str, required: bool) -> Age {
        self.rows.lock().insert(name.to_owned(), Row { required, proved: None });
        Age { ages: self.clone(), name: name.to_owned() }
    }

    /// All of them. The clock is monotonic, and runs on while the process is stopped.
    pub fn now(&self) -> Vec<Aged> {
        let rows = self.rows.lock();
        let aged = |(name, row): (&String, &Row)| Aged {
            name: name.clone(),
            required: row.required,
            age: row.proved.map(|proved| proved.elapsed()),
        };
        rows.iter().map(aged).collect()
    }
}

impl Age {
    /// The engine has a proof that was begun at this time; one that comes late makes nothing older.
    pub fn prove(&self, begun: Instant) {
        if let Some(row) = self.ages.rows.lock().get_mut(&self.name) {
            row.proved = row.proved.max(Some(begun));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_age_runs_from_when_its_proof_was_begun() {
        let ages = Ages::default();
        let (pods, begun) = (ages.of("v1/pods", true), Instant::now());
        assert_eq!(ages.now()[0].age, None);
        tokio::time::advance(Duration::from_secs(40)).await;
        pods.prove(begun);
        assert_eq!(ages.now()[0].age, Some(Duration::from_secs(40)));
        pods.prove(Instant::now());
        pods.prove(begun);
        assert_eq!(ages.now()[0].age, Some(Duration::ZERO), "a proof that comes late");
    }
}
