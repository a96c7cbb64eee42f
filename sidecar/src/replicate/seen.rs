//! Up to which version a collection has been seen, and when it was asked.

use plimsoll_contract::version::ResourceVersion;
use tokio::time::Instant;

/// When, and at which version, a list or a proof saw the cluster.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Everything up to here has been told; `None` if it cannot be compared, or if the kind has several collections.
    pub version: Option<ResourceVersion>,
    /// The API server was asked at this time: nothing older than this is taken for current. Monotonic, and it runs on while
    /// the process is stopped.
    pub begun: Instant,
    /// The answer was a consistent list's: no version beyond [`Self::version`] existed at `begun`.
    pub is_list: bool,
}

impl Seen {
    /// By a consistent list.
    pub(super) fn list(version: &str, begun: Instant) -> Self {
        Self { version: ResourceVersion::parse(version), begun, is_list: true }
    }

    /// Several collections have no version in common.
    pub(super) fn together(begun: Instant) -> Self {
        Self { version: None, begun, is_list: false }
    }

    /// For the header of a sync: how long ago the list was asked for, as of now.
    pub(super) fn listed_millis_ago(&self) -> Option<u64> {
        let is_known = self.is_list && self.version.is_some();
        is_known.then(|| self.begun.elapsed().as_millis().try_into().unwrap_or(u64::MAX))
    }
}

/// `one` is `other` or newer; what cannot be compared must be equal.
pub(super) fn is_up_to(one: &str, other: &str) -> bool {
    match (ResourceVersion::parse(one), ResourceVersion::parse(other)) {
        (Some(one), Some(other)) => one >= other,
        _ => one == other,
    }
}

/// `now` is older than `before`, which cannot be: the API server's storage was put back to an earlier state.
pub(super) fn is_rewound(before: &str, now: &str) -> bool {
    match (ResourceVersion::parse(before), ResourceVersion::parse(now)) {
        (Some(before), Some(now)) => now < before,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_age_of_a_list_is_measured_when_it_is_asked_for() {
        let seen = Seen::list("7", Instant::now());
        tokio::time::advance(Duration::from_secs(300)).await;
        assert_eq!(seen.listed_millis_ago(), Some(300_000), "a process that was stopped does not make it younger");
        assert_eq!(Seen::list("x7", Instant::now()).listed_millis_ago(), None, "a version that says nothing");
        assert_eq!(Seen::together(Instant::now()).listed_millis_ago(), None);
    }

    #[test]
    fn versions_that_cannot_be_compared_must_be_equal() {
        assert!(is_up_to("10", "9") && is_up_to("9", "9") && !is_up_to("9", "10"));
        assert!(is_up_to("a", "a") && !is_up_to("b", "a"));
        assert!(is_rewound("10", "9") && !is_rewound("9", "10") && !is_rewound("9", "9") && !is_rewound("b", "a"));
    }
}
