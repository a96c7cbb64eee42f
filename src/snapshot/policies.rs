//! The policy sets in force, compiled together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use plimsoll_contract::policy::{Diagnostic, Location};
use sha2::{Digest, Sha256};

use super::reads::Reads;
use super::{Offer, PolicySet};
use crate::rego::{Cores, Definition, Module, Program, RegoVersion};

/// The policy sets in force.
#[derive(Clone, Debug)]
pub struct Policies {
    /// The compiled union of all sets.
    pub program: Arc<Program>,
    /// Digest of all modules of all sets; each object's last decision has it, too.
    pub digest: Arc<str>,
    /// The sets by name.
    pub sets: BTreeMap<String, PolicySet>,
    /// What the program reads of the state.
    pub(super) reads: Arc<Reads>,
    /// What of that the decision may depend on, once somebody has asked.
    decision_reads: Arc<OnceLock<Reads>>,
    /// Every rule's path below `data`, with the place of its first definition.
    pub(super) rules: Arc<[(Vec<String>, Location)]>,
}

impl Policies {
    /// No set at all.
    pub(super) fn none(version: RegoVersion) -> Result<Self, Vec<Diagnostic>> {
        Self::compile(BTreeMap::new(), version)
    }

    /// These sets and one more, or one of them replaced; compiled anew if its modules differ.
    pub(super) fn with(&self, name: &str, offer: impl Into<Offer>, version: RegoVersion) -> Result<Self, Vec<Diagnostic>> {
        let offer = offer.into();
        let digest = digest(offer.modules.iter());
        let compiled = self.sets.get(name).is_some_and(|set| set.accepted && set.same_program(&offer));
        let mut sets = self.sets.clone();
        sets.insert(name.into(), offer.accepted(digest));
        if compiled { Ok(Self { sets, ..self.clone() }) } else { Self::compile(sets, version) }
    }

    /// These sets with older ones in the place of some that were refused; what was said of those stays.
    pub(super) fn restoring(&self, kept: Vec<(String, Offer)>, version: RegoVersion) -> Result<Self, Vec<Diagnostic>> {
        let mut sets = self.sets.clone();
        for (name, mut offer) in kept {
            offer.modules.sort_unstable();
            let errors = sets.remove(&name).map(|refused| refused.errors).unwrap_or_default();
            let digest = digest(offer.modules.iter());
            sets.insert(name, PolicySet { errors, restored: true, ..offer.accepted(digest) });
        }
        Self::compile(sets, version)
    }

    /// These sets without one; compiled anew.
    pub(super) fn without(&self, name: &str, version: RegoVersion) -> Result<Self, Vec<Diagnostic>> {
        let mut sets = self.sets.clone();
        sets.remove(name);
        Self::compile(sets, version)
    }

    /// Returns whether policies read something at, above or below a path of `data`.
    pub(crate) fn read_at(&self, path: &[&str]) -> bool {
        self.reads.touch(path)
    }

    /// Returns the same program, with a changed note on one set.
    pub(super) fn noting(&self, name: &str, note: impl FnOnce(&mut PolicySet)) -> Self {
        let mut policies = self.clone();
        note(policies.sets.entry(name.into()).or_default());
        policies
    }

    fn compile(sets: BTreeMap<String, PolicySet>, version: RegoVersion) -> Result<Self, Vec<Diagnostic>> {
        let (modules, versions) = union(&sets);
        let version = |key: &str| versions.get(key).copied().unwrap_or(version);
        let program = Arc::new(Program::compile_each(&modules, &version, Cores::Half)?);
        let reads = Arc::new(Reads::new(program.reads()));
        let mut rules = Vec::new();
        rules_below(&program, &mut Vec::new(), &mut rules);
        rules.extend(functions(&program));
        let decision_reads = Arc::default();
        Ok(Self { program, digest: digest(modules.iter()).into(), sets, reads, decision_reads, rules: rules.into() })
    }

    /// Returns what the decision may read; `placement_path` is the same at each call.
    pub(super) fn decision_reads(&self, placement_path: &[String]) -> &Reads {
        self.decision_reads.get_or_init(|| Reads::new(&self.program.reads_of(placement_path)))
    }

    /// The key under which a module of a set is compiled: its own, unless an earlier set has the same.
    pub(super) fn compiled_key(&self, set: &str, key: &str) -> String {
        let earlier = self.sets.iter().take_while(|(name, _)| name.as_str() < set);
        let taken = earlier.flat_map(|(_, other)| &other.modules).any(|module| module.key == key);
        if taken { qualified(set, key) } else { key.into() }
    }
}

fn rules_below(program: &Program, path: &mut Vec<String>, rules: &mut Vec<(Vec<String>, Location)>) {
    let mut names = BTreeMap::new();
    for rule in program.rules_of(path) {
        names.entry(rule.name).or_insert(rule.location);
    }
    for (name, location) in names {
        path.push(name);
        match program.defines(path) {
            Definition::Rule => rules.push((path.clone(), location)),
            Definition::Package => rules_below(program, path, rules),
            Definition::Nothing => {}
        }
        path.pop();
    }
}

/// Functions, each with its first definition.
fn functions(program: &Program) -> BTreeMap<Vec<String>, Location> {
    let mut functions = BTreeMap::new();
    for (path, location) in program.functions() {
        functions.entry(path.to_vec()).or_insert_with(|| location.clone());
    }
    functions
}

/// All modules, and the versions that bundles ask for; a key that two sets use is kept apart by the name of the second set.
fn union(sets: &BTreeMap<String, PolicySet>) -> (Vec<Module>, BTreeMap<String, RegoVersion>) {
    let (mut keys, mut modules, mut versions) = (BTreeSet::new(), Vec::new(), BTreeMap::new());
    for (name, set) in sets {
        for module in &set.modules {
            let key = if keys.contains(&module.key) { qualified(name, &module.key) } else { module.key.clone() };
            let asked = set.bundle.as_deref().and_then(|bundle| bundle.rego.iter().find(|(of, _)| *of == module.key));
            versions.extend(asked.map(|(_, version)| (key.clone(), *version)));
            modules.push(Module { key, text: module.text.clone() });
        }
        keys.extend(set.modules.iter().map(|module| &module.key));
    }
    (modules, versions)
}

fn qualified(set: &str, key: &str) -> String {
    format!("{set}:{key}")
}

/// Of the texts alone: a file that is moved or sent another way decides the same.
pub(super) fn digest<'m>(modules: impl Iterator<Item = &'m Module>) -> String {
    let mut texts: Vec<_> = modules.map(|module| Sha256::digest(&module.text)).collect();
    texts.sort_unstable();
    let all = texts.iter().fold(Sha256::new(), |all, text| all.chain_update(text)).finalize();
    let hex = all.iter().take(16).fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    format!("sha256:{hex}")
}
