//! The order in which an array comprehension goes through a package: what is in base data, or put there by `with`, comes before
//! what only rules make (`enumerate` of `evalTree` in opa `v1/topdown/eval.go`).

use std::cell::RefCell;
use std::collections::BTreeSet;

use anyhow::bail;
use regorus::Value;

use super::{items, paths};
use crate::rego::rewrite::operators;

thread_local! {
    // An extension does not learn which evaluation calls it; an evaluation stays on one thread.
    static BASE: RefCell<Value> = const { RefCell::new(Value::Undefined) };
}

/// Runs an evaluation on this thread, beside base data.
pub(in crate::rego) fn beside<T>(base: &Value, evaluation: impl FnOnce() -> T) -> T {
    let _restored = Restore(BASE.replace(base.clone()));
    evaluation()
}

/// Looks at the base data at a path.
pub(super) fn with_base(path: &[Value], look: impl FnOnce(&Value)) {
    BASE.with_borrow(|data| look(path.iter().fold(data, |data, name| &data[name])));
}

/// Puts back what was, also after a panic.
struct Restore(Value);

impl Drop for Restore {
    fn drop(&mut self) {
        BASE.replace(std::mem::replace(&mut self.0, Value::Undefined));
    }
}

/// What to go through for the document at a place; the last operand has the names that lead there from the place (none for what is
/// not known), the names that are read of each member, and whether its key is named.
pub(super) fn order(values: &[Value]) -> anyhow::Result<Value> {
    let [document, replaced, place, how] = values else {
        bail!("a document, what is replaced, a place, and how it is gone through")
    };
    let (steps, read, named) = (items(&how[0_usize]), items(&how[1_usize]), how[2_usize] == Value::from(true));
    let replaced = paths(replaced)?;
    let candidates = candidates(place, &steps);
    let orders = candidates.iter().filter_map(|path| first_base(document, path, &read, &replaced));
    match (orders.collect::<Vec<_>>().as_slice(), candidates.len()) {
        ([], _) => operators::collection(if named { "plimsoll__.members" } else { "plimsoll__.values" }, document),
        ([keys], 1) if !named => Ok(keys.iter().map(|key| document[key].clone()).collect::<Vec<_>>().into()),
        _ => bail!(
            "an array shall follow the order of the names of a package of which some are in data beside its rules: go through it without naming them, or into a set"
        ),
    }
}

/// The paths below `data` that the steps may lead to, of those that rules lie below.
fn candidates(place: &Value, steps: &[Value]) -> Vec<Vec<Value>> {
    let mut found = vec![(items(&place["at"]), place["nodes"].clone())];
    for step in steps {
        let below = found.iter().flat_map(|(path, nodes)| {
            let members = nodes.as_object().into_iter().flat_map(|members| members.iter_sorted());
            let members = members.filter(|(name, _)| *step == Value::Null || step == *name);
            members.map(|(name, nodes)| (path.iter().cloned().chain([name.clone()]).collect(), nodes.clone()))
        });
        found = below.collect();
    }
    found.into_iter().map(|(path, _)| path).collect()
}

/// The keys of a document in OPA's order, if that is not the order of their values for those that have what is read.
fn first_base(document: &Value, path: &[Value], read: &[Value], replaced: &[Vec<Value>]) -> Option<Vec<Value>> {
    let Value::Object(members) = document else { return None };
    if replaced.iter().any(|above| path.starts_with(above)) {
        return None;
    }
    let mut base: BTreeSet<Value> = replaced.iter().filter_map(|below| below.strip_prefix(path)?.first().cloned()).collect();
    with_base(path, |data| {
        base.extend(data.as_object().into_iter().flat_map(|members| members.iter_sorted()).map(|(name, _)| name.clone()));
    });
    let is_read = |name: &Value| *read.iter().fold(&document[name], |value, name| &value[name]) != Value::Undefined;
    let (first, last): (Vec<_>, Vec<_>) = members.iter_sorted().map(|(name, _)| name).partition(|name| base.contains(*name));
    let greatest = first.iter().rfind(|name| is_read(name));
    let least = last.iter().find(|name| is_read(name));
    let is_wrong = least.is_some_and(|least| greatest > Some(least));
    is_wrong.then(|| first.into_iter().chain(last).cloned().collect())
}
