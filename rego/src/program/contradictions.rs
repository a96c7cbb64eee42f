//! Rules of one path that stand in several modules and may give it different values: each module is fine by itself, whoever wrote the
//! other one. Evaluation fails for what both apply to (`eval_conflict_error`); whether there is any, only evaluation shows.

use std::collections::{BTreeMap, HashMap};

use plimsoll_contract::policy::Location;

use super::Program;
use crate::compile::terms::operands;
use crate::compile::{self, Compiled, RuleId, RuleTree, is_equality};
use crate::syntax::is_ground;
use crate::syntax::order::compare;
use crate::syntax::print;
use crate::syntax::span::Span;
use crate::syntax::stack::with_depth;
use crate::syntax::tree::{Kind, Rule, Term, Var};

/// Rules of one path that are looked at: pairs of them are.
const MOST: usize = 200;

/// Rules that may contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// What they define, as in `data.kubernetes.placement.annotations["a/b"]`.
    pub name: String,
    /// The first of them in each module, at least two.
    pub places: Vec<Location>,
}

impl Program {
    /// Returns what the modules may disagree about: complete rules, and constant keys of objects, for which two of them have other values
    /// or values that are not constant. What two rules ask of one reference keeps them apart, where it is a constant.
    pub fn contradictions(&self) -> Vec<Contradiction> {
        let compiled = &self.compiled;
        let mut found = Vec::new();
        with_depth(compile::depth_of(&compiled.modules), || {
            compiled.rule_tree.depth_first(RuleTree::ROOT, |_, node| {
                found.extend(of_rules(compiled, node.rules()));
                false
            });
        });
        let place = |span: Span| compiled.sources.location(span);
        let placed = |(name, spans): (String, Vec<Span>)| Contradiction { name, places: spans.into_iter().map(place).collect() };
        found.into_iter().map(placed).collect()
    }
}

fn of_rules(compiled: &Compiled, ids: &[RuleId]) -> Option<(String, Vec<Span>)> {
    let rules: Vec<(usize, &Rule)> = ids.iter().filter_map(|id| Some((id.module, compiled.rule(*id)?))).collect();
    let mut rules: Vec<_> = rules.into_iter().filter(|(_, rule)| is_complete(rule)).collect();
    rules.truncate(MOST);
    let mut places: BTreeMap<usize, Span> = BTreeMap::new();
    for (at, (module, rule)) in rules.iter().enumerate() {
        for (other_module, other) in rules.iter().skip(at).filter(|(other, _)| other != module) {
            if may_differ(rule, other) && !are_exclusive(rule, other) {
                places.entry(*module).or_insert(rule.span);
                places.entry(*other_module).or_insert(other.span);
            }
        }
    }
    let (_, first) = rules.first().filter(|_| !places.is_empty())?;
    Some((print::reference(&first.head.reference), places.into_values().collect()))
}

/// Neither a function, nor a set, nor an object with keys that vary. A default gives way to the others.
fn is_complete(rule: &Rule) -> bool {
    let is_value = rule.head.value.is_some() && rule.head.args.is_none();
    is_value && !rule.default && rule.head.reference.iter().skip(1).all(is_ground)
}

fn may_differ(one: &Rule, other: &Rule) -> bool {
    let Some(value) = one.head.value.as_ref().filter(|value| is_constant(value)) else { return true };
    let values = one.chain().chain(other.chain()).map(|rule| rule.head.value.as_ref());
    values.into_iter().any(|other| other.is_none_or(|other| !is_constant(other) || compare(value, other).is_ne()))
}

fn is_constant(term: &Term) -> bool {
    match &term.kind {
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => true,
        Kind::Array(terms) | Kind::Set(terms) => terms.iter().all(is_constant),
        Kind::Object(members) => members.iter().all(|(key, value)| is_constant(key) && is_constant(value)),
        _ => false,
    }
}

/// Whether both ask that one reference be a constant, and not the same one.
fn are_exclusive(one: &Rule, other: &Rule) -> bool {
    if one.otherwise.is_some() || other.otherwise.is_some() {
        return false;
    }
    let (ours, theirs) = (asked(one), asked(other));
    ours.iter().any(|(name, value)| theirs.get(name).is_some_and(|other| compare(value, other).is_ne()))
}

/// References that the body wants to be constants, as they are written.
fn asked(rule: &Rule) -> HashMap<String, &Term> {
    let conjuncts = rule.body.iter().filter(|expr| is_equality(expr) && !expr.negated && expr.with.is_empty());
    let pairs: Vec<(&Term, &Term)> =
        conjuncts.filter_map(|expr| <&[Term; 2]>::try_from(operands(expr)).ok()).map(|[a, b]| (a, b)).collect();
    let both = || pairs.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
    let names: HashMap<&Var, String> = both().filter_map(|(name, value)| Some((name.as_var()?, reference(value)?))).collect();
    let named = |term: &Term| reference(term).or_else(|| names.get(term.as_var()?).cloned());
    both().filter(|(_, value)| is_constant(value)).filter_map(|(name, value)| Some((named(name)?, value))).collect()
}

fn reference(term: &Term) -> Option<String> {
    term.as_ref_parts().filter(|_| is_ground(term)).map(print::reference)
}

#[cfg(test)]
mod tests {
    use super::super::Text;
    use super::*;

    /// What two modules of one package may disagree about, and where.
    fn found(one: &str, other: &str) -> Vec<(String, Vec<(String, u32)>)> {
        let text = |name: &str, rules: &str| Text { name: name.into(), text: format!("package p\n{rules}\n"), version: None };
        let program = Program::compile(&[text("a.rego", one), text("b.rego", other)], &Default::default()).unwrap();
        let place = |place: Location| (place.file, place.row);
        let found = program.contradictions().into_iter();
        found.map(|found| (found.name, found.places.into_iter().map(place).collect())).collect()
    }

    #[test]
    fn rules_of_several_modules_with_other_values_are_found() {
        let cases = [
            ("x := 1", "x := 2", Some("data.p.x")),
            ("x := 1", "x := 1", None),
            ("x := {\"a\": [1]}", "x := {\"a\": [2]} if input.y", Some("data.p.x")),
            ("x if input.a", "x if input.b", None),
            ("x := input.a", "x := input.b", Some("data.p.x")),
            ("x := 1", "x := input.b", Some("data.p.x")),
            ("x := 1 if input.a else := 2", "x := 1", Some("data.p.x")),
            ("x := 1 if input.a\nx := 2 if input.b", "y := 1", None),
            ("default x := 1", "x := 2", None),
            (r#"x["a/b"] := 1"#, r#"x["a/b"] := 2"#, Some(r#"data.p.x["a/b"]"#)),
            (r#"x["a"] := 1"#, r#"x["b"] := 2"#, None),
            (r#"x["a"] := 1 if input.a"#, r#"x["a"] := y if some y in input.b"#, Some("data.p.x.a")),
            ("x contains 1", "x contains 2", None),
            ("f(_) := 1", "f(_) := 2", None),
            ("x[y] := 1 if some y in input.a", "x[y] := 2 if some y in input.b", None),
        ];
        for (one, other, name) in cases {
            let places = vec![("a.rego".to_owned(), 2), ("b.rego".to_owned(), 2)];
            let expected: Vec<_> = name.map(|name| (name.to_owned(), places)).into_iter().collect();
            assert_eq!(found(one, other), expected, "{one} | {other}");
        }
    }

    #[test]
    fn a_constant_that_only_one_of_them_asks_for_keeps_them_apart() {
        let cases = [
            (r#"x := 1 if input.kind == "A""#, r#"x := 2 if input.kind == "B""#, 0),
            (r#"x := 1 if "A" == input.kind"#, r#"x := 2 if { kind := input.kind; kind == "B" }"#, 0),
            (r#"x := 1 if input.kind == "A""#, r#"x := 2 if input.kind == "A""#, 1),
            (r#"x := 1 if input.kind == "A""#, r#"x := 2 if input.type == "B""#, 1),
            (r#"x := 1 if input.kind == "A""#, r#"x := 2 if not input.kind == "B""#, 1),
            (r#"x := 1 if input.kind == "A""#, r#"x := 2 if input.kind == "B" with input.kind as "B""#, 1),
            (r#"x := 1 if input.kinds[_] == "A""#, r#"x := 2 if input.kinds[_] == "B""#, 1),
            (r#"x := 1 if input.kind == "A" else := 3 if input.a"#, r#"x := 2 if input.kind == "B""#, 1),
        ];
        for (one, other, count) in cases {
            assert_eq!(found(one, other).len(), count, "{one} | {other}");
        }
    }

    #[test]
    fn each_module_is_named_once_by_its_first_rule() {
        let found = found("y := 1\nx := 1 if input.a\nx := 3 if input.c", "\n\nx := 2 if input.b");
        assert_eq!(found, [("data.p.x".to_owned(), vec![("a.rego".to_owned(), 3), ("b.rego".to_owned(), 4)])]);
    }

    #[test]
    fn what_is_found_is_in_the_order_of_paths() {
        let one = "y := 1\nx[true] := 1\nx[\"a\"] := 1\nx[10] := 1\nx[9] := 1\nx[null] := 1\nw.c := 1\nw.b := 1";
        let names: Vec<String> = found(one, &one.replace(":= 1", ":= 2")).into_iter().map(|(name, _)| name).collect();
        let sorted = ["w.b", "w.c", "x[null]", "x[true]", "x[9]", "x[10]", "x.a", "y"];
        assert_eq!(names, sorted.map(|name| format!("data.p.{name}")));
    }

    #[test]
    fn the_policies_of_this_repository_agree() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies");
        let files = ["lib", "placement"].into_iter().flat_map(|sub| std::fs::read_dir(folder.join(sub)).unwrap());
        let paths = files.map(|entry| entry.unwrap().path()).filter(|path| !path.to_string_lossy().ends_with("_test.rego"));
        let texts = paths.map(|path| Text {
            name: path.display().to_string(),
            text: std::fs::read_to_string(path).unwrap(),
            version: None,
        });
        let program = Program::compile(&texts.collect::<Vec<_>>(), &Default::default()).unwrap();
        assert_eq!(program.contradictions(), []);
    }
}
