//! Traces of what nests deep, and of what takes too much.

use std::sync::Arc;

use plimsoll_rego::program::{Asked, Program, Query, Request, Text};
use plimsoll_rego::trace::{self, Detail, Explain, Keep};
use plimsoll_rego::value::Value;

/// Tests run on threads of 2 MiB.
#[test]
fn what_nests_deep_is_traced_on_a_small_stack() {
    for (explain, depth) in [(Explain::Full, 1_000), (Explain::Debug, 50)] {
        for inner in ["1", "v", "{x | x := v}"] {
            let text = format!("package a\n\nx := {}{inner}{} if v := input", "[[], ".repeat(depth), ", 0]".repeat(depth));
            let text = Text { name: "deep.rego".to_owned(), text, version: None };
            let program = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
            let query = Query::compile(&program, &Asked::new("x := data.a.x; x = data.a.x; [_, y, _] = x")).unwrap();
            let input = (0..depth).fold(Value::from("here"), |value, _| Value::array([Value::Null, value, Value::Null]));
            let request = Request { input: Some(&input), ..Request::default() };
            let keep = Keep::from(explain).with(Detail::Places);
            let (told, rows) = query.explain(&Value::object([]), &request, keep);
            assert_eq!(rows.unwrap().len(), 1);
            assert!(trace::pretty(&told.events).lines().count() > 10);
            assert!(trace::raw(&told.events).depth() > u32::try_from(depth).unwrap());
        }
    }
}

/// A trace is paid for: it ends within the limits of its evaluation.
#[test]
fn a_trace_that_takes_too_much_ends() {
    let program = Arc::new(Program::compile(&[], &Default::default()).unwrap());
    let query = Query::compile(&program, &Asked::new("numbers.range(1, 100)[_] > 0; false")).unwrap();
    let mut request = Request::default();
    request.limits.memory = 20_000;
    let (told, rows) = query.explain(&Value::object([]), &request, Explain::Full);
    assert!(rows.unwrap_err().halt.is_some());
    assert!((20..300).contains(&told.events.len()), "{}", told.events.len());
}

fn told(text: &str, query: &str, keep: Keep) -> trace::Trace {
    let text = Text { name: "a.rego".to_owned(), text: text.to_owned(), version: None };
    let program = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
    let query = Query::compile(&program, &Asked::new(query)).unwrap();
    let (told, rows) = query.explain(&Value::object([]), &Request::default(), keep);
    assert_eq!(rows.unwrap().len(), 1);
    told
}

/// Variables that stand for terms of variables, sixty times doubled: nobody could write them out.
#[test]
fn what_is_doubled_is_traced_without_being_written_out() {
    let doubled: String = (1..=60).map(|at| format!("\ta{at} = [a{}, a{}]\n", at - 1, at - 1)).collect();
    let text = format!("package a\n\nx if {{\n\ta0 = [1]\n{doubled}\ta60 != 1\n}}\n");
    for explain in [Explain::Full, Explain::Debug] {
        let told = told(&text, "data.a.x = y", Keep { events: 10_000, bytes: 4 << 20, ..Keep::from(explain) });
        assert!(told.events.len() > 60, "{}", told.events.len());
    }
}

const LOOP: &str = "package a

f(x) := x + 1

many if {
	count([y | some x in numbers.range(1, 500); y := f(x)]) == 500
	trace(\"done\")
}
";

/// What is beyond is counted, and the answer is not cut short.
#[test]
fn no_more_is_kept_than_wanted() {
    let all = told(LOOP, "data.a.many", Explain::Full.into());
    let some = told(LOOP, "data.a.many", Keep { events: 100, ..Explain::Full.into() });
    assert_eq!((all.left_out, some.events.len()), (0, 100));
    assert_eq!(some.left_out, all.events.len() as u64 - 100);
    let first = trace::pretty(&all.events[..100]);
    assert_eq!(trace::pretty(&some.events), first);
    let few = told(LOOP, "data.a.many", Keep { bytes: 10_000, ..Explain::Full.into() });
    assert!((10..60).contains(&few.events.len()), "{}", few.events.len());
}

/// Thousands of beginnings that lead to nothing are forgotten, those that lead to a note are not.
#[test]
fn what_led_to_a_note_is_kept_beside_what_did_not() {
    let all = told(LOOP, "data.a.many", Explain::Notes.into());
    for bounds in [Keep { events: 20, ..Explain::Notes.into() }, Keep { bytes: 10_000, ..Explain::Notes.into() }] {
        let some = told(LOOP, "data.a.many", bounds);
        assert_eq!((trace::pretty(&some.events), some.left_out), (trace::pretty(&all.events), 0), "{bounds:?}");
        assert_eq!(all.events.len(), 3);
    }
}

#[test]
fn large_values_are_left_out_before_events_are() {
    let text = "package a\n\nx if {\n\tall := numbers.range(1, 10000)\n\tsome y in [1, 2, 3]\n\tcount(all) > y\n}\n";
    let keep = Keep { bytes: 100_000, ..Explain::Full.into() }.with(Detail::Nodes);
    let some = told(text, "data.a.x", keep);
    let all = told(text, "data.a.x", Explain::Full.into());
    assert_eq!((trace::pretty(&some.events), some.left_out), (trace::pretty(&all.events), 0));
    assert!(some.without_values > 5 && all.without_values == 0, "{}", some.without_values);
    assert!(trace::raw(&some.events).nodes() < 5_000);
}
