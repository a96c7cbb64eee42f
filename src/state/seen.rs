//! Up to which version of its API server a kind has been seen. Known without a publication: a proof changes no object.

use std::time::Duration;

use parking_lot::Mutex;
use plimsoll_contract::version::ResourceVersion;

/// Shared by all snapshots. Read it before a snapshot, and the snapshot holds all that it says: it is told after publication.
#[derive(Debug, Default)]
pub struct Seen(Mutex<Versions>);

/// The versions that are known at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// Every change up to this version has been seen.
    pub proved: Option<ResourceVersion>,
    /// The version that the last consistent list answered, and when it was asked (time since the engine started): nothing newer
    /// existed then.
    pub listed: Option<(ResourceVersion, Duration)>,
}

impl Seen {
    /// Returns the versions that are known now.
    pub fn now(&self) -> Versions {
        self.0.lock().clone()
    }

    /// All of the kind was listed: what was proved before is void, for after a restore an API server counts from an older version.
    pub(crate) fn start(&self, versions: Versions) {
        *self.0.lock() = versions;
    }

    /// Changes up to a version were seen; one without a version leaves it unknown how far.
    pub(crate) fn advance(&self, versions: Versions) {
        let mut now = self.0.lock();
        now.proved = versions.proved.map(|proved| now.proved.take().map_or(proved.clone(), |before| before.max(proved)));
        if versions.listed.is_some() {
            now.listed = versions.listed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(proved: Option<&str>, listed: Option<&str>) -> Versions {
        let version = |text| ResourceVersion::parse(text).unwrap();
        Versions { proved: proved.map(version), listed: listed.map(|text| (version(text), Duration::from_secs(1))) }
    }

    #[test]
    fn proofs_only_go_on_and_a_list_starts_again() {
        let seen = Seen::default();
        seen.start(versions(Some("90"), Some("90")));
        seen.advance(versions(Some("100"), None));
        seen.advance(versions(Some("95"), None));
        assert_eq!(seen.now(), versions(Some("100"), Some("90")));
        seen.advance(versions(Some("101"), Some("101")));
        assert_eq!(seen.now(), versions(Some("101"), Some("101")));
        seen.start(versions(Some("7"), Some("7")));
        assert_eq!(seen.now(), versions(Some("7"), Some("7")), "a restore");
        seen.advance(versions(None, None));
        assert_eq!(seen.now().proved, None, "nobody said how far");
    }
}
