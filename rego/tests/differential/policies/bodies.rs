//! Rules with several bodies, several definitions, chains, references as heads.

/// Rules.
pub(super) const RULES: &[&str] = &[
    "NAME contains x if { <about x> }\n\nNAME contains x if { <about x> }\n\nNAME contains <value> if { <condition> }",
    "NAME := 5 if { <condition> } { <condition> }",
    "NAME := x if { x := <word>; <condition>; <condition> } { x = <word>; <condition>; not <condition> }",
    "NAME if { <about x> } { <about x>; <condition> } { <condition> }",
    "NAME_of(x) := y if { <tests x>; y := 1 } { x == <word>; y := 1 }\n\nNAME contains NAME_of(x) if { <binds x> }",
    "NAME_of(x) if { <tests x> } { <tests x>; x != <word> }\n\nNAME contains x if { <binds x>; NAME_of(x) }",
    "NAME[k] := true if { <about k> } { <about k> }",
    "NAME[k] := v if { some k, v in <list>; <tests v> }",
    "NAME[k] := 1 if { <about k> }\n\nNAME[k] := 1 if { <about k> }",
    "NAME[<word>] := <word>\n\nNAME[k] := <word> if { k := <value>; <tests k> }",
    "NAME[k] if { <about k> }",
    "NAME if { <condition> } else := <value> if { <condition> } else := x if { <about x>; x == <word> } else := <value>",
    "NAME := x if { x := <value>; <tests x> } else := x if { x := <value>; <tests x> }",
    "default NAME := <word>\n\nNAME := x if { x := <value>; <tests x> }",
    "default NAME_of(_) := <word>\n\nNAME_of(x) := [x] if { <tests x> }\n\nNAME := [NAME_of(x) | <binds x>]",
    "default NAME_of(_, _) := <word>\n\nNAME_of(x, <word>) := [x] if { <tests x> }\n\nNAME := {NAME_of(x, <word>) | <about x>}",
    "NAME_of(x) := 1 if { <tests x> } else := 2 if { x = <word> } else := y if { <binds y>; y == x } else := x\n\nNAME := [NAME_of(x) | <binds x>]",
    "NAME := count(NAME_all)\n\nNAME_all contains x if { <about x> }\n\nNAME_all contains [x] if { <about x> }",
    "NAME_all[k] := [k] if { <about k> }\n\nNAME := {k | NAME_all[k]}\n\nNAME_one if { NAME_all[<word>] }\n\nNAME_no if { not NAME_all[<word>] }",
];

/// References as heads.
pub(super) const ONLY_V1: &[&str] = &[
    "NAME.a[x].b := 1 if { <about x> }\n\nNAME.c := <word>",
    "NAME[x][y] := true if { <binds x>; <binds y>; <tests y> }",
    "NAME.a[x] contains y if { <binds x>; <about y> }\n\nNAME.b contains <value>",
    "NAME[x].b contains y if { <about x>; <about y> }\n\nNAME_none if { not NAME[<word>].b }",
    "NAME[\"a b\"].c[x] := true if { <about x> }\n\nNAME_read contains k if { NAME[\"a b\"].c[k] }",
    "NAME.a if { <condition> }\n\nNAME.b := NAME.a\n\nNAME[\"c-d\"] := x if { <binds x>; x == <word> }",
    "NAME.of(x) := [x] if { <tests x> }\n\nNAME_of contains NAME.of(x) if { <binds x> }",
    "NAME[x] := [y | <about y>; y != x] if { <about x> }\n\nNAME_of := {k | some k, [_, _] in NAME}",
    "NAME[k][\"b\"] := v if { some k, v in {\"x\": <value>, \"y\": <value>}; <tests v> }\n\nNAME_of := [v | v := NAME[_].b]",
];
