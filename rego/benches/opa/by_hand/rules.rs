//! `policies/placement`.

use plimsoll_rego::value::{Value, json};

use super::words::Words;
use super::{at, at_or, text};

/// The documents that the three rules of `policies/placement` make together.
pub(super) struct Rules {
    /// `{"cluster": …, "reason": …}`, a set.
    pub(super) reject: Value,
    /// By cluster.
    pub(super) weights: Value,
}

/// Returns what the rules say of a workload that all three of them apply to; `None` where a field is missing that this relies on.
pub(super) fn rules(w: &Words, all: &Value, input: &Value, jurisdictions: &Value) -> Option<Rules> {
    let annotations = at(input, &[&w.metadata, &w.annotations])?;
    let mut reject = Vec::new();
    if text(annotations.get(&w.requires)?) == "true" {
        compliance(w, all, &mut reject)?;
    }
    jurisdiction(w, all, (jurisdictions, annotations.get(&w.jurisdiction)?), &mut reject)?;
    let preferences = json::read(text(annotations.get(&w.preferences)?).as_bytes(), 128).ok()?;
    let weights = requested(w, all, preferences.get(&w.clusters)?, &mut reject)?;
    Some(Rules { reject: Value::set(reject), weights })
}

fn entry(w: &Words, cluster: &Value, reason: Value) -> Value {
    Value::object([(w.cluster.clone(), cluster.clone()), (w.reason.clone(), reason)])
}

fn compliance(w: &Words, all: &Value, reject: &mut Vec<Value>) -> Option<()> {
    for (name, cluster) in all.as_object()?.iter() {
        if text(at_or(cluster.get(&w.annotations)?, &[&w.certified], &w.empty)) != "true" {
            reject.push(entry(w, name, w.not_certified.clone()));
        }
    }
    Some(())
}

fn jurisdiction(w: &Words, all: &Value, (known, asked): (&Value, &Value), reject: &mut Vec<Value>) -> Option<()> {
    let regions = known.get(asked)?;
    for (name, cluster) in all.as_object()?.iter() {
        let (provider, region) = (cluster.get(&w.provider)?, cluster.get(&w.region)?);
        let lower = Value::from(text(provider).to_lowercase().as_str());
        let anywhere = || regions.as_object().is_some_and(|all| all.values().iter().any(|some| some.get(region).is_some()));
        if at(regions, &[&lower, region]).is_none() && !(text(provider).is_empty() && anywhere()) {
            let reason = format!("region \"{}\" is outside {}", text(region), text(asked));
            reject.push(entry(w, name, Value::from(reason.as_str())));
        }
    }
    Some(())
}

fn requested(w: &Words, all: &Value, requested: &Value, reject: &mut Vec<Value>) -> Option<Value> {
    let mut weights = Vec::new();
    for (name, _) in all.as_object()?.iter() {
        match at_or(requested, &[name], at_or(requested, &[&w.star], &w.nothing)) {
            Value::Null => reject.push(entry(w, name, w.not_requested.clone())),
            wanted => weights.push((name.clone(), share(w, wanted))),
        }
    }
    Some(Value::object(weights))
}

fn share(w: &Words, wanted: &Value) -> Value {
    let names = [(&w.weight, &w.weight), (&w.min, &w.long_min), (&w.max, &w.long_max)];
    let said = names.into_iter().filter_map(|(short, long)| Some((short.clone(), wanted.get(long)?.clone())));
    Value::object(std::iter::once((w.weight.clone(), w.zero.clone())).chain(said))
}
