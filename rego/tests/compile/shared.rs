//! Few statements that stand for more parts than anybody could go through: what is known of them before they are evaluated is shared,
//! or given up.

use plimsoll_rego::compile::Options;
use plimsoll_rego::program::{Program, Text};
use plimsoll_rego::syntax::steps;

/// Doublings.
const TIMES: usize = 60;

/// A rule whose variables each stand twice in the next one.
fn doubled(step: &str, last: &str) -> String {
    let one = |at: usize| format!("\ta{} := {}\n", at + 1, step.replace('#', &format!("a{at}")));
    let chain: String = (0..TIMES).map(one).collect();
    format!("package p\n\nx := 1 if {{\n\ta0 := [input.x]\n{chain}\t{}\n}}\n", last.replace('#', &format!("a{TIMES}")))
}

fn compiled(text: String) -> Result<Program, usize> {
    let text = Text { name: "p.rego".to_owned(), text, version: None };
    let program = Program::compile(&[text], &Options::default())
        .map_err(|refused| refused.diagnostics().iter().flat_map(|one| &one.details).map(String::len).sum::<usize>())?;
    program.dependencies();
    Ok(program)
}

#[test]
fn doubled_values_are_compiled_and_looked_through() {
    for step in
        ["[#, #]", "{\"l\": #, \"r\": #}", "{[#, 1], [#, 2]}", "object.union({\"l\": #}, {\"r\": #})", "array.concat([#], [#])"]
    {
        for last in [
            "print(#)",
            "# == input.y",
            "b := [#, #]; b[0] == b[1]",
            "count(#) == 2",
            "some v in #; v == input.y",
            "json.marshal(#) == \"\"",
        ] {
            assert!(compiled(doubled(step, last)).is_ok(), "{step} {last}");
        }
    }
}

#[test]
fn what_is_said_of_large_types_is_short() {
    let text = doubled("[#, #]", "c == 1").replace("\ta20 :=", "\tunits.parse(a18)\n\tc := 1\n\ta20 :=");
    let bytes = compiled(text).err();
    assert!(bytes.is_some_and(|bytes| bytes < 64 << 10), "{bytes:?}");
}

/// Steps that it takes to compare sets of alternatives, each of which stands in two others, with sets of one member.
fn compared(times: usize) -> u64 {
    let step = |at: usize| {
        let next = at + 1;
        format!("\ta{next} := {{a{at}, b{at}, null}}\n\tb{next} := {{a{at}, b{at}, 1}}\n\tc{next} := {{c{at}}}\n")
    };
    let chain: String = (0..times).map(step).collect();
    let last = format!("\ta{times} == c{times}\n").repeat(20);
    let text = format!("package p\n\nx if {{\n\ta0 := true\n\tb0 := {{true}}\n\tc0 := \"c\"\n{chain}{last}}}\n");
    let before = steps::taken();
    assert!(compiled(text).is_err());
    steps::taken() - before
}

#[test]
fn alternatives_that_stand_in_many_sets_are_compared_once() {
    let (some, more) = (compared(7), compared(14));
    assert!(more < 4 * some, "{some}, {more}");
}

/// Steps that it takes to compare values that each hold the one before twice, and of which nothing differs.
fn compared_alike(step: &str, times: usize) -> u64 {
    let one = |of: &str, at: usize| format!("\t{of}{} := {}\n", at + 1, step.replace('#', &format!("{of}{at}")));
    let chain: String = (0..times).map(|at| one("a", at) + &one("c", at)).collect();
    let last = format!("\ta{times} == c{times}\n").repeat(20);
    let text = format!("package p\n\nx if {{\n\ta0 := true\n\tc0 := false\n{chain}{last}\t1 == \"one\"\n}}\n");
    let before = steps::taken();
    assert!(compiled(text).is_err());
    steps::taken() - before
}

#[test]
fn what_stands_twice_in_what_it_stands_in_is_compared_once() {
    for (step, times) in [("[#, #]", 14), ("{\"l\": #, \"r\": #}", 10)] {
        let (some, more) = (compared_alike(step, times / 2), compared_alike(step, times));
        assert!(more < 4 * some, "{step}: {some}, {more}");
    }
}
