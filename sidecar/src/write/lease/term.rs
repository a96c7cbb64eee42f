//! Whose turn it is: the Lease as last seen, and for how long it has not changed. Pure; the time is passed in.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;

/// What to do about the Lease now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// There is none.
    Create,
    /// It is free, or its holder has not renewed it in time.
    Take,
    /// It is ours.
    Renew,
    /// It is somebody else's.
    Wait,
    /// The answer is too old to act upon: this process was stopped after it had asked.
    AskAgain,
}

/// The Lease's version, and when it was first seen.
#[derive(Debug)]
pub(super) struct Seen {
    deadline: Duration,
    version: Option<String>,
    at: Duration,
}

impl Seen {
    /// Nothing yet. After `deadline` an answer is too old.
    pub(super) fn new(deadline: Duration) -> Self {
        Self { deadline, version: None, at: Duration::ZERO }
    }

    /// Returns what to do about a Lease that was asked for at the time `asked` and read at `now`. `me` is this replica's identity.
    pub(super) fn turn(&mut self, lease: Option<&Lease>, me: &str, asked: Duration, now: Duration) -> Turn {
        if now.saturating_sub(asked) >= self.deadline {
            return Turn::AskAgain;
        }
        let Some(lease) = lease else { return Turn::Create };
        let version = &lease.metadata.resource_version;
        if self.version != *version {
            self.version.clone_from(version);
            self.at = now;
        }
        let spec = lease.spec.as_ref();
        let holder = spec.and_then(|spec| spec.holder_identity.as_deref()).unwrap_or_default();
        let seconds = spec.and_then(|spec| spec.lease_duration_seconds).unwrap_or_default();
        let duration = Duration::from_secs(u64::try_from(seconds).unwrap_or_default());
        match holder {
            "" => Turn::Take,
            holder if holder == me => Turn::Renew,
            _ if asked.saturating_sub(self.at) >= duration => Turn::Take,
            _ => Turn::Wait,
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::coordination::v1::LeaseSpec;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

    use super::*;

    fn lease(version: &str, holder: &str) -> Lease {
        Lease {
            metadata: ObjectMeta { resource_version: Some(version.into()), ..ObjectMeta::default() },
            spec: Some(LeaseSpec {
                holder_identity: Some(holder.into()),
                lease_duration_seconds: Some(15),
                ..LeaseSpec::default()
            }),
        }
    }

    #[test]
    fn t11_a_lease_is_taken_only_when_free_or_not_renewed_for_its_whole_time() {
        let mut seen = Seen::new(Duration::from_secs(10));
        let at = Duration::from_secs;
        let mut turn = |lease: Option<&Lease>, now| seen.turn(lease, "me", now, now);
        assert_eq!(turn(None, at(0)), Turn::Create);
        assert_eq!(turn(Some(&lease("1", "")), at(0)), Turn::Take);
        assert_eq!(turn(Some(&lease("2", "me")), at(0)), Turn::Renew);
        assert_eq!(turn(Some(&lease("3", "you")), at(100)), Turn::Wait, "first seen now, however old");
        assert_eq!(turn(Some(&lease("3", "you")), at(114)), Turn::Wait);
        assert_eq!(turn(Some(&lease("4", "you")), at(115)), Turn::Wait, "renewed");
        assert_eq!(turn(Some(&lease("4", "you")), at(129)), Turn::Wait);
        assert_eq!(turn(Some(&lease("4", "you")), at(130)), Turn::Take);
    }

    #[test]
    fn t11_an_answer_that_a_stopped_process_finds_late_neither_takes_nor_renews_the_lease() {
        let (mut seen, at) = (Seen::new(Duration::from_secs(10)), Duration::from_secs);
        for holder in ["me", "you", ""] {
            assert_eq!(seen.turn(Some(&lease("1", holder)), "me", at(0), at(10)), Turn::AskAgain, "{holder}");
        }
        assert_eq!(seen.turn(None, "me", at(0), at(10)), Turn::AskAgain);
        assert_eq!(seen.turn(Some(&lease("1", "you")), "me", at(20), at(21)), Turn::Wait);
        assert_eq!(seen.turn(Some(&lease("1", "you")), "me", at(35), at(37)), Turn::Wait, "asked before the time was over");
        assert_eq!(seen.turn(Some(&lease("1", "you")), "me", at(36), at(37)), Turn::Take);
    }
}
