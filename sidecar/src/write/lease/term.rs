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
}

/// The Lease's version, and when it was first seen.
#[derive(Debug, Default)]
pub(super) struct Seen {
    version: Option<String>,
    at: Duration,
}

impl Seen {
    /// Whose turn it is at the time `now`.
    pub(super) fn turn(&mut self, lease: Option<&Lease>, me: &str, now: Duration) -> Turn {
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
            _ if now.saturating_sub(self.at) >= duration => Turn::Take,
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
        let mut seen = Seen::default();
        let at = Duration::from_secs;
        assert_eq!(seen.turn(None, "me", at(0)), Turn::Create);
        assert_eq!(seen.turn(Some(&lease("1", "")), "me", at(0)), Turn::Take);
        assert_eq!(seen.turn(Some(&lease("2", "me")), "me", at(0)), Turn::Renew);
        assert_eq!(seen.turn(Some(&lease("3", "you")), "me", at(100)), Turn::Wait, "first seen now, however old");
        assert_eq!(seen.turn(Some(&lease("3", "you")), "me", at(114)), Turn::Wait);
        assert_eq!(seen.turn(Some(&lease("4", "you")), "me", at(115)), Turn::Wait, "renewed");
        assert_eq!(seen.turn(Some(&lease("4", "you")), "me", at(129)), Turn::Wait);
        assert_eq!(seen.turn(Some(&lease("4", "you")), "me", at(130)), Turn::Take);
    }
}
