//! What is found.

use plimsoll_rego::depend::{Dependence, Dependencies, Root};
use plimsoll_rego::ir::GroupId;

use super::json;
use super::set::{causes, compiled, reads, shown};

/// What `data.p.r` reads where the rules are these.
pub(super) fn read(rules: &str) -> Vec<String> {
    let program =
        compiled(&[&format!("package p\n\nimport future.keywords.and\n\nimport future.keywords.or\n\n{rules}")]).unwrap();
    shown(&reads(&program, "data.p.r"))
}

macro_rules! reads {
    ($($name:ident: $rules:expr => $expected:expr;)+) => {
        $(#[test]
        fn $name() {
            let expected: &[&str] = &$expected;
            assert_eq!(read($rules), expected);
        })+
    };
}

reads! {
    a_value_that_is_answered: "r := input.a.b" => ["input.a.b whole"];
    existence: "r if input.a.b" => ["input.a.b kind"];
    a_set_that_a_constant_decides: "r contains 1 if input.x == true" => ["input.x kind"];
    an_object_that_null_decides: "r[k] := 1 if { some k in [\"x\"]; input.x == null }" => ["input.x kind"];
    negation: "r if not input.a.b" => ["input.a.b kind"];
    a_comparison_with_a_scalar: "r if input.a == \"x\"" => ["input.a scalar"];
    a_comparison_with_null: "r if input.a != null" => ["input.a kind"];
    a_comparison_with_nothing_inside: "r if input.a == {}" => ["input.a keys"];
    a_comparison_with_one_of_some: "t := {\"x\": \"s\", \"y\": {}}\n\nr if input.a == t[input.k]" => ["input.a keys", "input.k whole"];
    a_comparison_with_one_of_some_that_hold_something: "t := {\"x\": \"s\", \"y\": {\"z\": 1}}\n\nr if input.a == t[input.k]"
        => ["input.a whole", "input.k whole"];
    an_order_of_one_of_some: "t := {\"x\": null, \"y\": []}\n\nr if input.a < t[input.k]" => ["input.a whole", "input.k whole"];
    a_comparison_of_two: "r if input.a == input.b" => ["input.a whole", "input.b whole"];
    a_variable: "r if { x := input.a; y := x.b; y.c == 1 }" => ["input.a kind", "input.a.b kind", "input.a.b.c scalar"];
    a_variable_that_nobody_looks_at: "r := x.b if { x := {\"a\": input.a, \"b\": input.b} }" => ["input.a kind", "input.b whole"];
    a_key_that_is_read: "r := input.m[input.k]" => ["input.k whole", "input.m[_] whole"];
    a_key_of_a_constant: "t := {\"x\": \"a\", \"y\": \"b\"}\n\nr := input.m[t[input.k]]"
        => ["input.k whole", "input.m.a whole", "input.m.b whole"];
    keys_of_a_constant: "r contains input.m[k] if { some k, _ in {\"x\": 1, \"y\": 2} }" => ["input.m.x whole", "input.m.y whole"];
    a_member_of_rules_with_one_key_and_with_two: "t[k] := {\"q\": input.q} if some k in [\"x\"]\n\nt[k][j] := input.m[j] if { some k in [\"y\"]; some j in [\"c\", \"d\"] }\n\nr := t.y.c"
        => ["input.m.c whole"];
    members_that_are_keys: "t contains k if { some k in {\"x\", \"y\"}; input.b }\n\nr contains input.m[k] if { t[k] }"
        => ["input.b kind", "input.m.x whole", "input.m.y whole"];
    objects_of_one_shape_that_are_merged: "r if object.union({k: {\"z\": v} | some k, v in input.xs}, {k: {\"z\": v} | some k, v in input.xs}).a.z.y.v == 1"
        => ["input.xs keys", "input.xs[_] kind", "input.xs[_].y kind", "input.xs[_].y.v scalar"];
    iteration: "r if { some x in input.xs; x.a == 1 }" => ["input.xs keys", "input.xs[_] kind", "input.xs[_].a scalar"];
    iteration_over_keys: "r contains k if { some k, _ in data.xs }" => ["data.xs keys", "data.xs[_] kind"];
    all_members: "r if { every x in input.xs { x.a > 1 } }" => ["input.xs keys", "input.xs[_].a scalar"];
    membership: "r if \"x\" in input.xs" => ["input.xs keys", "input.xs[_] scalar"];
    a_relation_called_instead_of_a_function: "f(x) := [[], x]\n\ng(x) := input.y[k] if { [_, k] = f(x) with f as walk }\n\nr if g([1]).z"
        => ["input.y[_] whole"];
    a_relation_called_inside: "f(x) := [[], x]\n\ng(x) := input.y[k] if { [_, k] = f(x) }\n\nr if { g([1]).z with f as walk }"
        => ["input.y[_] whole"];
    count: "r if count(input.xs) > 1" => ["input.xs keys"];
    types: "r if is_object(input.a)" => ["input.a kind"];
    keys: "r := object.keys(input.a)" => ["input.a keys"];
    a_builtin: "r := json.marshal(input.a)" => ["input.a whole"];
    object_get: "r := object.get(input.a, \"k\", 1)" => ["input.a kind", "input.a.k whole"];
    object_get_that_is_tested: "r if object.get(input, \"a\", false)" => ["input kind", "input.a kind"];
    an_operand_that_is_tested: "f(x) if x\n\nr if f(object.get(input, \"a\", 1))" => ["input kind", "input.a kind"];
    object_get_of_a_path: "r := object.get(input, [\"a\", \"b\"], {}).c" => ["input kind", "input.a.b kind", "input.a.b.c whole"];
    object_get_of_a_scalar_that_is_computed: "r := object.get(input.m, lower(input.k), 1).x"
        => ["input.k whole", "input.m kind", "input.m[_] kind", "input.m[_].x whole"];
    json_filter: "r := json.filter(input, [\"a/b\", \"c\"])" => ["input scalar", "input.a scalar", "input.a.b whole", "input.c whole"];
    json_filter_of_lists: "r := json.filter(input, [[\"a\", \"b\"], \"c\"])"
        => ["input scalar", "input.a scalar", "input.a.b whole", "input.c whole"];
    json_filter_of_a_set: "r := json.filter(input.o, {[\"a\", \"b\"], \"c\"})"
        => ["input.o scalar", "input.o.a scalar", "input.o.a.b whole", "input.o.c whole"];
    json_filter_of_items: "r := json.filter(input, [[\"a\", 0, \"b\"], \"c/0\"])"
        => ["input scalar", "input.a scalar", "input.a[0] scalar", "input.a[0].b whole", "input.c scalar", "input.c[0] whole", "input.c[\"0\"] whole"];
    json_filter_of_escaped_names: "r := json.filter(input, [\"/a~1b/c~0d\"])"
        => ["input scalar", "input[\"a/b\"] scalar", "input[\"a/b\"][\"c~d\"] whole"];
    json_filter_of_an_empty_path: "r := json.filter(input, [\"a\", []])" => ["input whole"];
    json_filter_of_no_path: "r := json.filter(object.get(input, \"a\", {}), [])" => ["input kind", "input.a kind"];
    json_filter_of_no_path_of_members: "r if every x in input.xs { json.filter(x, []) == {} }"
        => ["input.xs keys", "input.xs[_] kind"];
    json_filter_of_paths_that_are_not_known: "r := json.filter(input.a, input.b)" => ["input.a whole", "input.b whole"];
    object_filter_of_members: "r if every x in input.xs { object.filter(x, []) == {} }" => ["input.xs keys", "input.xs[_] kind"];
    object_filter_by_a_list: "r := object.filter(input.o, [\"a\", \"b\"])"
        => ["input.o kind", "input.o.a whole", "input.o.b whole"];
    object_filter_by_an_object: "r := object.filter(input.o, {\"a\": 1, \"b\": 2})"
        => ["input.o kind", "input.o.a whole", "input.o.b whole"];
    object_remove_by_an_object: "r := object.remove(input.o, {\"a\": 1}).b" => ["input.o kind", "input.o.b whole"];
    object_remove_of_what_is_asked_for: "r := object.remove(input.o, [\"a\"]).a" => ["input.o kind"];
    object_get_of_members: "r if every x in input.xs { object.get(x, \"k\", 1) == 1 }"
        => ["input.xs keys", "input.xs[_] kind", "input.xs[_].k scalar"];
    object_keys_of_members: "r if every x in input.xs { object.keys(x) == set() }" => ["input.xs keys", "input.xs[_] keys"];
    object_remove_of_members: "r if every x in input.xs { object.remove(x, [\"k\"]).a == 1 }"
        => ["input.xs keys", "input.xs[_] kind", "input.xs[_].a scalar"];
    object_union_of_members: "r if every x in input.xs { object.union(x, {\"k\": 1}).k == 1 }"
        => ["input.xs keys", "input.xs[_] kind", "input.xs[_].k scalar"];
    a_list_that_is_known: "r := object.get(input, p, 1) if { k := \"a\"; p := [k, \"b\"] }" => ["input kind", "input.a.b whole"];
    a_list_of_lists_that_is_known: "r := json.filter(input.o, [p]) if { k := \"a\"; p := [k, \"b\"] }"
        => ["input.o scalar", "input.o.a scalar", "input.o.a.b whole"];
    a_list_of_which_one_is_not_known: "r := object.get(input, p, 1) if { k := input.k; p := [k, \"b\"] }" => ["input whole"];
    a_list_that_is_a_key: "r := input.m[p] if { k := 1; p := [k] }" => ["input.m[[1]] whole"];
    a_set_that_is_known: "r := object.filter(input.o, {k}) if k := \"a\"" => ["input.o kind", "input.o.a whole"];
    a_set_that_is_known_to_be_removed: "r := object.remove(input.o, {k}).b if k := \"a\"" => ["input.o kind", "input.o.b whole"];
    a_set_of_which_one_is_not_known: "r := object.filter(input.o, {k, input.k}) if k := \"a\""
        => ["input.k whole", "input.o whole"];
    an_operand_in_a_list: "f(k) := object.filter(input.o, [k, \"b\"])\n\nr := f(\"a\")"
        => ["input.o kind", "input.o.a whole", "input.o.b whole"];
    object_union: "r := object.union(input.a, {\"x\": 1}).y" => ["input.a kind", "input.a.y whole"];
    array_concat: "r if { some x in array.concat(input.a, input.b); x.c }"
        => ["input.a keys", "input.a[_] kind", "input.a[_].c kind", "input.b keys", "input.b[_] kind", "input.b[_].c kind"];
    a_function: "f(o, k) := o[k]\n\nr := [f(input.a, \"x\"), f(data.b, \"y\")]" => ["input.a kind", "input.a.x whole", "data.b kind", "data.b.y whole"];
    functions_in_functions: "get(o, k) := o[k]\n\nr := get(get(get(input, \"a\"), \"b\"), \"c\")"
        => ["input kind", "input.a kind", "input.a.b kind", "input.a.b.c whole"];
    a_function_by_constant_operands: "f(\"x\", o) := o.x\n\nf(\"y\", o) := o.y\n\nr := f(\"x\", input.a)" => ["input.a kind", "input.a.x whole"];
    a_partial_object: "all[k] := {\"a\": x.a, \"b\": object.get(x, \"b\", 1)} if some k, x in data.xs\n\nr := {k | some k, x in all; x.a}"
        => ["data.xs keys", "data.xs[_] kind", "data.xs[_].a kind"];
    a_partial_object_at_a_key: "all[k] := x if some k, x in input.m\n\nr := all.a.b"
        => ["input.m.a kind", "input.m.a.b whole"];
    keys_that_may_come_twice: "all[x.k] := x if some x in data.xs\n\nr if all.a" => ["data.xs keys", "data.xs[_] whole"];
    a_pattern: "r := x if { [_, {\"a\": x, \"b\": _}] = input.xs }"
        => ["input.xs keys", "input.xs[0] kind", "input.xs[1] keys", "input.xs[1].a whole", "input.xs[1].b kind"];
    other_input: "t := input.a.x\n\nr := x if x := t with input.a as {\"x\": input.b}" => ["input kind", "input.b whole"];
    all_of_other_input: "t := input.a\n\nr := x if x := t with input as {\"a\": 1}" => [];
    other_data: "t := data.a\n\nr := x if x := [t, data.b] with data.a as input.a" => ["input.a whole", "data kind", "data.a whole", "data.b whole"];
    another_rule: "t := input.a\n\nr := x if x := t with data.p.t as input.b"
        => ["input.b whole", "data kind", "data.p kind", "data.p.t whole"];
    another_rule_behind_a_rule: "t := input.a\n\nu := t\n\nr := x if x := u with data.p.t as input.b"
        => ["input.b whole", "data kind", "data.p kind", "data.p.t whole"];
    another_partial_object: "t[k] := x if some k, x in input.m\n\nr := x if x := t.a with data.p.t as {\"a\": input.b}"
        => ["input.b whole", "data kind", "data.p kind", "data.p.t whole"];
    two_other_rules: "t := input.a\n\nu := input.c\n\nr := x if x := [t, u] with data.p.t as input.b with data.p.u as 1"
        => ["input.b whole", "data kind", "data.p kind", "data.p.t whole", "data.p.u whole"];
    another_rule_below_another_one: "t := input.a\n\nu := y if y := [t, v] with data.p.v as 1\n\nv := input.c\n\nr := x if x := u with data.p.t as input.b"
        => ["input.b whole", "data kind", "data.p kind", "data.p.t whole", "data.p.v whole"];
    all_rules_of_which_the_first_is_another: "t.a := input.a\n\nt.b := input.b\n\nt.c := input.c\n\nr := x if x := t with data.p.t.a as data.x"
        => ["input.b whole", "input.c whole", "data kind", "data.p kind", "data.p.t whole", "data.x whole"];
    all_rules_of_which_one_between_is_another: "t.a := input.a\n\nt.b := input.b\n\nt.c := input.c\n\nr := x if x := t with data.p.t.b as 1"
        => ["input.a whole", "input.c whole", "data kind", "data.p kind", "data.p.t whole"];
    all_rules_of_which_some_are_others: "t.a.x := input.a\n\nt.b := input.b\n\nr := x if x := t with data.p.t.a as 1"
        => ["input.b whole", "data kind", "data.p kind", "data.p.t whole"];
    all_rules_of_which_one_below_is_another: "t.a.x := input.a\n\nt.a.y := input.d\n\nt.b := input.b\n\nr := x if x := t with data.p.t.a.x as 1"
        => ["input.b whole", "input.d whole", "data kind", "data.p kind", "data.p.t whole"];
    each_rule_of_which_one_is_another: "t.a := input.a\n\nt.b := input.b\n\nr := k if { some k, _ in t with data.p.t.a as 1 }"
        => ["input.b kind", "data kind", "data.p kind", "data.p.t keys", "data.p.t.a whole", "data.p.t[_] kind"];
    other_rules_by_a_key: "t.a := input.a\n\nt.b := input.b\n\nr := x if x := t[input.k] with data.p.t.a as 1"
        => ["input.b whole", "input.k whole", "data kind", "data.p kind", "data.p.t kind", "data.p.t[_] whole"];
    another_function: "f(o) := o.a\n\ng(o) := o.b\n\nr := x if x := f(input) with data.p.f as g" => ["input kind", "input.b whole"];
    a_value_in_the_place_of_a_function: "f(o) := o.a\n\nr := x if x := f(input) with f as input.b"
        => ["input kind", "input.b whole"];
    other_input_that_never_is: "u := 1 if false\n\nr := input.b if { input.c with input as u }" => [];
    other_data_that_never_is: "u := 1 if false\n\nr := input.b if { input.c with data.x as u }" => [];
    another_function_that_never_is: "f(o) := o\n\nu := 1 if false\n\nr := input.b if { x := f(input.c) with f as u }" => ["input.c kind"];
    another_function_that_nobody_asks_for: "f(o) := o\n\nu := input.d\n\nr := input.b if { f(input.c) with f as u }"
        => ["input.b whole", "input.c kind"];
    a_function_that_calls_what_it_is_called_for: "f(x) := x.a\n\ng(x) := f(x)\n\nr := y if { y := f(input) with f as g }"
        => ["input kind", "input.a whole"];
    a_function_that_is_called_for_another_one_and_itself: "f(x) := x.a\n\ng(x) := x.b\n\nr := y if { y := [f(input), g(input)] with f as g }"
        => ["input kind", "input.b whole"];
    several_rules_on_both_sides_of_a_function: "f(_) := 1\n\ng(_) := [t, u, v]\n\nt := input.t.x\n\nu := input.u.x\n\nv := input.v.x\n\nr := y if { y := [t, u, v, f(1)] with data.p.f as data.p.g }"
        => ["input.t.x whole", "input.u.x whole", "input.v.x whole"];
    a_rule_in_the_place_of_a_function: "f(o) := o\n\nu := input.d\n\nr := x if { x := f(1) with f as u with input as {\"d\": data.d} }"
        => ["data.d whole"];
    other_input_at_a_path: "t := [input.a.b, input.a.d]\n\nr := x if x := t with input.a.b as data.c"
        => ["input kind", "input.a kind", "input.a.d whole", "data.c whole"];
    other_input_around_a_path: "t := input.a\n\nr := x if x := t with input.a.b as data.c"
        => ["input kind", "input.a whole", "data.c whole"];
    other_documents: "t := [input.a, data.a]\n\nr := x if x := t with input as data.i with data.a as input.d"
        => ["input.d whole", "data kind", "data.a whole", "data.i kind", "data.i.a whole"];
    a_comprehension: "r := [y | x := data.xs[_]; x.a == input.a; y := x.b]"
        => ["input.a whole", "data.xs keys", "data.xs[_] kind", "data.xs[_].a whole", "data.xs[_].b whole"];
    two_values: "r := input.a\n\nr := input.b" => ["input.a whole", "input.b whole"];
    values_that_exclude_each_other: "g if input.review\n\no := input if not g\n\no := input.review.object if g\n\nr := o.kind"
        => ["input kind", "input.kind whole", "input.review kind", "input.review.object kind", "input.review.object.kind whole"];
    values_that_documents_tell_apart: "o := input.a if input.k\n\no := input.b if not input.k\n\nr := o.kind"
        => ["input.a kind", "input.a.kind whole", "input.b kind", "input.b.kind whole", "input.k kind"];
    values_of_which_both_may_be: "o := input.a if input.k\n\no := input.b if not input.l\n\nr := o.kind"
        => ["input.a whole", "input.b whole", "input.k kind", "input.l kind"];
    values_that_two_documents_test: "o := input.a if input.k\n\no := input.b if not data.k\n\nr := o.kind"
        => ["input.a whole", "input.b whole", "input.k kind", "data.k kind"];
    values_that_base_documents_tell_apart: "o := input.a if data.k\n\no := input.b if not data.k\n\nr := o.kind"
        => ["input.a kind", "input.a.kind whole", "input.b kind", "input.b.kind whole", "data.k kind"];
    values_of_which_one_tests_what_is_inside: "o := input.a if input.k\n\no := input.b if not input.k.l\n\nr := o.kind"
        => ["input.a whole", "input.b whole", "input.k kind", "input.k.l kind"];
    values_that_members_test: "o := input.a if input.k.l\n\no := input.b if not input.k.m\n\nr := o.kind"
        => ["input.a whole", "input.b whole", "input.k.l kind", "input.k.m kind"];
    values_that_a_comparison_tests: "o := input.a if input.k == 1\n\no := input.b if not input.k == 1\n\nr := o.kind"
        => ["input.a whole", "input.b whole", "input.k scalar"];
    values_of_which_not_all_are_told_apart: "o := input.a if input.k\n\no := input.b if { not input.k; input.l }\n\no := input.c if { not input.k; input.m }\n\nr := o.kind"
        => ["input.a whole", "input.b whole", "input.c whole", "input.k kind", "input.l kind", "input.m kind"];
    values_that_two_rules_test: "g if input.k\n\nh if input.l\n\no := input.a if g\n\no := input.b if not h\n\nr := o.kind"
        => ["input.a whole", "input.b whole", "input.k kind", "input.l kind"];
    values_that_a_member_of_a_rule_tells_apart: "g := input.k\n\no := input.a if g.l\n\no := input.b if not g.l\n\nr := o.kind"
        => ["input.a kind", "input.a.kind whole", "input.b kind", "input.b.kind whole", "input.k kind", "input.k.l kind"];
    values_that_a_set_tests: "g contains 1 if input.k\n\no := input.a if g[1]\n\no := input.b if not g[1]\n\nr := o.kind"
        => ["input.a whole", "input.b whole", "input.k kind"];
    values_that_another_input_may_tell_apart: "o := input.a if input.k\n\no := input.b if not input.k with input.k as data.k\n\nr := o.kind"
        => ["input kind", "input.a whole", "input.b whole", "input.k kind", "data.k kind"];
    values_that_more_than_one_tests: "o := input.a if input.k\n\no := input.b if { not input.k; input.l }\n\no := input.c if { not input.k; not input.l }\n\nr := o.kind"
        => ["input.a kind", "input.a.kind whole", "input.b kind", "input.b.kind whole", "input.c kind", "input.c.kind whole", "input.k kind", "input.l kind"];
    values_of_else: "o := input.a if input.k\n\no := input.b if not input.k\n\nelse := input.c\n\nr := o.kind"
        => ["input.a whole", "input.b whole", "input.c whole", "input.k kind"];
    a_function_without_operands: "f() := input.a\n\nr := data.p.f" => ["input.a whole"];
    a_function_without_operands_that_is_called: "f() := input.a\n\nr := f()" => ["input.a whole"];
    an_else_of_a_member: "m[k] := 1 if { some k in [\"x\"] }\n\nm.a := input.y if { input.kind == \"a\" } else := input.w if { input.kind == \"b\" }\n\nr := m"
        => ["input.kind scalar", "input.w whole", "input.y whole"];
    an_else_of_a_member_beside_what_never_holds: "m[k] := 1 if { some k in [\"x\"] }\n\nm.a := 7 if { false; input.kind == \"a\" } else := 8\n\nr := m"
        => ["input.kind scalar"];
    an_else_of_a_member_beside_a_member_of_data: "m[k] := 1 if { some k in [\"x\"] }\n\nm.a := 5 if { data.m[input.b] } else := 6\n\nr := m"
        => ["input.b whole", "data.m keys", "data.m[_] kind"];
    what_never_holds: "r := input.a if false\n\nr := input.b" => ["input.b whole"];
    a_rule_that_never_holds_and_keeps_others_from_being_left: "r := 1 if input.a == 1\n\nr := 1 if input.c\n\nr := input.z if { false; input.b == 5 }"
        => ["input.a scalar", "input.b scalar", "input.c kind", "input.z kind"];
    a_rule_that_never_holds_in_front: "r := input.z if { false; input.b == 5 }\n\nr := 1 if input.a == 1\n\nr := 1 if input.c"
        => ["input.a scalar", "input.b scalar", "input.c kind", "input.z kind"];
    a_rule_of_another_value_that_never_holds: "r := 1 if input.a == 1\n\nr := 1 if input.c\n\nr := 2 if { false; input.b == 5 }"
        => ["input.a scalar", "input.b scalar", "input.c kind"];
    a_rule_that_never_holds_and_looks_at_base_documents: "r := 1 if data.a == 1\n\nr := 1 if input.c\n\nr := data.z if { false; data.b == 5 }"
        => ["input.c kind", "data.a scalar", "data.b scalar", "data.z kind"];
    a_function_that_never_holds: "f(_, _) := 1 if input.a == 1\n\nf(_, _) := 1 if input.c\n\nf(x, y) := y if { false; x == 5 }\n\nr := f(input.b, input.y)"
        => ["input.a scalar", "input.b scalar", "input.c kind", "input.y kind"];
    a_rule_that_never_holds_among_those_that_are_never_left: "r := input.y if input.a == 1\n\nr := input.z if { false; input.b == 5 }"
        => ["input.a scalar", "input.y whole"];
    a_member_that_never_is: "u := 1 if false\n\nr := input.b if { x := {\"k\": u}; x }" => [];
    a_member_at_a_key_that_never_is: "u := 1 if false\n\nr := input.b if { x := {u: 1}; x }" => [];
    a_test_of_what_never_is: "u := 1 if false\n\nr := input.b if u" => [];
    all_members_of_what_never_is: "u := 1 if false\n\nr := input.b if every x in u { x }" => [];
    a_call_that_compares_what_never_is: "u := 1 if false\n\nr := input.b if u < 1" => [];
    a_difference_that_never_is: "f(x) := input.a if x != 1\n\nr := f(1)" => [];
    a_difference_that_always_is: "f(x) := input.a if x != 1\n\nr := f(2)" => ["input.a whole"];
    a_difference_that_is_known: "t := {true: \"a\", false: \"b\"}\n\nf(x) := input.m[t[y]] if y := x != 1\n\nr := f(2)"
        => ["input.m.a whole"];
    a_difference_that_is_not_known: "t := {true: \"a\", false: \"b\"}\n\nr := input.m[t[y]] if y := input.k != 1"
        => ["input.k scalar", "input.m.a whole", "input.m.b whole"];
    otherwise: "r := 1 if input.a else := 2 if input.b" => ["input.a kind", "input.b kind"];
    either_of_two: "u := 1 if false\n\nr := input.c if { u or input.b }" => ["input.b kind", "input.c whole"];
    either_of_two_the_other_way: "u := 1 if false\n\nr := input.c if { input.b or u }" => ["input.b kind", "input.c whole"];
    neither_of_two: "u := 1 if false\n\nr := input.c if { u or u }" => [];
    both_of_two: "u := 1 if false\n\nr := input.c if { input.b and u }" => ["input.b kind"];
    two_builtins_in_the_place_of_functions: "f(o) := o\n\ng(o) := o\n\nr := x if x := [f(input.a), g(input.b)] with f as count with g as json.marshal"
        => ["input.a keys", "input.b whole"];
    a_union_of_any_number: "r := object.union_n([x | some x in input.xs]).k" => ["input.xs keys", "input.xs[_] whole"];
    a_union_of_some: "r := object.union_n([input.a, input.b]).k" => ["input.a kind", "input.a.k whole", "input.b kind", "input.b.k whole"];
    a_union_of_others: "o := [input.a] if input.k\n\no := [input.b] if not input.k\n\nr := object.union_n(o).k"
        => ["input.a kind", "input.a.k whole", "input.b kind", "input.b.k whole", "input.k kind"];
    a_tree_in_which_some_never_are: "t.a := input.a if false\n\nt.b := input.b\n\nt.c.d := input.c if false\n\nt.c.e := input.d\n\nr := t"
        => ["input.b whole", "input.d whole", "data.p.t whole"];
    keys_of_what_is_computed: "r := k if some k, _ in json.unmarshal(input.a)" => ["input.a whole"];
    a_key_of_what_is_computed: "r := input.m[k] if some k, _ in json.unmarshal(input.a)" => ["input.a whole", "input.m[_] whole"];
    rules_by_a_key: "t.a := input.a\n\nt.b := input.b\n\nr := t[input.k]" => ["input.a whole", "input.b whole", "input.k whole", "data.p.t[_] whole"];
    rules_by_one_of_some_keys: "t.a := input.a\n\nt.b := input.b\n\nt.c := input.c\n\nm := {\"x\": \"a\", \"y\": \"b\"}\n\nr := t[m[input.k]]"
        => ["input.a whole", "input.b whole", "input.k whole"];
    rules_and_functions: "t.f(x) := [x, input.z]\n\nt.b := input.b\n\nr := t" => ["input.b whole", "data.p.t whole"];
    each_rule: "t.a := input.a\n\nt.b := input.b\n\nr := [k, v] if some k, v in t"
        => ["input.a whole", "input.b whole", "data.p.t keys", "data.p.t[_] whole"];
    each_rule_by_a_key_behind_it: "t.a := input.a\n\nt.b.c := input.b\n\nr := [k | t[k].c]"
        => ["input.a kind", "input.a.c kind", "input.b kind", "data.p.t keys", "data.p.t[_].c kind"];
    an_index_of_a_base_document: "r := data.xs[0]" => ["data.xs[0] whole", "data.xs[\"0\"] whole"];
    a_text_that_is_an_index: "r := data.xs[\"0\"]" => ["data.xs[0] whole", "data.xs[\"0\"] whole"];
    a_text_that_is_an_index_written_otherwise: "r := data.xs[\"01\"]" => ["data.xs[1] whole", "data.xs[\"01\"] whole"];
    a_text_that_is_an_index_with_a_fraction: "r := data.xs[\"+1.0\"]" => ["data.xs[1] whole", "data.xs[\"+1.0\"] whole"];
    a_text_that_is_an_index_in_front_of_all: "r := data.xs[\"-1\"]" => ["data.xs[-1] whole", "data.xs[\"-1\"] whole"];
    a_text_that_is_an_index_in_front_of_all_with_a_fraction: "r := data.xs[\"-02.0\"]" => ["data.xs[-2] whole", "data.xs[\"-02.0\"] whole"];
    a_text_that_is_the_index_of_the_first_with_a_sign: "r := data.xs[\"-0\"]" => ["data.xs[0] whole", "data.xs[\"-0\"] whole"];
    texts_with_signs: "r := [data.xs[\"-\"], data.xs[\"--1\"], data.xs[\"-9223372036854775807\"], data.xs[\"-9999999999999999999\"]]"
        => ["data.xs[-9223372036854775807] whole", "data.xs[\"-\"] whole", "data.xs[\"--1\"] whole", "data.xs[\"-9223372036854775807\"] whole", "data.xs[\"-9999999999999999999\"] whole"];
    a_text_that_is_no_index: "r := [data.xs[\"\"], data.xs[\"1e0\"], data.xs[\"99999999999999999999\"]]"
        => ["data.xs[\"\"] whole", "data.xs[\"1e0\"] whole", "data.xs[\"99999999999999999999\"] whole"];
    a_text_that_is_an_index_of_an_input: "r := input.xs[\"0\"]" => ["input.xs[\"0\"] whole"];
    a_text_that_is_an_index_and_known: "r := data.xs[k] if k := \"2\"" => ["data.xs[2] whole", "data.xs[\"2\"] whole"];
    texts_that_are_indexes: "r if data.xs[\"0\"][\"1\"]"
        => ["data.xs[0] kind", "data.xs[0][1] kind", "data.xs[0][\"1\"] kind", "data.xs[\"0\"] kind", "data.xs[\"0\"][1] kind", "data.xs[\"0\"][\"1\"] kind"];
    a_text_that_is_an_index_below_rules: "t.a := input.a\n\nr := t[\"0\"]" => ["data.p.t[0] whole", "data.p.t[\"0\"] whole"];
    a_text_that_is_an_index_of_something_replaced: "t := data.xs[0]\n\nr := x if x := t with data.xs[\"0\"] as input.b"
        => ["input.b whole", "data kind", "data.xs kind", "data.xs[0] whole", "data.xs[\"0\"] whole"];
    object_get_of_a_text_that_is_an_index: "r := object.get(data.xs, \"0\", 1)"
        => ["data.xs kind", "data.xs[0] whole", "data.xs[\"0\"] whole"];
}

#[test]
fn the_policies_of_this_repository() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies");
    let mut texts = Vec::new();
    for sub in ["lib", "placement"] {
        for entry in std::fs::read_dir(folder.join(sub)).unwrap() {
            let path = entry.unwrap().path();
            if !path.to_string_lossy().ends_with("_test.rego") {
                texts.push(std::fs::read_to_string(path).unwrap());
            }
        }
    }
    let texts: Vec<_> = texts.iter().map(String::as_str).collect();
    let program = compiled(&texts).unwrap();
    let reads = reads(&program, "data.kubernetes.placement");
    let expected = [
        "input.kind whole",
        "input.metadata.annotations[\"federation.kubernetes.io/deployment-preferences\"] whole",
        "input.metadata.annotations[\"federation.kubernetes.io/replica-set-preferences\"] whole",
        "input.metadata.annotations[\"policy.plimsoll.io/jurisdiction\"] whole",
        "input.metadata.annotations[\"requires-pci\"] scalar",
        "data.kubernetes.clusters keys",
        "data.kubernetes.clusters[_] kind",
        "data.kubernetes.clusters[_].metadata.annotations kind",
        "data.kubernetes.clusters[_].metadata.annotations[\"pci-certified\"] scalar",
        "data.kubernetes.clusters[_].metadata.labels[\"topology.kubernetes.io/region\"] whole",
        "data.kubernetes.clusters[_].spec.provider whole",
        "data.kubernetes.clusters[_].spec.region whole",
        "data.kubernetes.clusters[_].status.conditions keys",
        "data.kubernetes.clusters[_].status.conditions[_] kind",
        "data.kubernetes.clusters[_].status.conditions[_].status scalar",
        "data.kubernetes.clusters[_].status.conditions[_].type scalar",
        "data.kubernetes.clusters[_].status.region whole",
        "data.kubernetes.placement whole",
    ];
    assert_eq!(shown(&reads), expected);
    assert!(reads.whole.is_empty() && !reads.clock && !reads.random && !reads.runtime);
}

/// Where a number may be written in another way, all of the document is kept.
#[test]
fn only_numbers_of_one_form_are_kept_alone() {
    let program = compiled(&["package p\n\nr := input.a"]).unwrap();
    let reads = reads(&program, "data.p.r");
    for (number, is_alone) in [
        ("1.5", true),
        ("-0.5", true),
        ("1234567890123.5", true),
        ("-1234567890123.5", true),
        ("12345678901234.5", true),
        ("0.12345678901234567", false),
        ("12345678901234567890", false),
        ("1.5e3", false),
        ("-1.5e3", false),
        ("1.5E-3", false),
        ("1e2", false),
        ("0.10", false),
    ] {
        let all = format!(r#"{{"a": {number}, "b": 1}}"#);
        let input = plimsoll_rego::value::json::read(all.as_bytes(), 100).unwrap();
        assert_eq!(reads.project(&input).to_string() != input.to_string(), is_alone, "{number}");
    }
}

/// Of a list, what is kept is an object of items by their indexes: those that are read, whatever names them.
#[test]
fn only_items_that_are_read_are_kept() {
    for (rules, input, kept) in [
        ("r := input.a[0]", r#"{"a": [5, 6, 7]}"#, r#"{"a": [{0: 5}]}"#),
        ("r := input.a[1.0]", r#"{"a": [5, 6]}"#, r#"{"a": [{0: 5, 1: 6}]}"#),
        ("u if input.a[1e0]\n\nr := input.a[1] if not u", r#"{"a": [5, 6]}"#, r#"{"a": [{0: 0, 1: 6}]}"#),
        ("r := input.a[3]", r#"{"a": [5, 6, 7]}"#, "null"),
        ("r := input.a[-1]", r#"{"a": [5, 6, 7]}"#, "null"),
        ("r if input.a.k", r#"{"a": [5, 6, 7]}"#, "null"),
        ("r := input.a[data.x]", r#"{"a": [5, 6]}"#, r#"{"a": [{0: 5, 1: 6}]}"#),
        (
            "r := [input.xs[1].a[2], [x | x := input.xs[_].a[0]]]",
            r#"{"xs": [{"a": [5, 6, 7, 8]}, {"a": [5, 6, 7, 8]}, {"b": 1}]}"#,
            r#"{"xs": [{"a": [{0: 5}]}, {"a": [{0: 5, 2: 7}]}, null]}"#,
        ),
    ] {
        let program = compiled(&[&format!("package p\n\n{rules}")]).unwrap();
        let input = json::of(&serde_json::from_str(input).unwrap());
        assert_eq!(reads(&program, "data.p.r").project(&input).to_string(), kept, "{rules}");
    }
}

/// Documents below `data.system` are hidden from a reference to all of `data`, so those who read that do not read what the rules there read.
#[test]
fn what_is_hidden_is_read_by_its_name_alone() {
    let modules = ["package system\n\nx := input.a", "package q.system\n\ny := input.b", "package system.z\n\nv := input.c"];
    let program = compiled(&modules).unwrap();
    for (path, expected) in [
        ("data", vec!["input.b whole", "data whole"]),
        ("data.q", vec!["input.b whole", "data.q whole"]),
        ("data.system", vec!["input.a whole", "input.c whole", "data.system whole"]),
        ("data.system.x", vec!["input.a whole"]),
    ] {
        assert_eq!(shown(&reads(&program, path)), expected, "{path}");
    }
}

#[test]
fn what_is_read_whole_is_said() {
    let program = compiled(&["package p\n\nr := x if {\n\tx := json.marshal(input)\n}\n\ns := data[input.k].a"]).unwrap();
    assert_eq!(causes(&program, &reads(&program, "data.p.r")), [(Root::Input, "json.marshal(input)")]);
    assert!(reads(&program, "data.p.s").whole.is_empty());
}

/// Values that may speak against each other are compared where the last of them is made, and not where the last expression stands.
#[test]
fn what_is_compared_whole_is_said() {
    let rules = "r := o.k\n\no := x if {\n\tx := input\n\tinput.a\n}\n\no := y if {\n\ty := input.b\n\tinput.c\n}";
    let program = compiled(&[&format!("package p\n\n{rules}")]).unwrap();
    assert_eq!(causes(&program, &reads(&program, "data.p.r")), [(Root::Input, "o := y")]);
}

/// Where what one definition negates is tested by no other one, their values are compared.
#[test]
fn definitions_that_test_nothing_may_both_hold() {
    for (other, part) in [("input.x; input.y == 1", "kind"), ("input.y == 1", "whole"), ("input.z; input.x", "kind")] {
        let read = read(&format!("r := o.kind\n\no := input.a if not input.x\n\no := input.b if {{ {other} }}"));
        assert_eq!(read.contains(&"input.a whole".to_owned()), part == "whole", "{other}: {read:?}");
    }
}

/// `h` is met where `f` is replaced alone, and what it calls is not `f` but `g`: its operand is not looked at.
#[test]
fn what_is_met_on_one_side_alone_is_evaluated_there() {
    let rules =
        "f(x) := x.deep\n\ng(_) := [f(input.y), k]\n\nk := input.k\n\nh := f(input.z)\n\nr := x if x := [f(1), k, h] with f as g";
    assert_eq!(read(rules), ["input.k whole", "input.y kind", "input.y.deep whole", "input.z kind"]);
}

#[test]
fn the_clock_and_the_process_are_said() {
    let program =
        compiled(&["package p\n\na := time.now_ns()\n\nb := rand.intn(\"x\", 3)\n\nc := opa.runtime()\n\nd := 1"]).unwrap();
    let found = ["a", "b", "c", "d"].map(|name| {
        let reads = reads(&program, &format!("data.p.{name}"));
        (reads.clock, reads.random, reads.runtime)
    });
    assert_eq!(found, [(true, false, false), (false, true, false), (false, false, true), (false, false, false)]);
    let repeatable = ["a", "b", "c", "d"].map(|name| reads(&program, &format!("data.p.{name}")).is_repeatable());
    assert_eq!(repeatable, [false, false, false, true]);
}

#[test]
fn groups_are_marked() {
    let text = "package p\n\na := 1\n\nb := data.x\n\nc := [b, input.y]\n\nd := [a, b]\n\ne := x if x := c with input as {}\n\n\
        f(o) := o.z\n\ng := f(input)\n\nh := time.now_ns()\n\ni := [h, data.p[\"a\"]]\n\nj := data.q[data.k]";
    let program = compiled(&[text]).unwrap();
    let dependencies = Dependencies::of(program.policy());
    let groups = program.policy().groups.iter().enumerate();
    let mark = |name: &str| {
        let (index, _) = groups.clone().find(|(_, group)| *group.name == format!("data.p.{name}")).unwrap();
        dependencies.mark(GroupId(u32::try_from(index).unwrap()))
    };
    let found = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].map(|name| mark(name).dependence());
    let (constant, data, input) = (Dependence::Constant, Dependence::Data, Dependence::Input);
    assert_eq!(found, [constant, data, input, data, data, constant, input, constant, constant, data]);
    assert!(mark("h").clock && mark("i").clock && !mark("i").is_repeatable() && mark("d").is_repeatable());
}
