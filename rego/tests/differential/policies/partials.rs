//! Rules that several modules make together.

/// Rules; all of v0, too.
pub(super) const RULES: &[&str] = &[
    "part0 contains <value> if { <condition> }",
    "part0 contains x if { some x in <array> }",
    "part1[k] := 1 if { some k in <array> }",
    "part1[<word>] := 1",
    "part2[k] := k if { <about k> }",
    "part2[k] := k if { some k in [\"eu\", <word>] }",
    "NAME := [part0, part1, part2]",
    "NAME := {x | some x in part0; not part1[x]}",
    "NAME := [part1[<word>], part2[\"eu\"]]",
    "NAME := {k | part2[k] == k; part1[k]}",
    "NAME := x if { x := part0 with data.limits as {\"eu\": <word>} }",
    "NAME := x if { x := part2 with <with> }",
    "NAME := data.place.part1",
    "NAME[k] := v if { some k, v in part1 }\n\nNAME[k] := v if { some k, v in part2; not part1[k] }",
    "NAME[k] := v if { some k in <array>; v := {\"k\": k} }\n\nNAME[<word>] := <value>",
];

/// With references as heads.
pub(super) const ONLY_V1: &[&str] = &[
    "part3.a.b := <word>",
    "part3.a[x] := <word> if { some x in [<word>, \"c\"] }",
    "part3[x].d := x if { some x in [\"e\", \"f\"] }",
    "part3.a.set contains <value>",
    "part4[x][y] := 1 if { some x in <array>; some y in [<word>] }",
    "part4.fixed.eu := 1",
    "part4[x] contains <word> if { some x in [\"s\", <word>] }",
    "part5[x] contains y if { some x in [\"eu\", \"us\"]; some y in <array> }",
    "part5.eu contains <word>",
    "part5[<word>] contains <word>",
    "NAME := part3.a",
    "NAME := [part3, part5]",
    "NAME := [part5.eu, part4.fixed]",
    "NAME := {x | some x, _ in part4}",
    "NAME := [k | part3[k].d]",
    "NAME := [[x, y] | part5[x][y]]",
    "NAME := x if { x := part3 with data.place.part3.a as <word> }",
    "NAME := x if { x := [part5.eu, part5] with data.place.part5 as {\"eu\": <word>} }",
    "NAME if { part3.a[<word>] == <word> }",
    "NAME := part5[<word>]",
    "NAME[1] := <word>\n\nNAME[x] := <word> if { some x in [1, 2] }",
    "NAME[\"a\"][x] := 1 if { some x in <array> }\n\nNAME[y].b := 2 if { some y in [\"c\", <word>] }\n\nNAME_of := [NAME.a, NAME[\"c\"]]",
    "NAME.x.y.z := <value>\n\nNAME.x[k] := <word> if { some k in [<word>] }\n\nNAME_of := NAME.x",
];
