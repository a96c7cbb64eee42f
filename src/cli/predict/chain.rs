//! Goes through the hooks in the order of a server: initializers, mutating hooks one after the other, then those that may only refuse. A
//! hook that may change the object, or end the request, makes later hooks uncertain.

mod shown;

use std::sync::Arc;

use plimsoll_apiserver::admission::webhook::matching::{by_rules, is_exempt};
use plimsoll_apiserver::admission::webhook::{Spec, Webhook};
use plimsoll_apiserver::admission::{Attributes, Operation};
use serde_json::Value as Json;

use super::dry_run;
use super::facts::{Facts, NamespaceError};
use super::judge::{Said, Stage, Verdict, judge, not_called, with_object};
use super::known::{Doubt, Origin, State};
use super::line::{Line, Phase, Policy, Report};
use shown::line;

/// Identifies a hook: its phase and its uid.
type Key = (Phase, String);

/// The state of the request while it passes the hooks.
struct Chain<'a> {
    facts: &'a Facts,
    /// The object that the server would store, if a dry run shows it.
    stored: Option<&'a Json>,
    lines: Vec<Line>,
    /// Hooks and policies that may have changed the object.
    changed_by: Vec<String>,
    /// The hook that has ended the request (`None`: the server itself), and its name for people.
    ended: Option<(Option<Key>, String)>,
    /// Hooks that may have ended the request, each with its name for people.
    may_have_ended: Vec<(Key, String)>,
}

/// Returns the report on the request: a line for each hook, then policies and notes.
pub(super) fn report(facts: &Facts) -> Report {
    let request = &facts.request;
    let policies: Vec<Policy> = policies(facts, request);
    let of_mutating = policies.iter().filter(|policy| policy.kind.starts_with("Mutating"));
    let changed_by = of_mutating.map(|policy| format!("{} {}", policy.kind, policy.name)).collect();
    let asks = dry_run::asked_by(facts);
    let stored = facts.stored.as_ref().filter(|_| asks.is_none());
    let mut chain = Chain { facts, stored, lines: Vec::new(), changed_by, ended: absent(facts), may_have_ended: Vec::new() };
    chain.initializers();
    chain.mutating();
    chain.at_once(Phase::External, &facts.registered.external);
    chain.at_once(Phase::Validating, &facts.registered.validating);
    Report {
        operation: request.operation.name(),
        resource: format!("{}/{}", request.resource.qualified(), request.resource.version),
        namespace: request.namespace.clone(),
        name: request.name.clone(),
        user: Some(request.user.name.clone()).filter(|name| !name.is_empty()),
        lines: chain.lines,
        policies,
        notes: facts.notes.iter().cloned().chain(asks.filter(|_| facts.stored.is_some())).collect(),
    }
}

/// Returns what ends a creation in a namespace that does not exist: the server's own plugin NamespaceLifecycle.
fn absent(facts: &Facts) -> Option<(Option<Key>, String)> {
    let request = &facts.request;
    let is_in_namespace = !request.namespace.is_empty() && request.operation == Operation::Create;
    match &facts.namespace {
        Err(why @ NamespaceError::Absent(_)) if is_in_namespace => Some((None, format!("NamespaceLifecycle, because {why}"))),
        _ => None,
    }
}

/// Returns the admission policies whose rules match the request.
fn policies(facts: &Facts, request: &Attributes) -> Vec<Policy> {
    let looks = |spec: &Spec| !is_exempt(request) && by_rules(spec, request).is_some();
    let policies = facts.registered.policies.iter().filter(|policy| looks(&policy.spec));
    let shown = policies.map(|policy| Policy {
        kind: policy.kind,
        name: policy.spec.name.clone(),
        bindings: policy.bindings.clone(),
        failure_policy: format!("{:?}", policy.spec.failure_policy),
    });
    shown.collect()
}

impl<'a> Chain<'a> {
    fn initializers(&mut self) {
        let object = self.facts.request.object.as_ref();
        let has = |pointer: &str| object.and_then(|object| object.pointer(pointer)).is_some_and(|value| !value.is_null());
        for hook in &self.facts.registered.initializers {
            let mut verdict = self.judged(hook);
            if has("/metadata/initializers") {
                verdict = not_called("the object names its initializers itself, which needs the verb `initialize`".to_owned());
            } else if self.facts.request.resource.plural == "pods" && has("/metadata/annotations/kubernetes.io~1config.mirror") {
                verdict = not_called("mirror pods meet no initializer".to_owned());
            }
            self.push(Phase::Initializer, hook, verdict);
        }
    }

    fn mutating(&mut self) {
        let hooks = &self.facts.registered.mutating;
        for (at, hook) in hooks.iter().enumerate() {
            let mut verdict = self.judged(hook);
            if matches!(verdict.said, Said::Open { .. }) && self.is_alone(at) && self.read_back(hook) {
                verdict = Verdict {
                    said: Said::Called,
                    why: vec!["the dry run shows an object for which it is called, and nobody else changes it".to_owned()],
                };
            }
            self.follow(Phase::Mutating, std::slice::from_ref(hook), std::slice::from_ref(&verdict));
            let acts = matches!(verdict.said, Said::Called | Said::Open { .. });
            self.push(Phase::Mutating, hook, verdict);
            if acts && self.facts.request.operation != Operation::Delete {
                self.changed_by.push(named(hook));
            }
        }
    }

    /// Adds the lines of hooks that a server calls in parallel. It chooses all of them before it calls the first, so that one that ends
    /// the request ends it for all.
    fn at_once(&mut self, phase: Phase, hooks: &'a [Arc<Webhook>]) {
        let stored = self.stored.map(|object| with_object(&self.facts.request, object.clone()));
        let request = stored.as_ref().unwrap_or(&self.facts.request);
        let (origin, changed_by) = match &stored {
            Some(_) => (Origin::DryRun, &[][..]),
            None => (self.written(), self.changed_by.as_slice()),
        };
        let judged = |hook: &Arc<Webhook>| self.judged_as(hook, request, origin, changed_by);
        let verdicts: Vec<Verdict> = hooks.iter().map(judged).collect();
        self.follow(phase, hooks, &verdicts);
        for (hook, verdict) in hooks.iter().zip(verdicts) {
            self.push(phase, hook, verdict);
        }
    }

    fn written(&self) -> Origin<'a> {
        let Facts { request, schema, is_embedded, .. } = self.facts;
        let schema = schema.as_ref();
        Origin::Written { schema, plural: &request.resource.plural, is_embedded: *is_embedded }
    }

    /// Judges a hook by the object of the file, and by what may have changed it so far.
    fn judged(&self, hook: &Webhook) -> Verdict {
        self.judged_as(hook, &self.facts.request, self.written(), &self.changed_by)
    }

    /// Judges a hook by the object of `request`, which is known from `origin`.
    fn judged_as(&self, hook: &Webhook, request: &Attributes, origin: Origin<'_>, changed_by: &[String]) -> Verdict {
        let facts = self.facts;
        let object = State { object: request.object.as_ref(), origin, changed_by };
        let of_old = if facts.old_is_written { Origin::Remembered } else { Origin::Stored };
        let old = State { object: request.old.as_deref(), origin: of_old, changed_by: &[] };
        judge(hook, &Stage { facts, request, object, old })
    }

    /// Returns whether neither an earlier hook or policy nor a mutating hook after position `at` can change the object.
    fn is_alone(&self, at: usize) -> bool {
        let others = self.facts.registered.mutating.iter().enumerate().skip(at + 1);
        let quiet = |hook: &Webhook| self.judged(hook).said == Said::NotCalled;
        self.changed_by.is_empty() && self.stored.is_some() && others.into_iter().all(|(_, hook)| quiet(hook))
    }

    /// Returns whether the hook would be called for the object that a dry run has shown. If no other hook changes the object, this hook
    /// was called in the dry run, too: otherwise the shown object would be the one for which it was not called.
    fn read_back(&self, hook: &Webhook) -> bool {
        let Some(stored) = self.stored else { return false };
        let request = with_object(&self.facts.request, stored.clone());
        let before = Origin::Before { plural: &request.resource.plural };
        self.judged_as(hook, &request, before, &[]).said == Said::Called
    }

    /// Records which hooks end the request, or may end it, before any of them is called.
    fn follow(&mut self, phase: Phase, hooks: &[Arc<Webhook>], verdicts: &[Verdict]) {
        for (hook, verdict) in hooks.iter().zip(verdicts) {
            let key = (phase, hook.uid.clone());
            match &verdict.said {
                Said::Refused if self.ended.is_none() => self.ended = Some((Some(key), named(hook))),
                Said::Open { may_refuse: true, .. } => self.may_have_ended.push((key, named(hook))),
                _ => {}
            }
        }
    }

    fn push(&mut self, phase: Phase, hook: &Webhook, verdict: Verdict) {
        let own = (phase, hook.uid.clone());
        let Verdict { mut said, mut why } = verdict;
        let refuses = self.ended.as_ref().is_some_and(|(by, _)| by.as_ref() == Some(&own));
        match &self.ended {
            Some(_) if refuses => {}
            Some((_, by)) => {
                (said, why) = (Said::NotCalled, vec![format!("the request does not get so far: refused by {by}")]);
            }
            None if said == Said::Called => {
                let others = self.may_have_ended.iter().filter(|(key, _)| *key != own);
                let doubts: Vec<Doubt> =
                    others.map(|(_, name)| Doubt::On(format!("whether {name} refuses the request"))).collect();
                if !doubts.is_empty() {
                    said = Said::Open { doubts, may_refuse: false };
                }
            }
            None => {}
        }
        self.lines.push(line(phase, hook, said, why, refuses));
    }
}

/// Returns the hook's name for people: configuration and hook.
fn named(hook: &Webhook) -> String {
    format!("{}/{}", hook.configuration, hook.spec.name)
}

#[cfg(test)]
mod tests;
