//! What was caught, by room and by suite.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::judge::Outcome;
use crate::listed::{Listed, written};
use crate::mutant::Mutant;
use crate::tree::{ROOMS, Tree, put};

/// Of a hundred mutants that can change an answer, so many must be caught.
const LEAST: usize = 95;

/// How many mutants of a room came to which end.
#[derive(Default)]
struct Row {
    caught: usize,
    timed_out: usize,
    survived: usize,
    equivalent: usize,
}

impl Row {
    fn share(&self) -> f64 {
        let (caught, all) = (self.caught + self.timed_out, self.caught + self.timed_out + self.survived);
        if all == 0 {
            100.0
        } else {
            100.0 * f64::from(u32::try_from(caught).unwrap_or(0)) / f64::from(u32::try_from(all).unwrap_or(1))
        }
    }

    fn shown(&self, name: &str) -> String {
        let Self { caught, timed_out, survived, equivalent } = self;
        format!("{name:<10}{caught:>8}{timed_out:>11}{survived:>10}{equivalent:>12}{:>8.1} %", self.share())
    }
}

/// Prints the tables and writes the survivors below the target directory. Returns whether enough was caught, and nothing that is said
/// to be equivalent.
pub fn write(tree: &Tree, kept: &[Listed], mutants: &[Mutant], outcomes: &[Outcome]) -> Result<bool> {
    let mut rows: BTreeMap<&str, Row> = ROOMS.iter().map(|room| (*room, Row::default())).collect();
    let (mut all, mut suites, mut survivors, mut wrong) = (Row::default(), BTreeMap::new(), Vec::new(), Vec::new());
    for (mutant, outcome) in mutants.iter().zip(outcomes) {
        let equivalent = kept.iter().any(|entry| entry.is(mutant));
        count(&mut all, outcome, equivalent);
        count(rows.entry(mutant.room()).or_default(), outcome, equivalent);
        match outcome {
            Outcome::Survived(_) if equivalent => {}
            Outcome::Survived(_) => survivors.push(mutant),
            Outcome::Caught(by) | Outcome::TimedOut(by) => {
                *suites.entry(by.as_str()).or_insert(0_usize) += 1;
                wrong.extend(equivalent.then(|| mutant.shown()));
            }
        }
    }
    let file = tree.target.with_file_name("survivors.yaml");
    put(&file, written(&survivors)?.as_bytes())?;
    println!("\ncaught by");
    suites.iter().for_each(|(suite, count)| println!("  {count:>5} {suite}"));
    println!("\n{:<10}{:>8}{:>11}{:>10}{:>12}{:>10}", "", "caught", "timed out", "survived", "equivalent", "caught");
    rows.iter().for_each(|(room, row)| println!("{}", row.shown(room)));
    println!("{}\n", all.shown("all"));
    survivors.iter().for_each(|mutant| println!("{}\n", mutant.shown()));
    println!("survivors: {}", file.display());
    wrong.iter().for_each(|shown| println!("said to be equivalent, but caught: {shown}"));
    Ok(wrong.is_empty() && all.share() >= f64::from(u32::try_from(LEAST)?))
}

fn count(row: &mut Row, outcome: &Outcome, equivalent: bool) {
    let of = match outcome {
        Outcome::Caught(_) => &mut row.caught,
        Outcome::TimedOut(_) => &mut row.timed_out,
        Outcome::Survived(_) if equivalent => &mut row.equivalent,
        Outcome::Survived(_) => &mut row.survived,
    };
    *of = of.saturating_add(1);
}
