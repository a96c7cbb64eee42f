//! How the figures grow with the number of objects and of clusters: an exponent for each, by least squares over the logarithms.

use std::time::Duration;

use crate::support::{Outcome, POLICY, human, line, median, title};
use crate::{Figures, measure as sweep};

const OBJECTS: [usize; 3] = [1_000, 10_000, 100_000];
const CLUSTERS: [usize; 3] = [10, 100, 1_000];
/// Measurements of one size, of which the median counts.
const RUNS: usize = 5;

/// Measures all sizes and prints both tables.
pub(crate) fn measure() -> Outcome<()> {
    let by_objects = figures(&OBJECTS, |objects| sweep(objects, 100, POLICY))?;
    let by_clusters = figures(&CLUSTERS, |clusters| sweep(10_000, clusters, POLICY))?;
    title(&format!("medians of {RUNS}"))?;
    table("objects on 100 clusters", &OBJECTS, &by_objects)?;
    table("clusters, 10,000 objects", &CLUSTERS, &by_clusters)
}

/// Returns the medians for each size.
fn figures(sizes: &[usize], sweep: impl Fn(usize) -> Outcome<Figures>) -> Outcome<Vec<Figures>> {
    let middle = |runs: Vec<Figures>| {
        let names = runs.first().map(|first| first.iter().map(|(name, _)| *name).collect::<Vec<_>>()).unwrap_or_default();
        let of = |at: usize| runs.iter().filter_map(|run| Some(run.get(at)?.1)).collect::<Vec<_>>();
        names.into_iter().enumerate().map(|(at, name)| (name, median(of(at)))).collect()
    };
    sizes.iter().map(|size| Ok(middle((0..RUNS).map(|_| sweep(*size)).collect::<Outcome<Vec<_>>>()?))).collect()
}

fn table(title: &str, sizes: &[usize], figures: &[Figures]) -> Outcome<()> {
    let heads: Vec<_> = sizes.iter().map(usize::to_string).collect();
    line(&format!("\n| {title} | {} | exponent |", heads.join(" | ")))?;
    line(&format!("|{}", "---|".repeat(sizes.len() + 2)))?;
    for (at, (name, _)) in figures.first().into_iter().flatten().enumerate() {
        let times: Vec<Duration> = figures.iter().filter_map(|one| Some(one.get(at)?.1)).collect();
        let cells: Vec<_> = times.iter().map(|time| human(*time)).collect();
        line(&format!("| {name} | {} | {:.2} |", cells.join(" | "), exponent(sizes, &times)))?;
    }
    Ok(())
}

/// Returns `k` of the `size^k` that is next to the times.
fn exponent(sizes: &[usize], times: &[Duration]) -> f64 {
    let points: Vec<_> =
        sizes.iter().zip(times).map(|(size, time)| ((*size as f64).ln(), time.as_secs_f64().max(1e-9).ln())).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len().max(1) as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let both: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let square: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    both / square
}
