//! An Event "placed on …" says what was so when it was written, or shortly before.

use std::time::Instant;

use super::super::history::{Past, Said, Stored};
use super::{DETECTION, Violations};

/// Events since `from` that say what was not so for longer than it takes to notice.
pub(in super::super) fn events(past: &Past, from: Instant) -> Violations {
    let said = past.said.iter().filter(|said| said.seen >= from);
    said.filter_map(|said| lie(past, said)).collect()
}

fn lie(past: &Past, said: &Said) -> Option<String> {
    let versions = past.objects.get(&said.uid)?;
    let names = |stored: &Stored| stored.value.as_ref().is_some_and(|value| value.keys().eq(said.clusters.iter()));
    let had = |number: usize, stored: &Stored| {
        let until = versions.get(number + 1).map_or(said.seen, |next| next.seen);
        stored.seen <= said.seen && until + DETECTION >= said.seen && names(stored)
    };
    if versions.iter().enumerate().any(|(number, stored)| had(number, stored)) {
        return None;
    }
    let last = versions.iter().rfind(|stored| stored.seen <= said.seen)?;
    let ever = versions.iter().filter(|stored| stored.seen <= said.seen).any(names);
    Some(format!(
        "event: {} is said to be placed on {:?}; it has {:?} since {:.1} s, and was {} there",
        last.name,
        said.clusters,
        last.value,
        said.seen.saturating_duration_since(last.seen).as_secs_f64(),
        if ever { "once" } else { "never" }
    ))
}
