//! Functions: of one package in two modules, of other packages by alias and whole path, hidden by locals.

use super::syntax::Syntax;

/// Rules.
pub(super) const RULES: &[&str] = &[
    "NAME contains y if { <binds x>; y := <function>(x) }",
    "NAME := [<function>(x) | <about x>]",
    "NAME := {x: y | <binds x>; y := <function>(x)}",
    "NAME := [shared(x) | some x in <list>]",
    "NAME contains of_both(x) if { <about x> }",
    "NAME := data.place.of_both(<value>)",
    "NAME := [data.lib.fleet.tier(c) | some c in data.fleet.clusters]",
    "NAME := {FLEET.tier(input), data.lib.fleet.helper(input), helper(input)}",
    "NAME if { known(x); x = <value> }",
    "NAME if { not known(<value>) }",
    "NAME if { not shared(<value>) == of_both(<value>) }",
    "NAME contains y if { shared(<value>, y); <tests y> }",
    "NAME contains x if { <binds x>; shared(<value>, [<word>, x]) }",
    "NAME if { not of_both(<value>, <value>) }",
    "NAME_of(x) := 1 if { <tests x> } else := 2\n\nNAME := [y | some y in [2, 1]; NAME_of(<value>, y)]",
    "NAME_of(x) := [x, 1] if { <tests x> } else := [2, x]\n\nNAME := [[x, y] | <binds x>; NAME_of(x, [y, 1])]",
    "default NAME_of(_) := <word>\n\nNAME_of(x) := <word> if { <tests x> }\n\nNAME contains y if { <binds y>; NAME_of(<value>, y) }",
    "NAME_of(x) := y if { <binds y> }\n\nNAME contains y if { <binds y>; NAME_of(<value>, y) }",
    "NAME_g(x) := 1 if { <tests x> } else := 2\n\nNAME_of(x) := [x, y] if { NAME_g(x, y) }\n\nNAME := [y | some y in [2, 1]; some x in <list>; NAME_of(x, [x, y])]",
    "NAME_of(_) := y if { <binds y>; shared(y) }\n\nNAME contains y if { <binds y>; NAME_of(<value>, y) }",
    "NAME_of(_) := y if { data.teams[y]; <tests y> }\n\nNAME contains y if { <binds y>; NAME_of(<value>, y) }",
    "NAME := first([known | known := <list>[_]; <tests known>])",
    "NAME := [helper | helper := <list>[_]; shared(helper)]",
    "NAME := [x | some shared in <list>; x := of_both(shared)]",
    "NAME_of(bad) := shared(bad) if { <tests bad> }\n\nNAME contains NAME_of(x) if { <binds x> }",
    "NAME_of(x, limits) := limits[x]\n\nNAME := [NAME_of(x, <object>) | <binds x>]",
    "NAME_of(xs) := [x | some x in xs; not <set>[x]]\n\nNAME := NAME_of(NAME_of(<array>))",
    "NAME_of(x) := y if { y := {z | <binds z>; z != x} }\n\nNAME := count(NAME_of(<value>) - NAME_of(<word>))",
    "NAME_a(x) := NAME_b(x) if { <tests x> }\n\nNAME_b(x) := shared(x) if { <tests x> }\n\nNAME := [NAME_a(x) | <binds x>]",
    "everyone contains <value> if { <condition> }",
    "everyone contains x if { <about x> }",
    "of_either(x) := 1 if { <tests x> }\n\nNAME := {of_either(x) | <binds x>}",
    "NAME := {x | some x in everyone; <tests x>}",
    "NAME if { count(by_team[<word>]) > 0 }",
    "NAME := object.get(by_team, <word>, <word>)[<word>]",
];

/// What the first module of the package has, and the second one reads.
pub(super) fn of_first(syntax: Syntax) -> String {
    syntax.rules(&[
        "bad contains w if { some w in [\"prod\", \"us\", 2]; input.kind == \"Job\" }",
        "bad contains w if { some w in data.teams.gold; w != input.metadata.labels.team }",
        "known(x) if { bad[x] }",
        "shared(x) := [\"first\", x] if { limits[x] }",
        "everyone contains w if { some w in input.spec.regions }",
        "of_either(x) := 1 if { x != \"eu\" }",
        "first(xs) := xs[0]",
        "mock(_) := \"mocked\"",
        "mock_of(x) := [x]",
        "mock_of_two(_, x) := x",
        "by_team[team] := {k: v | some k, v in limits; v != team} if { some team, _ in data.teams }",
    ])
}

/// What the second module has: `limits` is another document than in the first.
pub(super) fn of_second(syntax: Syntax) -> String {
    syntax.rules(&[
        "shared(x) := [\"second\", limits[x]] if { not data.limits[x] }",
        "of_both(x) := y if { y := {\"a\": shared(x), \"b\": known(x)} }",
        "of_both(x) := y if { not known(x); y := [shared(x)] }",
        "known(x) if { limits[x][_] == \"prod\" }",
        "private(x) := [y | some y in limits.gold; y != x]",
        "by_team[team] := {\"prod\": private(team)} if { team := input.metadata.labels.tier; not data.teams[team] }",
    ])
}
