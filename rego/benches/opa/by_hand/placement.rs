//! `policies/lib/placement.rego` and `policies/lib/rules.rego`.

use std::collections::HashMap;

use plimsoll_rego::value::Value;

use super::words::Words;
use super::{clusters, rules, text};

/// Why not, by cluster.
type Reasons<'a> = HashMap<&'a str, Vec<Value>>;

/// `data.kubernetes.placement`.
pub(super) fn document(w: &Words, data: &Value, input: &Value, jurisdictions: &Value) -> Option<Value> {
    let all = clusters::all(w, data)?;
    let said = rules::rules(w, &all, input, jurisdictions)?;
    let mut reasons = Reasons::new();
    for entry in said.reject.as_set()?.members() {
        reasons.entry(text(entry.get(&w.cluster)?)).or_default().push(entry.get(&w.reason)?.clone());
    }
    let placement = [(w.clusters.clone(), chosen(w, &all, &said.weights, &reasons)?), (w.rebalance.clone(), Value::True)];
    Some(Value::object([
        (w.errors.clone(), Value::set([])),
        (w.placement.clone(), Value::object(placement)),
        (w.rejected.clone(), rejected(&all, reasons)?),
        (w.warnings.clone(), Value::set([])),
    ]))
}

fn chosen(w: &Words, all: &Value, weights: &Value, reasons: &Reasons<'_>) -> Option<Value> {
    let plain = Value::object([(w.weight.clone(), w.one.clone())]);
    let free = all.as_object()?.keys().iter().filter(|name| !reasons.contains_key(text(name)));
    Some(Value::object(free.map(|name| (name.clone(), weights.get(name).unwrap_or(&plain).clone()))))
}

fn rejected(all: &Value, mut reasons: Reasons<'_>) -> Option<Value> {
    let mut rejected = Vec::new();
    for name in all.as_object()?.keys() {
        let Some(reasons) = reasons.remove(text(name)) else { continue };
        let reasons = Value::set(reasons);
        let texts: Vec<_> = reasons.as_set()?.members().iter().map(text).collect();
        rejected.push((name.clone(), Value::from(texts.join("; ").as_str())));
    }
    Some(Value::object(rejected))
}
