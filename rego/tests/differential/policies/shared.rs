//! Values that hold others several times, functions without operands, calls of `print`, deep `with`.

/// Rules.
pub(super) const RULES: &[&str] = &[
    "NAME_a := [<value>, <word>]\n\nNAME_b := [NAME_a, NAME_a]\n\nNAME_c := {\"x\": NAME_b, \"y\": NAME_b}\n\nNAME := [count(NAME_c), NAME_c == {\"x\": NAME_b, \"y\": NAME_b}, {NAME_b, NAME_c, NAME_b}]",
    "NAME_of(x) := [x, x]\n\nNAME := count(json.marshal(NAME_of(NAME_of(NAME_of(NAME_of(NAME_of(<value>)))))))",
    "NAME_of(x) := {\"a\": x, \"b\": x}\n\nNAME := NAME_of(NAME_of(NAME_of(<value>))).a.b.a",
    "NAME_of(x) := {\"a\": x, \"b\": [x]}\n\nNAME := NAME_of(NAME_of(<word>)) == NAME_of(NAME_of(<value>))",
    "NAME_of(x) := {x, [x]}\n\nNAME := {NAME_of(NAME_of(<word>)), NAME_of(<value>), NAME_of(<word>)}",
    "NAME_of(x) := [x, x]\n\nNAME := [p | walk(NAME_of(NAME_of(<word>)), [p, v]); v == <word>]",
    "NAME := x if { a := [<word>, <value>]; b := [a, a]; c := {\"k\": b, \"l\": b}; x := object.union(c, {\"m\": c}) }",
    "NAME := x if { a := <list>; b := {\"p\": a, \"q\": a}; x := [b.p == b.q, b] }",
    "NAME := x if { a := {<word>, <value>}; b := {a, {a}}; x := [b, a in b, count(b)] }",
];

/// Calls of `print`.
pub(super) const PRINTS: &[&str] = &[
    "NAME contains x if { <binds x>; print(\"bound\", x); <tests x> }",
    "NAME := [x | <binds x>; print(x)]",
    "NAME if { print(<value>, <list>); <condition>; print(\"end\") }",
    "NAME_of(x) := [x] if { print(\"of\", x) }\n\nNAME := {NAME_of(x) | <binds x>}",
    "NAME_of(x) := [x] if { print(\"of\", x) }\n\nNAME := [NAME_of(<value>), NAME_of(<value>)]",
    "NAME if { every x in <list> { print(\"each\", x); <tests x> } }",
    "NAME := 1 if { print(\"one\"); <condition> } else := 2 if { print(\"two\"); <condition> } else := 3",
    "NAME := <word> if { print(\"first\"); <condition> }\n\nNAME := <word> if { print(\"second\"); <condition> }",
    "NAME contains <value> if { print(\"in\"); <condition> }\n\nNAME contains <word> if { print(\"out\") }\n\nNAME_one if { NAME[<word>] }",
    "NAME[k] := 1 if { some k in <array>; print(k) }\n\nNAME_one := [NAME.eu, NAME[<word>], NAME]",
    "NAME := x if { x := NAME_one with <with>; print(x) }\n\nNAME_one := <value> if { print(\"asked\") }",
    "NAME := {x: y | some x in <array>; y := [z | some z in <list>; print(x, z)]}",
    "NAME if { not NAME_no; print(\"not\") }\n\nNAME_no if { print(\"no\"); <condition> }",
    "NAME if { <condition>; print(<value>, 1 / <number>, {<word>, <value>}) }",
];

/// Functions without operands, and what `with` puts into the middle of documents.
pub(super) const ONLY_V1: &[&str] = &[
    "NAME_of() := <value>\n\nNAME := [NAME_of(), NAME_of()]",
    "NAME_of() := <word> if { <condition> }\n\nNAME if { NAME_of() == <word> }",
    "NAME_of() := <value>\n\nNAME := x if { x := NAME_of() with <with> }",
    "NAME_of() if { <condition> }\n\nNAME if { not NAME_of() }",
    "NAME_of() := {x | <about x>}\n\nNAME := [x | some x in NAME_of()]",
    "NAME := x if { x := [NAME_a, NAME_b] with data.place.NAME_a as <word> }\n\nNAME_a := <value>\n\nNAME_b := [NAME_a, <value>]",
    "NAME := x if { x := [NAME_a, NAME_b] with data.place.NAME_a.eu as <word> }\n\nNAME_a[k] := 1 if { some k in <array> }\n\nNAME_b := {k | NAME_a[k]}",
    "NAME := x if { x := [data.fleet, data.fleet.clusters.c1.spec] with data.fleet.clusters.c1.spec.region as <value> }",
    "NAME := x if { x := [data.limits, FLEET.ready] with data.limits.eu as {\"a\": <word>} with data.fleet.clusters.c0.status as {\"ready\": true} }",
    "NAME := x if { x := NAME_a with input.metadata.labels[\"tier\"] as <word> with input.spec as {\"replicas\": <digits>} }\n\nNAME_a := [input, <value>]",
    "NAME := x if { x := NAME_a with input as object.union({\"kind\": <word>}, {\"spec\": {\"regions\": <array>}}) }\n\nNAME_a := [input.kind, <list>]",
    "NAME := x if { x := NAME_a with data.limits as {k: v | some k, v in <object>} }\n\nNAME_a := [limits, data.limits]",
    "NAME := x if { x := NAME_a with input.kind as NAME_b with data.limits as {\"eu\": input.kind} }\n\nNAME_a := [input.kind, data.limits]\n\nNAME_b := <value>",
    "NAME := x if { x := NAME_a with NAME_of as NAME_in }\n\nNAME_of(x) := [x]\n\nNAME_in(x) := {\"in\": NAME_of(x)}\n\nNAME_a := NAME_of(<value>)",
    "NAME := x if { x := NAME_a with count as NAME_in }\n\nNAME_in(x) := [\"counted\", count(x)]\n\nNAME_a := [count(<list>), count([1])]",
    "NAME := x if { x := NAME_a with upper as lower with lower as \"x\" }\n\nNAME_a := [upper(<word>), lower(\"A\")]",
    "NAME := x if { x := NAME_a with data.place.NAME_of as 7 }\n\nNAME_of(x) := [x]\n\nNAME_a := y if { y := [NAME_of(1), <value>] with input.kind as <word> }",
    "NAME := [x, y] if { x := NAME_a with input.kind as \"a\"; y := NAME_a with input.kind as \"b\" }\n\nNAME_a := [input.kind, <value>]",
    "NAME := [x, NAME_a] if { x := NAME_a with data.limits.eu as 5 }\n\nNAME_a := [data.limits, {k | limits[k]}]",
    "NAME := {k: v | some k in <array>; v := NAME_a with input.kind as k}\n\nNAME_a := [input.kind]",
    "NAME := [v | some k in <array>; v := NAME_of(k) with data.limits as {k: 1}]\n\nNAME_of(x) := data.limits[x]",
];
