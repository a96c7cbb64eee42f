//! In the end all is as policy says on the latest fleet, everybody says so, and nothing is written any more.

use std::thread::park_timeout;
use std::time::{Duration, Instant};

use super::super::history::Past;
use super::super::observer;
use super::super::policy::Value;
use super::super::samples::Sample;
use super::super::stage::{NAMES, Stage};

/// After everything has healed.
const DEADLINE: Duration = Duration::from_secs(60);
/// Several passes of whoever could write.
const QUIET: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(100);

/// Waits until all is settled; how long that took, or what is not as it should be.
pub(in super::super) fn settle(stage: &Stage) -> Result<Duration, String> {
    let start = Instant::now();
    loop {
        match unsettled(stage) {
            Ok(()) => return Ok(start.elapsed()),
            Err(why) if start.elapsed() > DEADLINE => return Err(format!("end: not settled within {DEADLINE:?}: {why}")),
            Err(_) => park_timeout(PAUSE),
        }
    }
}

/// Whether nothing is written for some passes.
pub(in super::super) fn stays(stage: &Stage) -> Result<(), String> {
    observer::catch_up(&stage.users, &stage.history)?;
    let versions =
        || stage.history.look(|past| past.objects.values().filter_map(|all| all.last()).map(|last| last.version).max());
    let (start, before) = (Instant::now(), versions());
    while start.elapsed() < QUIET {
        let now = versions();
        if now != before {
            let who = stage.history.look(|past| {
                let last = past.objects.values().filter_map(|all| all.last()).max_by_key(|last| last.version);
                last.map(|last| format!("{} (written by {}): {:?}", last.name, last.manager, last.record))
            });
            return Err(format!("end: something is still written though all was settled: {who:?}"));
        }
        park_timeout(PAUSE);
    }
    Ok(())
}

fn unsettled(stage: &Stage) -> Result<(), String> {
    if stage.users.under_way() > 0 {
        return Err(format!("{} requests are not answered", stage.users.under_way()));
    }
    observer::catch_up(&stage.users, &stage.history)?;
    let newest = stage.desired.lock().newest;
    let wrong = stage.history.look(|past| {
        let fleet = past.fleets.last().map(|state| state.fleet.clone()).unwrap_or_default();
        let is_wrong = |asks: bool, value: &Value| newest.value(&fleet, asks) != *value;
        let wrong = past.alive().filter(|(_, last)| is_wrong(last.asks, &last.value));
        wrong.map(|(uid, last)| (last.name.clone(), Past::story(&past.objects[uid], Instant::now()))).collect::<Vec<_>>()
    });
    let samples = stage.facts.sample();
    let states = || samples.iter().zip(NAMES).map(|(sample, name)| format!("{name}: {sample:?}")).collect::<Vec<_>>().join("\n");
    if let Some((name, story)) = wrong.first() {
        let rows = stage.rows(name);
        return Err(format!(
            "{} objects are not as policy says, first {name}:{story}\n{}\nrows: {rows:?}",
            wrong.len(),
            states()
        ));
    }
    let leaders = samples.iter().filter(|sample| sample.leads()).count();
    let all_say_so = samples.iter().all(Sample::says_all_is_done);
    if leaders == 1 && all_say_so { Ok(()) } else { Err(format!("{leaders} lead\n{}", states())) }
}
