//! The Lease object: as this replica writes it, and what anybody reads from it.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use k8s_openapi::jiff::Timestamp;
use plimsoll_contract::annotations::LEASE_POLICY;

/// The holder of the Lease, and the digest of the policies that it places by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Empty once it is given back: the policies are the last holder's then.
    pub name: String,
    /// Digest of all policy sets in force at its engine.
    pub policy: String,
}

/// The content that this replica writes into the Lease.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim<'a> {
    /// Its own name.
    pub(super) me: &'a str,
    /// Digest of its engine's policy sets; `None` if it is not known.
    pub(super) policy: Option<&'a str>,
    /// Others may take the Lease when it has not changed for this long.
    pub(super) duration: Duration,
}

impl Claim<'_> {
    /// The Lease as this replica's: renewed if it was, else taken, or a first one of this name.
    pub(super) fn on(self, name: &str, before: Option<Lease>, now: Timestamp) -> Lease {
        let first = || Lease { metadata: ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() }, spec: None };
        let mut lease = before.unwrap_or_else(first);
        lease.spec = Some(self.taken(lease.spec.take().unwrap_or_default(), now));
        let mut annotations = lease.metadata.annotations.take().unwrap_or_default();
        annotations.remove(LEASE_POLICY);
        annotations.extend(self.policy.map(|policy| (LEASE_POLICY.to_owned(), policy.to_owned())));
        lease.metadata.annotations = Some(annotations).filter(|annotations| !annotations.is_empty());
        lease
    }

    fn taken(self, before: LeaseSpec, now: Timestamp) -> LeaseSpec {
        let is_mine = before.holder_identity.as_deref() == Some(self.me);
        let is_first = before.holder_identity.is_none() && before.acquire_time.is_none();
        let transitions = before.lease_transitions.unwrap_or(0);
        LeaseSpec {
            holder_identity: Some(self.me.into()),
            lease_duration_seconds: i32::try_from(whole_seconds(self.duration)).ok(),
            acquire_time: before.acquire_time.filter(|_| is_mine).or(Some(MicroTime(now))),
            renew_time: Some(MicroTime(now)),
            lease_transitions: Some(if is_mine || is_first { transitions } else { transitions.saturating_add(1) }),
            ..LeaseSpec::default()
        }
    }
}

/// The Lease's format has whole seconds: nobody may take it too early.
fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs().saturating_add(u64::from(duration.subsec_nanos() > 0))
}

/// Gives up what is `me`'s; `None` if it is somebody else's. The policies stay: they are what is on the objects, and what a
/// restarted engine may fall back to.
pub(super) fn given_back(mut lease: Lease, me: &str) -> Option<Lease> {
    let spec = lease.spec.as_mut().filter(|spec| spec.holder_identity.as_deref() == Some(me))?;
    spec.holder_identity = None;
    spec.lease_duration_seconds = Some(1);
    Some(lease)
}

/// Returns the holder of the Lease; `None` where nobody holds it, or it names no policies.
pub(super) fn holder(lease: &Lease) -> Option<Holder> {
    let policy = lease.metadata.annotations.as_ref()?.get(LEASE_POLICY)?.clone();
    let name = lease.spec.as_ref().and_then(|spec| spec.holder_identity.clone()).unwrap_or_default();
    Some(Holder { name, policy })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim<'a>(me: &'a str, policy: Option<&'a str>) -> Claim<'a> {
        Claim { me, policy, duration: Duration::from_millis(1500) }
    }

    #[test]
    fn the_lease_says_by_which_policies_its_holder_places() {
        let first = claim("a", Some("p1")).on("plimsoll", None, Timestamp::now());
        assert_eq!(first.metadata.name.as_deref(), Some("plimsoll"));
        assert_eq!(holder(&first), Some(Holder { name: "a".into(), policy: "p1".into() }));
        let renewed = claim("a", Some("p2")).on("plimsoll", Some(first.clone()), Timestamp::now());
        assert_eq!(holder(&renewed).unwrap().policy, "p2");
        assert_eq!(renewed.spec.as_ref().unwrap().acquire_time, first.spec.as_ref().unwrap().acquire_time);
        let unknown = claim("b", None).on("plimsoll", Some(renewed), Timestamp::now());
        assert_eq!((holder(&unknown), unknown.metadata.annotations), (None, None), "never the policies of another holder");
        assert_eq!(unknown.spec.unwrap().lease_transitions, Some(1));
    }

    #[test]
    fn other_annotations_stay_and_fractions_of_seconds_are_rounded_up() {
        let mut lease = claim("a", None).on("plimsoll", None, Timestamp::now());
        lease.metadata.annotations = Some([("team".to_owned(), "fleet".to_owned())].into());
        let lease = claim("a", Some("p")).on("plimsoll", Some(lease), Timestamp::now());
        assert_eq!(lease.metadata.annotations.unwrap()["team"], "fleet");
        assert_eq!(lease.spec.unwrap().lease_duration_seconds, Some(2));
        assert_eq!(whole_seconds(Duration::from_secs(15)), 15);
    }

    #[test]
    fn a_lease_that_is_given_back_still_says_the_policies() {
        let lease = claim("a", Some("p")).on("plimsoll", None, Timestamp::now());
        assert_eq!(given_back(lease.clone(), "b"), None);
        assert_eq!(holder(&given_back(lease, "a").unwrap()), Some(Holder { name: String::new(), policy: "p".into() }));
    }
}
