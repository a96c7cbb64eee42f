//! An Event "placed on …" says what was so when it was written, or shortly before.

use std::time::Instant;

use super::super::history::{Past, Said, Stored};
use super::{DETECTION, Violations};

/// Events since `from` that say what was not so for longer than it takes to notice.
pub(in super::super) fn events(past: &Past, from: Instant) -> Violations {
    let said = past.said.iter().filter(|said| said.seen >= from);
    said.filter_map(|said| if said.clusters.is_empty() { false_alarm(past, said) } else { lie(past, said) }).collect()
}

/// That a placement is not there though it was written is said only of one that is not there.
fn false_alarm(past: &Past, said: &Said) -> Option<String> {
    let all = past.objects.get(&said.uid)?;
    let last = all[..all.partition_point(|stored| stored.version < said.version)].last()?;
    let from = said.seen.checked_sub(DETECTION)?;
    let was_right = |stored: &Stored| {
        past.policies_between(from, said.seen)
            .iter()
            .all(|policy| past.fleets_since(from).iter().all(|state| policy.value(&state.fleet, stored.asks) == stored.value))
    };
    let is_old = said.seen.saturating_duration_since(last.seen) > DETECTION;
    (is_old && was_right(last)).then(|| {
        format!("event: {} says of {} that what policy says is not there, and it is: {:?}", said.by, last.name, last.value)
    })
}

/// Which came first is told by versions: the watches of Events and of objects are not equally fast.
fn lie(past: &Past, said: &Said) -> Option<String> {
    let all = past.objects.get(&said.uid)?;
    let before = &all[..all.partition_point(|stored| stored.version < said.version)];
    let names = |stored: &Stored| stored.value.as_ref().is_some_and(|value| value.keys().eq(said.clusters.iter()));
    let since = |number: usize| before.get(number + 1).map_or(said.seen, |next| next.seen);
    let had = |number: usize, stored: &Stored| since(number) + DETECTION >= said.seen && names(stored);
    if before.iter().enumerate().any(|(number, stored)| had(number, stored)) {
        return None;
    }
    let last = before.last()?;
    Some(format!(
        "event: {} is said by {} (count {}) to be placed on {:?}, and was not:{}",
        last.name,
        said.by,
        said.count,
        said.clusters,
        Past::story(before, said.seen)
    ))
}
