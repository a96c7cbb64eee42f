//! What is computed once for all evaluations over the same data: documents of rules that depend on nothing else.

use std::sync::Arc;
use std::time::Instant;

use super::Program;
use super::bound::{Bound, Request};
use crate::depend::Dependence;
use crate::eval::{Arena, Place, Prepared};
use crate::ir::{Group, GroupId, GroupKind};
use crate::limits::Limits;
use crate::value::Value;

/// Of each group, by its number.
pub(super) fn documents(bound: &Bound, limits: &Limits) -> Arc<[Place]> {
    let places = places(bound.program());
    fill(bound, &places, limits, |_| true);
    places
}

/// Places for documents, by the numbers of the groups; what cannot be kept is known to be unknown.
pub(super) fn places(program: &Program) -> Arc<[Place]> {
    let place = |(number, group): (u32, &Group)| {
        let mark = program.dependencies().mark(GroupId(number));
        let is_kept = mark.dependence() != Dependence::Input && mark.is_repeatable();
        let is_kept = is_kept && !matches!(group.kind, GroupKind::Function(_));
        if is_kept { Place::default() } else { Place::of(Prepared::Unknown) }
    };
    (0..).zip(&program.policy().groups).map(place).collect()
}

/// Fills the places that were asked for in vain.
pub(super) fn wanted(bound: &Bound, places: &[Place], limits: &Limits) {
    fill(bound, places, limits, Place::is_wanted);
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
fn document(bound: &Bound, id: GroupId, group: &Group, limits: Limits) -> Prepared {
    let (arena, request) = (Arena::new(), Request { limits, ..Request::default() });
    match bound.fresh(&arena, &request, request.options()).prepare(id) {
        Prepared::Is(value) if !is_good_for_keys(group, &value) => Prepared::Unknown,
        prepared => prepared,
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
mod tests {
    use std::sync::Arc;

    use crate::limits::Limits;
    use crate::program::{Program, Request, Text};
    use crate::value::{Value, json};

    const POLICY: &str = "package a

all[name] := upper(kind) if some name, kind in data.things

names contains name if some name, _ in all

one := count(all)

two := input.two

three := count(all) if input.two

now := time.now_ns()

failed := 1 / 0

many := [x | some x in numbers.range(1, 1000)]

other := x if x := all with data.things as {\"x\": \"y\"}

same := x if x := [one, two] with input as {\"two\": 3}
";

    #[test]
    fn what_was_asked_for_once_is_kept() {
        let text = Text { name: "a.rego".to_owned(), text: POLICY.to_owned(), version: None };
        let bound = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
        let bound = bound.bind(json::read(br#"{"things": {"b": "c", "d": "e"}}"#, 16).unwrap()).keeping();
        let steps = |path: &[&str]| {
            let (arena, request) = (crate::eval::Arena::new(), Request { now_ns: 5, ..Request::default() });
            let mut evaluation = bound.evaluation(&arena, &request, request.options());
            let path: Vec<_> = path.iter().map(|name| Value::from(*name)).collect();
            let answer = evaluation.document(&path).unwrap().unwrap().to_string();
            let steps = evaluation.context().account.steps();
            bound.prepare_wanted(Limits::default);
            (answer, steps)
        };
        let (first, many) = steps(&["a", "one"]);
        let (again, few) = steps(&["a", "one"]);
        assert!(first == again && few < many, "{many} {few}");
        let (_, untouched) = steps(&["a", "names"]);
        assert!(untouched > few, "nobody had asked for it");
    }

    /// Whoever asks first must not decide what is kept.
    #[test]
    fn what_is_kept_is_what_would_be_found_again() {
        let text = Text { name: "a.rego".to_owned(), text: POLICY.to_owned(), version: None };
        let program = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
        let bind = || program.clone().bind(json::read(br#"{"things": {"b": "c", "d": "e"}}"#, 16).unwrap());
        let (fresh, kept) = (bind(), bind().keeping());
        let input = json::read(br#"{"two": 2}"#, 16).unwrap();
        for path in ["one", "many", "other", "same", "names", "all", "failed", "one", "many", "other", "same", "names", "all"] {
            let path = [Value::from("a"), Value::from(path)];
            let request = Request { input: Some(&input), ..Request::default() };
            assert_eq!(kept.document(&path, &request).unwrap(), fresh.document(&path, &request).unwrap(), "{path:?}");
            kept.prepare_wanted(Limits::default);
            kept.prepare_wanted(|| unreachable!("nothing is wanted any more"));
        }
    }

    #[test]
    fn nothing_is_computed_without_time() {
        let text = Text { name: "a.rego".to_owned(), text: POLICY.to_owned(), version: None };
        let bound = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
        let bound = bound.bind(json::read(br#"{"things": {"b": "c"}}"#, 16).unwrap()).keeping();
        let path = [Value::from("a"), Value::from("one")];
        let first = bound.document(&path, &Request::default()).unwrap();
        let was_asked = std::cell::Cell::new(0);
        let limits = |time| {
            was_asked.set(was_asked.get() + 1);
            Limits { time, ..Limits::default() }
        };
        bound.prepare_wanted(|| limits(std::time::Duration::ZERO));
        assert_eq!(bound.document(&path, &Request::default()).unwrap(), first);
        bound.prepare_wanted(|| limits(Limits::default().time));
        bound.prepare_wanted(|| limits(Limits::default().time));
        assert_eq!(was_asked.get(), 2, "what there was no time for is still wanted; what is kept is not");
    }

    fn answers(limits: Option<Limits>) -> (String, u64) {
        let text = Text { name: "a.rego".to_owned(), text: POLICY.to_owned(), version: None };
        let bound = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
        let bound = bound.bind(json::read(br#"{"things": {"b": "c", "d": "e"}}"#, 16).unwrap());
        let bound = match limits {
            Some(limits) => bound.prepared(limits),
            None => bound,
        };
        let input = json::read(br#"{"two": 2}"#, 16).unwrap();
        let (arena, request) = (crate::eval::Arena::new(), Request { input: Some(&input), now_ns: 5, ..Request::default() });
        let mut evaluation = bound.evaluation(&arena, &request, request.options());
        let answer = evaluation.document(&[Value::from("a")]).unwrap().unwrap().to_string();
        (answer, evaluation.context().account.steps())
    }

    #[test]
    fn answers_are_the_same_and_cost_less() {
        let (plain, steps) = answers(None);
        let (prepared, less) = answers(Some(Limits::default()));
        assert_eq!(plain, prepared);
        assert!(less * 10 < steps, "{less} {steps}");
        assert!(plain.contains(r#""other": {"x": "Y"}"#) && plain.contains(r#""same": [2, 3]"#), "{plain}");
    }

    /// What a limit cuts short is evaluated when it is asked for.
    #[test]
    fn limits_lose_nothing_but_time() {
        let limits = Limits { steps: 1, ..Limits::default() };
        assert_eq!(answers(Some(limits)).0, answers(None).0);
    }
}
