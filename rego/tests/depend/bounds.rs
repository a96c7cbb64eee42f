//! How much is told apart, and how much work is done to find what is read: beyond that more is said to be read, never less.

use super::found::read;
use super::set::{compiled, reads};

/// Definitions that each test a key of their own and negate the keys of those before them.
#[test]
fn only_so_many_definitions_are_told_apart() {
    for (count, part) in [(16, "kind"), (17, "whole")] {
        let others = |at| (0..at).map(|before| format!("not input.k{before}; ")).collect::<String>();
        let definition = |at| format!("o := input.v{at} if {{ {}input.k{at} }}\n\n", others(at));
        let definitions: String = (0..count).map(definition).collect();
        let read = read(&format!("{definitions}r := o.kind"));
        assert!(read.contains(&format!("input.v0 {part}")), "{count}: {read:?}");
    }
}

/// A key that is one of so many, in one of so many values, is any key.
#[test]
fn only_so_many_keys_are_told_apart() {
    let keys: Vec<_> = (0..64).map(|at| format!("\"k{at}\": \"v{at}\"")).collect();
    for (values, known) in [(1, true), (4, true), (5, false)] {
        let values: Vec<_> = (0..values).map(|at| format!("input.m{at}")).collect();
        let rules = format!("t := {{{}}}\n\nr := [{}][_][t[input.k]]", keys.join(", "), values.join(", "));
        let read = read(&rules);
        assert_eq!(read.contains(&"input.m0.v0 whole".to_owned()), known, "{values:?}: {read:?}");
        assert_eq!(read.contains(&"input.m0[_] whole".to_owned()), !known, "{values:?}: {read:?}");
    }
}

/// More constants than that are any scalar; with others among them, they are anything.
#[test]
fn only_so_many_constants_are_known() {
    for count in [64, 65, 200] {
        let scalars: Vec<_> = (0..count).map(|at| format!("\"k{at}\": \"v{at}\"")).collect();
        let table = |other: &str| format!("t := {{{}{other}}}\n\nr if input.a == t[input.k]", scalars.join(", "));
        assert_eq!(read(&table("")), ["input.a scalar", "input.k whole"], "{count}");
        assert_eq!(read(&table(", \"l\": [1]")), ["input.a whole", "input.k whole"], "{count}");
        let computed = table(", \"l\": json.unmarshal(input.j)");
        assert_eq!(read(&computed), ["input.a whole", "input.j whole", "input.k whole"], "{count}");
        let items: Vec<_> = (0..count).map(|at| at.to_string()).collect();
        let list = format!("r if {{ some x in [{}]; input.a == x }}", items.join(", "));
        assert_eq!(read(&list), ["input.a scalar"], "{count}");
        let keys = format!("t := {{{}}}\n\nr := input.m[t[input.k]]", scalars.join(", "));
        assert_eq!(read(&keys).contains(&"input.m[_] whole".to_owned()), count > 64, "{count}");
    }
}

/// What is put at a path is not read, however deep it is put.
#[test]
fn only_what_lies_on_the_way_is_read() {
    for keys in [1, 10, 48, 49] {
        let path: String = (0..keys).map(|at| format!(".k{at}")).collect();
        let read = read(&format!("t := input{path}\n\nr := x if x := t with input{path} as data.a"));
        assert_eq!(read.len(), keys + 1, "{read:?}");
        assert!(
            read.contains(&"data.a whole".to_owned()) && read.iter().filter(|line| line.ends_with(" whole")).count() == 1,
            "{read:?}"
        );
    }
}

/// What lies deeper is read with all that is beside it.
#[test]
fn only_so_many_steps_are_told_apart() {
    let path = |keys: usize| (0..keys).map(|at| format!(".k{at}")).collect::<String>();
    for root in ["input", "data"] {
        for keys in [1, 47, 48, 49, 60] {
            let read = read(&format!("r := {root}{}", path(keys)));
            assert_eq!(read, [format!("{root}{} whole", path(keys.min(48)))], "{keys}");
        }
    }
}

/// Each level has two documents for the next one: there are not enough steps to look at the last one under each of their combinations.
#[test]
fn what_is_evaluated_under_too_many_replacements_is_read_whole() {
    for (levels, is_whole) in [(3, false), (16, true)] {
        let rule = |level: usize| {
            let next = |from: &str| format!("t{} with input.k{level} as data.{from}", level + 1);
            format!("t{level} := [x, y] if {{ x := {}; y := {} }}\n\n", next("a"), next("b"))
        };
        let rules: String = (0..levels).map(rule).collect();
        let read = read(&format!("{rules}t{levels} := input.z\n\nr := t0"));
        assert_eq!(read == ["input whole", "data whole"], is_whole, "{levels}: {read:?}");
    }
}

/// Ways to nest, so many levels deep.
fn nested(levels: usize) -> [String; 4] {
    let chain: String = (0..levels).map(|level| format!("f{level}(o) := [f{}(o.a)]\n\n", level + 1)).collect();
    let arrays = format!("r := {}input.a{}", "[".repeat(levels), "]".repeat(levels));
    let comprehensions = format!("r := {}input.a{}", "[x | x := ".repeat(levels / 10), "]".repeat(levels / 10));
    let objects = format!("r := {}input.a{}", "{\"x\": ".repeat(levels), "}".repeat(levels));
    [format!("{chain}f{levels}(o) := o\n\nr := f0(input)"), arrays, comprehensions, objects]
}

#[test]
fn nesting_needs_no_stack() {
    for rules in nested(3_000) {
        let look = move || {
            let program = compiled(&[&format!("package p\n\n{rules}")]).unwrap();
            assert!(!reads(&program, "data.p.r").input.is_empty());
        };
        std::thread::Builder::new().stack_size(2 << 20).spawn(look).unwrap().join().unwrap();
    }
}

#[test]
fn what_there_is_too_much_of_is_read_whole() {
    let calls = |name: &str, next: &str| format!("{name}(o) := [{next}(o.a), {next}(o.b), {next}(o.c)]\n\n");
    let functions: String = (0..20).map(|level| calls(&format!("f{level}"), &format!("f{}", level + 1))).collect();
    let program = compiled(&[&format!("package p\n\n{functions}f20(o) := o.z\n\nr := f0(input.x)")]).unwrap();
    let reads = reads(&program, "data.p.r");
    assert!(reads.input.paths().len() < 20_000 && reads.input.touches(&["x".into()]) && !reads.input.touches(&["y".into()]));
}

/// Each expression, term and pattern of a policy allows for some steps more, wherever it stands: without these rules there are too few
/// for a value of which so many members are told apart.
#[test]
fn what_there_is_too_much_of_is_not_too_much_for_a_bigger_policy() {
    let calls = |level: usize| {
        let next = level + 1;
        format!("f{level}(o) := [f{next}(o.a), f{next}(o.b), f{next}(o.c)]\n\n")
    };
    let functions: String = (0..7).map(calls).collect();
    let list = |part: &str, count: usize| vec![part; count].join(", ");
    let body = |part: &str, count: usize| vec![part; count].join("; ");
    let some = format!("h([{}]) := 1\n\n", list("_", 16));
    for (more, enough) in [
        (String::new(), false),
        (some.clone(), false),
        (format!("g([{}]) := 1", list("_", 40)), false),
        (format!("g([{}]) := 1", list("_", 100)), true),
        (format!("g(x) := [{}]", list("x", 100)), true),
        (format!("g(x) if {{ {} }}", body("x", 50)), true),
        (format!("g if {{ {} }}", body("r", 30)), true),
        (format!("{some}g[x].a[x].a := 1 if some x in input.y"), true),
    ] {
        let read = read(&format!("{functions}f7(o) := o.z\n\nr := f0(input.x)\n\n{more}"));
        assert_eq!(read.iter().filter(|line| line.ends_with(".z whole")).count() == 3_usize.pow(7), enough, "{more}");
    }
}

/// Functions that call one another, each for so many members of what it is called with: `f0` is the first one.
fn calls(widths: &[usize]) -> String {
    let level = |(level, width): (usize, &usize)| {
        let members = ["a", "b", "c"].iter().take(*width);
        let calls: Vec<_> = members.map(|name| format!("f{}(o.{name})", level + 1)).collect();
        format!("f{level}(o) := [{}]\n\n", calls.join(", "))
    };
    let levels: String = widths.iter().enumerate().map(level).collect();
    format!("{levels}f{}(o) := o.z\n\n", widths.len())
}

/// What a function is called with is not followed any more, so all of it is read.
#[test]
fn operands_are_read_whole_where_there_is_too_much() {
    for (function, call) in [
        ("g(o) := o.k", "g(x)"),
        ("g(_) := 1", "g(x)"),
        ("g(o, k) := o[k]", "g(x, \"k\")"),
        ("g(\"a\", o) := o.k", "g(\"a\", x)"),
        ("g([o, _]) := o.k", "g([x, 1])"),
        ("default g(_) := 1\n\ng(o) := o.k", "g({\"k\": x})"),
    ] {
        let rules = format!("{}{function}\n\n", calls(&[3; 20]));
        let read = read(&format!("{rules}r := [y, z] if {{ x := input.w; y := f0(input.x); z := {call} }}"));
        assert!(read.contains(&"input.w whole".to_owned()), "{function}");
        assert!(!read.iter().any(|line| line.starts_with("input ")), "{function}");
    }
}

/// `u` is looked at once where the documents are the same in the end, whichever replacements have made them so: twice, there would not
/// be enough steps.
#[test]
fn documents_that_are_replaced_in_two_ways_are_the_same() {
    let widths = [3, 3, 3, 3, 3, 3, 2];
    let rules = "t := input.a\n\nu := f0(data.x)\n\ninner := x if x := u with input.a.b as 3\n\n\
        one := x if { w := t with input.a.b as 2; x := inner with input.a as w }\n\n\
        two := x if x := inner with input.a.b as 2\n\n\
        r := [x, y] if { x := one with input.a as {\"c\": 1}; y := two with input.a as {\"c\": 1} }";
    let read = read(&format!("{}{rules}", calls(&widths)));
    assert_eq!(read.iter().filter(|line| line.ends_with(".z whole")).count(), widths.iter().product::<usize>());
}

/// A hundred references below the keys of a head go to one document, which is evaluated once. References to other keys evaluate it again,
/// for which there are not enough steps.
#[test]
fn documents_at_keys_are_looked_at_once_whatever_lies_below() {
    let members: Vec<_> = (0..40).map(|at| format!("\"m{at}\": input.x{at}")).collect();
    let path: String = (0..20).map(|at| format!(".k{at}")).collect();
    let body = format!("x := {{{}}}[input.k]; x{path}", members.join(", "));
    let (one, two) = ("some k, _ in input.ks", "some k, _ in input.ks; some l, _ in input.ls");
    for (head, keys, reference, enough) in [
        ("u[k]", one, "u.a.v@", true),
        ("u[k]", one, "u.a@.v", false),
        ("u[k][l]", two, "u.a.b.v@", true),
        ("u[k][l]", two, "u.a.b@.v", false),
        ("u.a[k]", one, "u.a.b.v@", true),
        ("u.a[k]", one, "u.a.b@.v", false),
        ("u[k].c[l]", two, "u.a.c.b.v@", true),
    ] {
        let references: Vec<_> = (0..100).map(|at| reference.replace('@', &at.to_string())).collect();
        let read = read(&format!("{head} := input.z if {{ {keys}; {body} }}\n\nr := [{}]", references.join(", ")));
        assert_eq!(read != ["input whole"], enough, "{head} {reference}");
    }
}

/// So often with so many patterns beside it, each of these expressions allows for just enough steps.
#[test]
fn each_part_of_an_expression_allows_for_some_steps() {
    for (expression, beside) in [
        ("every x@ in [] { x@ }", 11),
        ("{\"a\": x@, \"b\": 1} = input.y", 11),
        ("input.y[_][1][_]", 35),
        ("h(1, _)", 41),
        ("h(1) with input.y as 1 with data.y as 2", 29),
        ("{1: x@ | x@ := input.y}", 17),
        ("input.y or not data.y", 17),
        ("h(1) with h as input.z", 11),
    ] {
        let body: Vec<_> = (0..6).map(|at| expression.replace('@', &at.to_string())).collect();
        for (count, enough) in [(beside - 3, false), (beside + 3, true)] {
            let more = format!("h(x) := x\n\ng if {{ {} }}\n\nk([{}]) := 1", body.join("; "), vec!["_"; count].join(", "));
            let read = read(&format!("{}r := f0(input.x)\n\n{more}", calls(&[3; 7])));
            let found = read.iter().filter(|line| line.ends_with(".z whole")).count();
            assert_eq!(found == 3_usize.pow(7), enough, "{expression}, {count}");
        }
    }
}

/// More constants than that are one and the same scalar: what a function does with them is looked at once, whichever they are.
#[test]
fn what_too_many_constants_become_is_looked_at_once() {
    let level = |level: usize| {
        let calls: Vec<_> = ["a", "b", "c"].iter().map(|name| format!("f{}(k, o.{name})", level + 1)).collect();
        format!("f{level}(k, o) := [{}]\n\n", calls.join(", "))
    };
    let functions: String = (0..6).map(level).collect();
    for (count, enough) in [(64, false), (65, true)] {
        let member = |table, at| format!("\"k{at}\": \"v{table}-{at}\"");
        let table = |table: usize| {
            format!("t{table} := {{{}}}\n\n", (0..count).map(|at| member(table, at)).collect::<Vec<_>>().join(", "))
        };
        let tables: String = (0..20).map(table).collect();
        let calls: Vec<_> = (0..20).map(|table| format!("f0(t{table}[input.k], input.x)")).collect();
        let read = read(&format!("{functions}f6(k, o) := [k, o.z]\n\n{tables}r := [{}]", calls.join(", ")));
        assert_eq!(read.iter().filter(|line| line.ends_with(".z whole")).count() == 3_usize.pow(6), enough, "{count}");
    }
}

/// What objects are merged of is looked at once each, however often they are merged again.
#[test]
fn objects_that_are_merged_twice_at_each_level_are_looked_at_once() {
    let level = |at: usize| {
        let side = |name: &str| format!("object.union(u{}, input.{name}{at})", at - 1);
        let union = format!("object.union({}, {})", side("b"), side("c"));
        format!("u{at} := object.union({union}, object.remove({union}, [\"x\"]))\n\n")
    };
    let levels: String = (1..=40).map(level).collect();
    for (answer, read_of) in [("count(u40)", "keys"), ("object.keys(u40)", "keys"), ("u40.z", "z whole"), ("u40", "whole")] {
        let read = read(&format!("u0 := input.a\n\n{levels}r := {answer}"));
        assert!(read.iter().any(|line| line.starts_with("input.b40") && line.ends_with(read_of)), "{answer}: {read:?}");
    }
}

/// A function that is called instead of another one, calls it, and is called by its own name: nothing is known of what grows with each call.
#[test]
fn functions_that_share_what_grows_are_given_up() {
    let rules: String = (0..300).map(|at| format!("u{at} := input.u{at}\n\n")).collect();
    let read = read(&format!("{rules}f(x) := x\n\ng(x) := y if y := f([x])\n\nr := y if {{ y := g(input.a) with f as g }}"));
    assert_eq!(read, ["input whole", "data whole"]);
}

/// Each level calls the same instead of the same twice: that is no other thing each time.
#[test]
fn what_is_called_instead_of_the_same_is_the_same() {
    let level = |level: usize| {
        let next = format!("t{} with f as g", level + 1);
        format!("t{level} := [x, y] if {{ x := {next}; y := {next} }}\n\n")
    };
    let levels: String = (0..20).map(level).collect();
    let read = read(&format!("f(x) := x\n\ng(x) := x.k\n\n{levels}t20 := f(input.z)\n\nr := t0"));
    assert_eq!(read, ["input.z kind", "input.z.k whole"]);
}

/// Of which type merged objects are is read where they are merged, and costs no steps after that.
#[test]
fn types_of_what_is_merged_are_read_once() {
    let objects: Vec<_> = (0..1_000).map(|at| format!("input.m{at}")).collect();
    let tests = "is_object(u)\n\t".repeat(1_000);
    let rules = format!("u := object.union_n([{}])\n\nf(x) := x.k\n\nr := f(input.z) if {{\n\t{tests}\n}}", objects.join(", "));
    assert_eq!(read(&rules).last().map(String::as_str), Some("input.z.k whole"));
}
