//! What is computed once for all evaluations over the same data: documents of rules that depend on nothing else.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Program;
use super::bound::{Bound, Request};
use crate::depend::Dependence;
use crate::eval::{Arena, Calls, Filled, Place, Prepared};
use crate::ir::{Group, GroupId, GroupKind};
use crate::limits::Limits;
use crate::value::Value;

/// Of each group, by its number.
pub(super) fn documents(bound: &Bound, limits: &Limits) -> Arc<[Place]> {
    let places = all(places(bound.program()));
    fill(bound, &places, limits, |_| true);
    places
}

/// Places for documents, by the numbers of the groups; none for what cannot be kept.
pub(super) fn places(program: &Program) -> Vec<Option<Place>> {
    let place = |(number, group): (u32, &Group)| {
        let mark = program.dependencies().mark(GroupId(number));
        let is_kept = mark.dependence() != Dependence::Input && mark.is_repeatable();
        (is_kept && !matches!(group.kind, GroupKind::Function(_))).then(Place::default)
    };
    (0..).zip(&program.policy().groups).map(place).collect()
}

/// Answers of functions that depend on their operands alone. What costs next to nothing is computed each time.
pub(super) fn calls(program: &Program) -> Arc<Calls> {
    let is_kept = |(number, group): (u32, &Group)| {
        let mark = program.dependencies().mark(GroupId(number));
        let is_constant = mark.dependence() == Dependence::Constant && mark.is_repeatable();
        is_constant && !group.is_cheap && matches!(group.kind, GroupKind::Function(_))
    };
    Arc::new(Calls::new((0..).zip(&program.policy().groups).map(is_kept)))
}

/// The same where what cannot be kept is known to be unknown.
pub(super) fn all(places: Vec<Option<Place>>) -> Arc<[Place]> {
    places.into_iter().map(|place| place.unwrap_or_else(Place::unknown)).collect()
}

/// Fills the places that were asked for in vain.
pub(super) fn wanted(bound: &Bound, places: &[Place], limits: &Limits) {
    fill(bound, places, limits, Place::is_wanted);
}

/// Fills those that took no more time than this for older base documents, all of them together, as long as there is time now.
pub(super) fn again(bound: &Bound, places: &[Place], limits: &Limits, mut time: Duration) {
    let begun = Instant::now();
    let groups = (0..).zip(&bound.program().policy().groups);
    for ((number, group), place) in groups.zip(places) {
        let Some(took) = place.took_before() else { continue };
        match time.checked_sub(took) {
            Some(left) => time = left,
            None => continue,
        }
        let Some(left) = limits.time.checked_sub(begun.elapsed()) else { return };
        place.try_again(|| document(bound, GroupId(number), group, Limits { time: left, ..limits.clone() }));
    }
}

/// Fills places as long as there is time.
fn fill(bound: &Bound, places: &[Place], limits: &Limits, which: impl Fn(&Place) -> bool) {
    let begun = Instant::now();
    let groups = (0..).zip(&bound.program().policy().groups);
    for ((number, group), place) in groups.zip(places).filter(|(_, place)| which(place)) {
        let Some(time) = limits.time.checked_sub(begun.elapsed()) else { return };
        place.fill(|| document(bound, GroupId(number), group, Limits { time, ..limits.clone() }));
    }
}

/// The document of a group, made of base documents: what is kept must not depend on what else is.
fn document(bound: &Bound, id: GroupId, group: &Group, limits: Limits) -> Filled {
    let begun = Instant::now();
    let (prepared, plain) = match found(bound, id, &limits, bound.is_plain()) {
        // Where it matters what was evaluated before, everything is.
        (Prepared::Is(_) | Prepared::Undefined, false) if bound.is_plain() => {
            let time = limits.time.saturating_sub(begun.elapsed());
            found(bound, id, &Limits { time, ..limits }, false)
        }
        found => found,
    };
    let prepared = match prepared {
        Prepared::Is(value) if !is_good_for_keys(group, &value) => Prepared::Unknown,
        prepared => prepared,
    };
    Filled { prepared, plain, took: begun.elapsed() }
}

/// The document of a group, made of parts that are kept where there are any; and whether it is found whatever was evaluated before.
fn found(bound: &Bound, id: GroupId, limits: &Limits, by_parts: bool) -> (Prepared, bool) {
    let (arena, request) = (Arena::new(), Request { limits: limits.clone(), ..Request::default() });
    let evaluation = bound.fresh(&arena, &request, request.options()).with_base_readers(bound.program().base_readers());
    match by_parts {
        true => evaluation.with_parts(&bound.parts, bound.program().spots()).prepare(id),
        false => { evaluation }.prepare(id),
    }
}

/// Whether what lies at a key is the same in all of the document as where that key alone is asked for: equal numbers may be written
/// differently, so keys are text.
fn is_good_for_keys(group: &Group, document: &Value) -> bool {
    let is_flat = group.rules.iter().all(|rule| rule.keys.saturating_add(usize::from(rule.multi)) <= 1);
    match (group.kind, document) {
        (GroupKind::Complete, _) => true,
        (GroupKind::Set, Value::Set(set)) => is_flat && set.members().iter().all(|member| member.as_str().is_some()),
        (GroupKind::Object, Value::Object(object)) => is_flat && object.shape().is_text(),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
