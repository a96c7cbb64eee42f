//! Patterns on either side of equations, in `some`, in arguments.

/// Rules.
pub(super) const RULES: &[&str] = &[
    "NAME contains t if { <pattern t> = <object> }",
    "NAME contains t if { <object> = <pattern t>; <tests t> }",
    "NAME contains t if { <pattern t> := <object>; <tests t> }",
    "NAME contains t if { <tests t>; <pattern t> = <object> }",
    "NAME contains t if { some <pattern t> in [<object>, <value>, <object>] }",
    "NAME contains t if { some <pattern t> in input.spec.containers; <tests t> }",
    "NAME contains t if { some i, <pattern t> in [<object>, {\"tier\": \"prod\"}]; <tests i> }",
    "NAME := [t | <pattern t> = <object>]",
    "NAME := [t | some <pattern t> in [<object>, <object>]; <tests t>]",
    "NAME := {k: t | some k, <pattern t> in {\"a\": <object>, \"b\": <value>}}",
    "NAME := [t | <pattern t> = <list>[_]]",
    "NAME if { <pattern t> = <object>; not <set>[t] }",
    "NAME if { not {\"tier\": <word>} = <object> }",
    "NAME if { not <object> = {\"tier\": <word>, \"team\": _} }",
    "NAME if { t := <word>; <pattern t> = <object> }",
    "NAME if { every o in [<object>, <object>] { <pattern t> = o; <tests t> } }",
    "NAME := 1 if { <pattern t> = <object> } else := 2 if { <pattern t> = <object>; <tests t> }",
    "NAME if { [<pattern t>, x] = [<object>, <value>]; <tests x>; <tests t> }",
    "NAME contains [x, y] if { [x, <word>] = [<value>, y]; <tests x> }",
    "NAME_of(<pattern a>) := a\n\nNAME contains x if { x := NAME_of(<object>) }",
    "NAME_of(<pattern a>) := a if { <tests a> }\n\nNAME := {x | some o in [<object>, <value>]; x := NAME_of(o)}",
    "NAME_of(<pattern a>, b) := [a, b] if { <tests b> }\n\nNAME contains x if { <binds y>; x := NAME_of(<object>, y) }",
    "NAME_of(<word>, <pattern a>) := a\n\nNAME_of(<word>, <pattern a>) := [a]\n\nNAME := [NAME_of(x, <object>) | some x in <list>]",
    "NAME_same(x, x) if { <tests x> }\n\nNAME contains y if { <binds y>; NAME_same(y, <value>) }",
    "NAME_same([x, y], {\"k\": x}) := y\n\nNAME := NAME_same([<word>, <value>], {\"k\": <word>})",
    "NAME_of(x) := [x, 1]\n\nNAME contains y if { NAME_of(<value>, [y, _]); <tests y> }",
    "NAME_of(x) := {\"tier\": x}\n\nNAME contains y if { NAME_of(<value>, <pattern y>) }",
    "NAME_of(x) := {\"tier\": x, \"team\": 1}\n\nNAME contains y if { <pattern y> = NAME_of(<value>) }",
    "NAME contains {\"tier\": x} if { <about x> }",
    "NAME contains x if { NAME_all[{\"tier\": x}] }\n\nNAME_all contains {\"tier\": x, \"team\": 1} if { <about x> }\n\nNAME_all contains {\"tier\": <word>}",
    "NAME contains x if { some [x, <word>]; NAME_all[[x, _]] }\n\nNAME_all contains [x, 1] if { <about x> }",
    "NAME contains x if { NAME_all[[x, _]] }\n\nNAME_all contains [x, 1] if { <about x> }\n\nNAME_all contains [1, 2, 3]",
    "NAME contains x if { [x, _] = data.teams.gold; <tests x> }",
];

/// In braces as v1 has them.
pub(super) const ONLY_V1: &[&str] =
    &["NAME contains t if some <pattern t> in [<object>, <object>]", "NAME contains t if <pattern t> = <object>"];
