//! Whether a sidecar is at work. The record of one that died stands there as it left it, and nobody reads what is asked in it.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::jiff::Timestamp;
use kube::{Api, Client};
use plimsoll_sidecar::plan::brake::record::Record;

/// A Lease that was renewed within this time, or within [`TIMES`] its duration, is kept: a fail-over takes less, and so far may the clocks
/// of two machines be apart.
const ENOUGH: Duration = Duration::from_secs(60);
const TIMES: u32 = 4;

/// Returns for how long, and since whom, nobody has renewed the Lease of the sidecars that keep a record, as a sentence; `None` where one
/// is at work, or where that cannot be known: they have no Lease, or the caller may not read it.
pub(super) async fn silence(client: &Client, record: &Record) -> Option<String> {
    let (namespace, name) = record.lease.split_once('/')?;
    let lease = Api::<Lease>::namespaced(client.clone(), namespace).get_opt(name).await.ok()?;
    said(lease.as_ref(), &record.lease, Timestamp::now())
}

fn said(lease: Option<&Lease>, name: &str, now: Timestamp) -> Option<String> {
    // Where there is none of this name, they may have another one since, and no right to write the record.
    let spec = lease?.spec.as_ref()?;
    let duration = u64::try_from(spec.lease_duration_seconds.unwrap_or_default()).unwrap_or_default();
    let enough = ENOUGH.max(Duration::from_secs(duration).saturating_mul(TIMES));
    let Some(renewed) = &spec.renew_time else {
        return Some(format!("no sidecar is at work: nobody has renewed Lease `{name}`"));
    };
    // A time that has not come yet is of a clock that is ahead.
    let ago = Duration::try_from(now.duration_since(renewed.0)).unwrap_or_default();
    let by = spec.holder_identity.as_ref().map(|holder| format!(" by `{holder}`")).unwrap_or_default();
    let seconds = ago.as_secs();
    (ago > enough).then(|| format!("no sidecar is at work: Lease `{name}` was renewed last {seconds} s ago{by}"))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::coordination::v1::LeaseSpec;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;

    use super::*;

    fn lease(renewed: i64, duration: i32, holder: Option<&str>) -> Lease {
        let spec = LeaseSpec {
            renew_time: Some(MicroTime(Timestamp::from_second(renewed).unwrap())),
            lease_duration_seconds: Some(duration),
            holder_identity: holder.map(str::to_owned),
            ..LeaseSpec::default()
        };
        Lease { spec: Some(spec), ..Lease::default() }
    }

    #[test]
    fn a_lease_that_nobody_renews_is_told_from_one_that_changes_hands() {
        let now = Timestamp::from_second(10_000).unwrap();
        let said = |lease: Option<Lease>| said(lease.as_ref(), "ns/plimsoll", now);
        for (renewed, duration, holder) in
            [(9_999, 15, Some("a")), (9_940, 15, Some("a")), (9_700, 100, Some("a")), (9_950, 1, None), (10_500, 15, Some("a"))]
        {
            assert_eq!(said(Some(lease(renewed, duration, holder))), None, "{renewed} {duration}");
        }
        let dead = |renewed, duration, holder| said(Some(lease(renewed, duration, holder))).unwrap();
        assert_eq!(
            dead(9_000, 15, Some("a-1")),
            "no sidecar is at work: Lease `ns/plimsoll` was renewed last 1000 s ago by `a-1`"
        );
        assert_eq!(dead(9_939, 15, None), "no sidecar is at work: Lease `ns/plimsoll` was renewed last 61 s ago");
        assert_eq!(said(None), None);
        let new = Lease { spec: Some(LeaseSpec::default()), ..Lease::default() };
        assert!(said(Some(new)).unwrap().contains("nobody has renewed"));
    }
}
