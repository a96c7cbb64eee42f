//! What is negated, before and behind what binds its variables.

/// Rules.
pub(super) const RULES: &[&str] = &[
    "NAME contains x if { <about x> }",
    "NAME contains x if { <about x> }",
    "NAME contains x if { not <set>[x]; <binds x> }",
    "NAME contains x if { not <function>(x); <binds x> }",
    "NAME contains [x, y] if { not <set>[x]; <binds y>; x = y; <tests y> }",
    "NAME := [x | <about x>]",
    "NAME := {x | <about x>}",
    "NAME := [x | not <set>[x]; <binds x>]",
    "NAME := {x: ys | <binds x>; ys := [y | <about y>; y != x]}",
    "NAME if { <about x> }",
    "NAME if { not <set>[x]; x = <value> }",
    "NAME if { not NAME_not }\n\nNAME_not if { <about x> }",
    "NAME[x] := true if { <about x> }",
    "NAME := 1 if { <about x> } else := 2 if { <about x> } else := 3",
    "NAME_of(v) if { x = v; <tests x> }\n\nNAME contains v if { <binds v>; not NAME_of(v) }",
    "NAME_of(v) := [x | x = v; <tests x>]\n\nNAME contains NAME_of(v) if { <binds v>; <tests v> }",
    "NAME_of(v) if { <tests x>; x = v }\n\nNAME contains v if { not NAME_of(v); <binds v> }",
    "NAME := y if { y := count([x | <about x>]) }",
    "NAME if { xs := {x | <about x>}; not xs[<word>]; <condition> }",
];
