//! `with` below `data` where what is stored and what is put lie beside each other: through arrays of base documents, scalars that give way to
//! objects, keys that are indices.

/// Rules.
pub(super) const RULES: &[&str] = &[
    "NAME := x if { x := [y | y := data.base<entry>] with <base> }",
    "NAME := x if { x := [y | y := data.base<entry>] with <base> with <base> }",
    "NAME := x if { x := [y | y := data.base[<key>][<member>]] with <base> }",
    "NAME := x if { x := [y | y := data.base[_][<one>]] with <base> with <base> }",
    "NAME := x if { x := [y | y := data.base[_][\"1\"]] with <base> }",
    "NAME := x if { x := [y | y := data.base.list[_]] with <base> }",
    "NAME := x if { x := [[k, y] | y := data.base.list[k]] with <base> with <base> }",
    "NAME := x if { x := [y | some k in [\"1\", 1, <member>]; y := data.base.obj[k]] with <base> }",
    "NAME_in := [y | y := data.base<entry>]\n\nNAME := x if { x := [NAME_in, data.base] with <base> }",
    "NAME_in := x if { x := [[y | y := data.base<entry>], data.base.a] with <base> }\n\nNAME := y if { y := [NAME_in, data.base] with <base> }",
    "NAME := x if { x := [y | y := object.get(data.base, [<key>, <member>], \"none\")] with <base> }",
    "NAME_in := 1 if { data.base.obj[1] == <item> }\n\nNAME_in := 1 if { data.base.obj[1] == 2 }\n\nNAME := [x | x := NAME_in with <base>]",
    "NAME := x if { x := [p | walk(data.base, [p, _])] with <base> with <base> }",
];
