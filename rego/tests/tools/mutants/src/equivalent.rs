//! Mutants that cannot change an answer, kept with reasons.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::mutant::{Mutant, one_line};
use crate::sites::Site;

/// A mutant that is the same program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equivalent {
    file: String,
    function: String,
    /// What stands there; of a function its signature, of an arm its pattern. Lines and spaces do not matter.
    old: String,
    /// What stands there instead; nothing where something is left out.
    new: String,
    /// Why no answer can differ.
    reason: String,
}

/// Reads the list. Fails when an entry has no reason, or its place is no longer in the source.
pub fn read(sites: &[Site]) -> Result<Vec<Equivalent>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("equivalent.yaml");
    let text = std::fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
    let kept: Vec<Equivalent> = yaml_serde::from_str(&text).with_context(|| format!("parsing {}", file.display()))?;
    for entry in &kept {
        let there = |site: &Site| entry.is_at(site) && site.changes.iter().any(|new| one_line(new) == entry.new);
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

impl Equivalent {
    fn is_at(&self, site: &Site) -> bool {
        site.path.strip_prefix("rego/src/") == Some(&self.file)
            && site.function == self.function
            && one_line(&site.old) == self.old
    }

    /// Whether this is the mutant.
    pub fn is(&self, mutant: &Mutant) -> bool {
        self.is_at(&mutant.site) && one_line(&mutant.new) == self.new
    }
}
