//! Why an object is placed as it is: for each cluster, which conditions of which bodies let it in, or keep it out.
//!
//! ```text
//!  decide ─► the decision ─┐
//!  policies' text, read again ─► bodies that lead to the clusters ─► each condition asked by itself ─┴► Why
//! ```
//!
//! A body lets a cluster in where all of its conditions hold for it. What one condition needs of the others are those that give its
//! variables their values; with these it is asked as a query, in the place of the rule, once for all clusters. So the answers are
//! those of the evaluator, never of a model of it.

mod ask;
mod asks;
mod bindings;
mod bodies;
mod calls;
mod frame;
mod member;
mod metadata;
mod policies;
mod reasons;
mod rules;
mod sets;
mod short;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use plimsoll_contract::outcome::Outcome;
use plimsoll_contract::why::{Alternative, ClusterWhy, Condition, Reached, Said, Why};
use plimsoll_rego::limits::Limits;
use plimsoll_rego::syntax::stack::with_depth;
use plimsoll_rego::value::Value;
use serde_json::Value as Json;

use crate::decision::decide::input::policy_input;
use crate::decision::{Config, Decision, Subject, decide};
use crate::rego::EvalError;
use crate::snapshot::Snapshot;
use ask::Asker;
use policies::Policies;
pub use short::{is_short_of_words, short};

/// The clusters to explain, and the time limit.
#[derive(Clone, Debug)]
pub struct Request {
    /// These clusters; empty: all of the fleet.
    pub clusters: Vec<String>,
    /// All in all.
    pub time: Duration,
}

/// Asks the policies.
struct Explainer<'p> {
    asker: Asker<'p>,
    /// What holds is explained, too: by whom it does.
    proving: bool,
    /// How many more terms and conditions are looked at.
    left: usize,
    /// How many more bytes of conditions are told.
    room: usize,
}

/// Reasons have reasons, up to here.
const DEEPEST: usize = 60;

/// So many terms and conditions are looked at at most.
const STEPS: usize = 1_000_000;

/// What a condition takes beside its text, about.
const BESIDE: usize = 256;

/// So many bytes of conditions are told at most, about.
const ROOM: usize = 4 << 20;

/// Explains the decision of an object. Fails when the state cannot be read as what policies read.
pub fn why(snapshot: &Snapshot, subject: Subject<'_>, config: &Config, request: &Request) -> Result<Why, EvalError> {
    let decision = decide(snapshot, subject, config);
    let mut why = bare(snapshot, subject, &decision);
    let Some(input) = policy_input(snapshot, subject, config) else { return Ok(why) };
    why.reads =
        Some(snapshot.basis(&config.placement_path).entry.reads(&snapshot.policies.program, &snapshot.state.fleet_path()));
    explain(snapshot, input, request.time, |explainer, data| {
        let clusters = clusters((snapshot, data), &decision, request);
        why.notes = notes(&why, request, &clusters);
        explainer.fill(&mut why, &decision, (&config.placement_path, &clusters));
    })?;
    Ok(why)
}

/// Finds something out about what policies say of an input. Fails when the state cannot be read as what policies read.
fn explain<T>(
    snapshot: &Snapshot,
    input: Json,
    time: Duration,
    find: impl FnOnce(&mut Explainer<'_>, &Value) -> T,
) -> Result<T, EvalError> {
    let prepared = snapshot.prepared()?;
    let (program, data) = prepared.parts();
    let depth = program.compiled().modules.iter().map(|module| module.depth).max().unwrap_or_default();
    Ok(with_depth(depth.saturating_mul(3), || {
        let policies = Policies::of(program);
        let limits = Limits { time, ..Limits::default() };
        let asker = Asker::new(&policies, (data.clone(), crate::rego::Value::from(input).into()), limits);
        find(&mut Explainer { asker, proving: false, left: STEPS, room: ROOM }, data)
    }))
}

/// Where clusters lie that nobody declared as the fleet: pushed by kube-mgmt, say.
const PUSHED: [&str; 2] = ["kubernetes", "clusters"];

/// The clusters that are explained: those of the fleet kind, and those that policy names.
fn clusters((snapshot, data): (&Snapshot, &Value), decision: &Decision, request: &Request) -> Vec<String> {
    let state = &snapshot.state;
    let fleet: Vec<String> = match state.fleet() {
        Some(fleet) => state.objects(fleet).map(|(name, _)| name.name).collect(),
        None => {
            let pushed = PUSHED.iter().try_fold(data, |data, name| data.as_object()?.member(name));
            let names = pushed.and_then(Value::as_object).into_iter().flat_map(|clusters| clusters.keys());
            names.filter_map(|name| name.as_str().map(ToString::to_string)).collect()
        }
    };
    let (placed, rejected) = (decision.clusters(), decision.rejected());
    let named = placed.iter().chain(rejected.keys()).cloned();
    let mut all: Vec<_> = fleet.into_iter().chain(named).collect();
    all.sort();
    all.dedup();
    let wanted: BTreeSet<&String> = request.clusters.iter().collect();
    all.retain(|name| wanted.is_empty() || wanted.contains(name));
    all
}

/// Of what was asked for, clusters that are not there; and what may be otherwise at another moment.
fn notes(why: &Why, request: &Request, known: &[String]) -> Vec<String> {
    let missing = request.clusters.iter().filter(|name| known.binary_search(name).is_err());
    let mut notes: Vec<_> = missing.map(|name| format!("there is no cluster `{name}`")).collect();
    if why.reads.as_ref().is_some_and(|reads| !reads.kept) {
        notes.push("policy looks at the clock, or at chance: at another moment it may say something else".to_owned());
    }
    notes
}

fn bare(snapshot: &Snapshot, subject: Subject<'_>, decision: &Decision) -> Why {
    let text = |pointer: &str| subject.object.pointer(pointer).and_then(Json::as_str).unwrap_or_default().to_owned();
    Why {
        api_version: text("/apiVersion"),
        kind: text("/kind"),
        namespace: text("/metadata/namespace"),
        name: text("/metadata/name"),
        outcome: decision.outcome.clone(),
        warnings: decision.warnings.clone(),
        said: Vec::new(),
        clusters: Vec::new(),
        notes: Vec::new(),
        reads: None,
        sources: Vec::new(),
        policy: snapshot.policies.digest.to_string(),
        epoch: snapshot.epoch.to_string(),
        revision: snapshot.revision,
    }
}

/// The path of a rule of a document.
fn below(path: &[String], rule: &str) -> Vec<String> {
    [path, &[rule.to_owned()]].concat()
}

impl<'p> Explainer<'p> {
    fn fill(&mut self, why: &mut Why, decision: &Decision, (path, clusters): (&[String], &[String])) {
        if let Outcome::Denied { errors } = &decision.outcome {
            why.said.extend(errors.iter().map(|message| self.error(path, message)));
        }
        let documents = self.documents(path);
        for path in &documents {
            let alternatives = self.bodies(path);
            if !alternatives.is_empty() {
                let rule = path.last().cloned().unwrap_or_default();
                why.said.push(Said { rule, message: None, alternatives });
            }
        }
        let (placed, rejected) = (decision.clusters(), decision.rejected());
        let named = (placed.as_slice(), &*rejected);
        let annotations = below(path, "annotations");
        why.clusters = clusters.iter().map(|name| self.cluster(name, named, (&documents, &annotations))).collect();
        if self.asker.late {
            why.notes.push("there was no time to find out everything: ask for fewer clusters".to_owned());
        }
    }

    /// An error, and the bodies that say it.
    fn error(&mut self, path: &[String], message: &str) -> Said {
        let (errors, value) = (below(path, "errors"), Value::from(message));
        let mut alternatives = self.proven(true, |explainer| explainer.of_document(&errors, &value, 0)).alternatives;
        alternatives.retain(|alternative| alternative.holds);
        Said { rule: "errors".into(), message: Some(message.to_owned()), alternatives }
    }

    /// The documents that say where an object is placed.
    fn documents(&self, path: &[String]) -> Vec<Vec<String>> {
        let named = ["placement", "annotations"].map(|rule| self.asker.policies.below(&below(path, rule)));
        std::iter::once(path.to_vec()).chain(named.concat()).collect()
    }

    /// Whether there is time, and room, to look at one more.
    fn goes_on(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.asker.late |= self.left == 0 || self.room == 0;
        self.asker.has_time() && !self.asker.late
    }

    /// Takes the room that conditions need.
    fn tell(&mut self, conditions: &[Condition]) {
        self.room = self.room.saturating_sub(conditions.iter().map(size).sum());
    }

    /// Whether there is time and room for one more condition of so many bytes.
    fn may_tell(&mut self, bytes: usize) -> bool {
        self.room = self.room.saturating_sub(bytes.saturating_add(BESIDE));
        self.goes_on()
    }

    /// Finds something out, where what holds is explained, or not.
    fn proven<T>(&mut self, proving: bool, find: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.proving, proving);
        let found = find(self);
        self.proving = before;
        found
    }

    /// The bodies of a rule, whatever they give.
    fn bodies(&mut self, path: &[String]) -> Vec<Alternative> {
        let definitions = self.asker.policies.rules(path);
        self.whether(definitions.into_iter().map(|definition| (definition, reasons::frame_of(definition))).collect(), false, 0)
    }

    fn cluster(
        &mut self,
        name: &str,
        (placed, rejected): (&[String], &BTreeMap<String, String>),
        (documents, annotations): (&[Vec<String>], &[String]),
    ) -> ClusterWhy {
        let is_in = placed.iter().any(|cluster| cluster == name);
        let (mut alternatives, mut aggregates) = (Vec::new(), Vec::new());
        for path in documents {
            let value = Value::from(name);
            // The keys of annotations are no clusters.
            let found = self.proven(is_in, |explainer| match path.starts_with(annotations) {
                true => explainer.of_members(path, &value),
                false => explainer.of_document(path, &value, 0),
            });
            alternatives.extend(found.alternatives);
            aggregates.extend(found.aggregates);
        }
        if is_in {
            alternatives.retain(|alternative| alternative.holds);
        } else {
            // A body that lets it in is not the last word: what is made of all clusters together dropped it.
            for alternative in alternatives.iter_mut().filter(|alternative| alternative.holds) {
                alternative.holds = false;
                self.tell(&aggregates);
                alternative.conditions.extend(aggregates.iter().filter(|_| self.room > 0).cloned());
                if aggregates.is_empty() {
                    let text = "what is made of it: its share, or the placement as a whole".to_owned();
                    let (location, found) = (alternative.location.clone(), Default::default());
                    let (result, alternatives) = (Reached::NotSeparable, Vec::new());
                    let last = Condition { text, location, result, together: false, found, alternatives };
                    alternative.conditions.push(last);
                }
            }
        }
        let cut_short = self.asker.late;
        ClusterWhy { name: name.to_owned(), is_in, cut_short, rejected: rejected.get(name).cloned(), alternatives }
    }
}

/// Returns about how many bytes a condition takes.
fn size(condition: &Condition) -> usize {
    let below = condition.alternatives.iter().flat_map(|alternative| &alternative.conditions).map(size).sum::<usize>();
    condition.text.len().saturating_add(BESIDE).saturating_add(below)
}

#[cfg(test)]
mod tests;
