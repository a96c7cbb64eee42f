//! Mutants that a file lists: those that cannot change an answer, with reasons, and those that survived an earlier run.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::mutant::{Mutant, one_line};
use crate::sites::Site;

/// A mutant, found again by what stands around it and not by its line.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// Below `rego/src`.
    file: String,
    function: String,
    /// What stands there; of a function its signature, of an arm its pattern. Lines and spaces do not matter.
    old: String,
    /// What stands there instead; nothing where something is left out.
    new: String,
    /// Why no answer can differ.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    reason: String,
}

/// Reads those that cannot change an answer. Fails when one has no reason, or its place is no longer in the source.
pub fn equivalent(sites: &[Site]) -> Result<Vec<Listed>> {
    let kept = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("equivalent.yaml"))?;
    for entry in &kept {
        let there = |site: &Site| site.changes.iter().any(|new| entry.is_at(site, new));
        if entry.reason.trim().is_empty() || !sites.iter().any(there) {
            bail!(
                "equivalent.yaml: no reason, or no such change: {} {}: {} -> {}",
                entry.file,
                entry.function,
                entry.old,
                entry.new
            );
        }
    }
    Ok(kept)
}

/// The mutants that a file lists, as far as their places are still in the source.
pub fn again(file: &Path, sites: &[Site]) -> Result<Vec<Mutant>> {
    let (listed, mut mutants) = (read(file)?, Vec::new());
    for site in sites {
        for new in site.changes.iter().filter(|new| listed.iter().any(|entry| entry.is_at(site, new))) {
            let number = u32::try_from(mutants.len().saturating_add(1))?;
            if !mutants.iter().any(|other: &Mutant| other.site.overlaps(site)) {
                mutants.push(Mutant { number, site: site.clone(), new: new.clone() });
            }
        }
    }
    println!("{} of {} that {} lists are still there", mutants.len(), listed.len(), file.display());
    Ok(mutants)
}

fn read(file: &Path) -> Result<Vec<Listed>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    yaml_serde::from_str(&text).with_context(|| format!("parsing {}", file.display()))
}

/// As such a file lists them.
pub fn written(mutants: &[&Mutant]) -> Result<String> {
    let listed = |mutant: &&Mutant| {
        let (site, new) = (&mutant.site, one_line(&mutant.new));
        let file = site.path.trim_start_matches("rego/src/").to_owned();
        Listed { file, function: site.function.clone(), old: one_line(&site.old), new, reason: String::new() }
    };
    Ok(yaml_serde::to_string(&mutants.iter().map(listed).collect::<Vec<_>>())?)
}

impl Listed {
    fn is_at(&self, site: &Site, new: &str) -> bool {
        let here = site.path.strip_prefix("rego/src/") == Some(&self.file) && site.function == self.function;
        here && one_line(&site.old) == self.old && one_line(new) == self.new
    }

    /// Whether this is the mutant.
    pub fn is(&self, mutant: &Mutant) -> bool {
        self.is_at(&mutant.site, &mutant.new)
    }
}
