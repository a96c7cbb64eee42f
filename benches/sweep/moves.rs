//! A cluster that loses its certification and gets it back, again and again: all that takes time between two of these changes.

use std::sync::Arc;
use std::time::Duration;

use plimsoll::placements::{Filter, Reconciler, Trigger};
use serde_json::Value as Json;

use crate::support::{
    Fleet, Outcome, POLICY, cluster, clusters, config, human, median, on_all_processors, replica_set, replica_sets, row, title,
};
use crate::{load, pass, told};

/// Changes to and fro.
const ROUNDS: usize = 60;

/// Measures so many objects on so many clusters, and prints what a pass takes: of the clock, and on the processor. What was decided first is
/// `written` to the objects, or never.
pub(crate) fn measure(objects: usize, fleet_size: usize, written: bool) -> Outcome<()> {
    title(&format!("{objects} placed objects, one of {fleet_size} clusters comes and goes {ROUNDS} times, written: {written}"))?;
    let (fleet, _) = load(objects, fleet_size, POLICY)?;
    let mut reconciler = Reconciler::new(Arc::clone(&fleet.store.load().epoch), Arc::new(config()));
    told("first sweep", pass(&mut reconciler, &fleet, Trigger::Published))?;
    if written {
        write(&reconciler, &fleet, objects)?;
        told("sweep of what was written", pass(&mut reconciler, &fleet, Trigger::Published))?;
    }
    let (kind, mut times, mut moved) = (clusters()?, Vec::new(), 0);
    let mut on_processor = Duration::ZERO;
    for round in 0..2 * ROUNDS {
        fleet.sync(&fleet.delta(&kind, std::iter::once(cluster(0, round % 2 == 1)))?)?;
        let before = on_all_processors();
        let (report, time) = pass(&mut reconciler, &fleet, Trigger::Published);
        on_processor += on_all_processors().saturating_sub(before);
        moved += report.changed;
        times.push(time);
    }
    let passes = u32::try_from(times.len())?;
    row("fastest pass", human(times.iter().min().copied().unwrap_or_default()))?;
    row("median pass", human(median(times)))?;
    row("  on the processors, mean", human(on_processor.checked_div(passes).unwrap_or_default()))?;
    row("  rows that changed, in all", moved)
}

/// Writes to each object what was decided for it.
fn write(reconciler: &Reconciler, fleet: &Fleet, objects: usize) -> Outcome<()> {
    let mut rows = reconciler.table().list(&Filter::default()).items;
    rows.sort_by(|one, other| one.name.cmp(&other.name));
    let written = rows.iter().zip(0..objects).map(|(row, number)| {
        let mut object = replica_set(number, 100, 2);
        let annotations = object.pointer_mut("/metadata/annotations").and_then(Json::as_object_mut);
        annotations.into_iter().for_each(|annotations| {
            annotations.extend(row.patch.iter().filter_map(|(key, value)| Some((key.clone(), value.clone()?.into()))));
        });
        object
    });
    fleet.sync(&fleet.replace(&replica_sets()?, written)?)
}
