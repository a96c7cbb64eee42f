//! `every`.

/// Rules.
pub(super) const RULES: &[&str] = &[
    "NAME if { every x in <list> { x = <value> } }",
    "NAME if { every x in <list> { x = <word> } }",
    "NAME if { every x in <list> { <tests x> } }",
    "NAME if { every x in <list> { <tests x>; <tests x> } }",
    "NAME if { every k, v in <list> { k = <word>; v = <value> } }",
    "NAME if { every k, v in <list> { <tests k>; <tests v> } }",
    "NAME if { every x in <list> { every y in <list> { x != y } } }",
    "NAME if { every x in <list> { every k, y in <list> { k != x; <tests y> } } }",
    "NAME if { every x in <list> { not <set>[x] } }",
    "NAME if { every x in <list> { some y in <list>; x == y } }",
    "NAME if { every x in <list> { y := <function>(x); <tests y> } }",
    "NAME if { every x in <list> { <binds y>; <tests y>; y != x } }",
    "NAME if { every x in <list> { count([y | <about y>; y == x]) <= 1 } }",
    "NAME if { every x in <list> { <tests x> with <with> } }",
    "NAME if { every x in <list> { <tests x> } with <with> }",
    "NAME contains x if { <binds x>; every y in <list> { <tests y>; y != x } }",
    "NAME contains x if { every y in <list> { y != x }; <binds x> }",
    "NAME contains x if { every y in <list> { y = <value>; <tests x> }; <binds x> }",
    "NAME := [x | <binds x>; every y in <list> { y != x; <tests y> }]",
    "NAME := {x | <binds x>; every k, y in <list> { not <set>[k]; y = x }}",
    "NAME_each(xs, x) if { every y in xs { y != x; <tests y> } }\n\nNAME contains x if { <binds x>; NAME_each(<list>, x) }",
    "NAME if { xs := <list>; every x in xs { <tests x> } } else := <word> if { every x in <list> { x = <word> } }",
];
