//! Mutation testing of plimsoll-rego: draws small changes of `rego/src/{compile,eval,depend}`, and counts which of them the suites catch.
//!
//! ```text
//!  tree (a copy) ─► sites ─► draw ─► weave ─► check ─► build once ─► suites, for each mutant ─► report
//!                             ▲                 │
//!                             └── not Rust ◄────┘
//! ```
//!
//! All mutants are in one binary, each behind a switch that an environment variable turns on: the crate is built twice, not once for
//! each. `mutants COUNT SEED` prints what was caught by what, and fails where less than 95 % was; `mutants FILE` asks again for those that
//! a file lists, as a run writes its survivors. `equivalent.yaml` lists mutants that cannot change an answer, with reasons; they are
//! counted apart.

mod cargo;
mod draw;
mod judge;
mod listed;
mod mutant;
mod report;
mod sites;
mod suite;
mod tree;
mod weave;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use draw::Draw;
use mutant::Mutant;
use sites::Site;

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let workspace = workspace()?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), PathBuf::from);
    let tree = tree::copy(&workspace, &target.join("mutants"))?;
    let sites = sites::all(&tree)?;
    println!("{} sites, {} mutants", sites.len(), sites.iter().map(|site| site.changes.len()).sum::<usize>());
    let kept = listed::equivalent(&sites)?;
    let mutants = match arguments.as_slice() {
        [count, seed] => {
            let count = count.parse().with_context(|| format!("COUNT is no number: {count}"))?;
            drawn(&tree, &sites, count, seed.parse().with_context(|| format!("SEED is no number: {seed}"))?)?
        }
        [file] => listed::again(Path::new(file), &sites)?,
        _ => bail!("neither COUNT and SEED nor a FILE of mutants"),
    };
    weave::all(&tree, &mutants)?;
    let suites = suite::all(&tree, cargo::build(&tree)?)?;
    let outcomes = judge::run(&suites, &mutants)?;
    let caught = report::write(&tree, &kept, &mutants, &outcomes)?;
    Ok(if caught { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The checkout that this program was built in.
fn workspace() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(here.ancestors().nth(4).context("this program is no longer in rego/tests/tools")?.to_owned())
}

/// Draws, and draws others for those that do not compile, until there are `count`.
fn drawn(tree: &tree::Tree, sites: &[Site], count: usize, seed: u64) -> Result<Vec<Mutant>> {
    let (mut draw, mut mutants, mut dropped) = (Draw::new(sites, seed), Vec::new(), 0_usize);
    loop {
        draw.fill(&mut mutants, count);
        let offenders = weave::all(tree, &mutants)?.offenders(&cargo::check(tree)?)?;
        if !offenders.is_empty() {
            println!("{} do not compile: {offenders:?}", offenders.len());
            dropped = dropped.saturating_add(offenders.len());
            mutants.retain(|mutant: &Mutant| !offenders.contains(&mutant.number));
        } else if mutants.len() < count {
            bail!("there are {} mutants that compile, not {count}: ask for fewer", mutants.len());
        } else {
            println!("{count} mutants of seed {seed}; {dropped} more did not compile");
            return Ok(mutants);
        }
    }
}
