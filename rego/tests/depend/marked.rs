//! What rules depend on, wherever in a rule it stands.

use plimsoll_rego::depend::Dependence::{self, Constant, Data, Input};
use plimsoll_rego::depend::{Dependencies, Mark};
use plimsoll_rego::ir::GroupId;

use super::set::compiled;

/// Rules beside `r`.
const OTHERS: &str = "\
    import future.keywords.and\n\n\
    import future.keywords.not\n\n\
    import future.keywords.or\n\n\
    known := {\"a\": [1, 2], \"b\": 3}\n\n\
    of_input := input.y\n\n\
    of_data := data.y\n\n\
    f(x) := [x, input.y]\n\n\
    g(x) := [x, data.y]\n\n\
    h(x) := [x]\n\n\
    t.u := 1\n\n\
    t.v := input.y\n\n\
    t.w := data.y\n\n";

/// Rules, and what `data.p.r` depends on.
const RULES: [(&str, Dependence); 49] = [
    ("r := [1, input.x]", Input),
    ("r := {1, input.x}", Input),
    ("r := {\"k\": input.x}", Input),
    ("r := {input.x: 1}", Input),
    ("r := [1, {\"k\": [data.x]}]", Data),
    ("r := [x | x := input.x]", Input),
    ("r := {x | x := data.x}", Data),
    ("r := [input.x | true]", Input),
    ("r := {input.x: 1 | true}", Input),
    ("r := {1: input.x | true}", Input),
    ("r := {x: 1 | some x in data.x}", Data),
    ("r := known[input.x]", Input),
    ("r := known.a[data.x]", Data),
    ("r := known.a[_]", Constant),
    ("r := [1, 2][input.x]", Input),
    ("r if { {\"a\": input.x, \"b\": y} = known; y }", Input),
    ("r if { {\"a\": [data.x, y], \"b\": 3} = known; y }", Data),
    ("r if { [y, input.x] = known.a; y }", Input),
    ("r if { some k; known[k][input.x] }", Input),
    ("r if { known[[1, data.x][_]] }", Data),
    ("r if input.x in known", Input),
    ("r if not data.x", Data),
    ("r if not { y := input.x; y == 1 }", Input),
    ("r if every y in input.x { y }", Input),
    ("r if every y in known { y == data.x }", Data),
    ("r if every y in known.a { y > 0 }", Constant),
    ("r if input.x and data.x", Input),
    ("r if data.x and input.x", Input),
    ("r if input.x or data.x", Input),
    ("r if data.x or input.x", Input),
    ("r if known or { data.x }", Data),
    ("r := f(1)", Input),
    ("r := g(1)", Data),
    ("r := h(1)", Constant),
    ("r := h(input.x)", Input),
    ("r if h(data.x, y)", Data),
    ("r := count(input.x)", Input),
    ("r := y if y := of_input with input as 1", Constant),
    ("r := y if y := of_input with input as data.x", Data),
    ("r := y if y := of_input with input.y as 1", Input),
    ("r := y if y := of_data with data.y as 1", Data),
    ("r := y if y := h(1) with h as f", Input),
    ("r := y if y := h(1) with h as data.x", Data),
    ("r := 1 if known.b == 4 else := input.x", Input),
    ("r[input.x] := 1", Input),
    ("r contains data.x", Data),
    ("r.k[y] := 1 if some y in input.x", Input),
    ("r := t", Input),
    ("r := data.p.t.w", Data),
];

/// The mark of `data.p.r`.
fn mark(rules: &str) -> Mark {
    let program = compiled(&[&format!("package p\n\n{OTHERS}{rules}")]).unwrap_or_else(|errors| panic!("{rules}: {errors}"));
    let mut groups = program.policy().groups.iter();
    let index = groups.position(|group| group.name.starts_with("data.p.r")).unwrap();
    Dependencies::of(program.policy()).mark(GroupId(u32::try_from(index).unwrap()))
}

#[test]
fn rules_depend_on_what_stands_anywhere_in_them() {
    for (rules, dependence) in RULES {
        assert_eq!(mark(rules).dependence(), dependence, "{rules}");
    }
}

/// What stands in a head is evaluated in the body.
#[test]
fn so_do_their_bodies() {
    for (rules, dependence) in RULES {
        let program = compiled(&[&format!("package p\n\n{OTHERS}{rules}")]).unwrap_or_else(|errors| panic!("{rules}: {errors}"));
        let policy = program.policy();
        let dependencies = Dependencies::of(policy);
        let group = policy.groups.iter().find(|group| group.name.starts_with("data.p.r")).unwrap();
        let branches = group.rules.iter().flat_map(|rule| std::iter::once(rule).chain(&rule.otherwise));
        let bodies = branches.flat_map(|branch| branch.definitions.iter()).map(|definition| &definition.body);
        let mark = bodies.fold(Mark::default(), |all, body| all.or(dependencies.marks().block(policy, body)));
        assert_eq!(mark.dependence(), dependence, "{rules}");
    }
}

#[test]
fn rules_depend_on_the_clock_wherever_it_is_asked() {
    for value in
        ["[time.now_ns()]", "{\"k\": time.now_ns()}", "[y | y := time.now_ns()]", "h(time.now_ns())", "[1][time.now_ns()]"]
    {
        assert!(mark(&format!("r := {value}")).clock, "{value}");
        assert!(!mark(&format!("r := {value}")).is_repeatable(), "{value}");
    }
}
