//! What costs too much ends, what nests deeply does not end the process.

use std::time::Duration;

use plimsoll_rego::builtins::context::Kept;
use plimsoll_rego::builtins::{BuiltinError, Context, find};
use plimsoll_rego::limits::{Account, Halt, Limits};
use plimsoll_rego::value::Value;

fn call(name: &str, operands: &[Value], limits: Limits) -> Result<Option<Value>, BuiltinError> {
    let (account, kept) = (Account::new(limits), Kept::default());
    let mut context = Context { account, now_ns: 0, runtime: Value::Null, seed: Some(1), kept };
    let operands: Vec<_> = operands.iter().collect();
    find(name).and_then(|builtin| builtin.function).unwrap()(&mut context, &operands)
}

/// The bound at which it ended.
fn halt(answer: &Result<Option<Value>, BuiltinError>) -> Option<Halt> {
    answer.as_ref().err().and_then(BuiltinError::halt)
}

fn text(text: &str, times: usize) -> Value {
    Value::from(text.repeat(times))
}

fn list(items: &[&str]) -> Value {
    Value::array(items.iter().map(|item| Value::from(*item)))
}

/// Arrays, each of which has the one before twice.
fn doubled(times: usize) -> Value {
    (0..times).fold(Value::from("x"), |value, _| Value::array([value.clone(), value]))
}

#[test]
fn what_would_take_too_much_memory_ends() {
    let large = || Value::array((0..10_000).map(|_| text("abc", 100)));
    let object = |value: Value| Value::object([(Value::from("a"), value)]);
    let calls: Vec<(&str, Vec<Value>)> = vec![
        ("concat", vec![text("-", 1_000), large()]),
        ("replace", vec![text("a", 10_000), Value::from("a"), text("b", 10_000)]),
        ("replace", vec![text("a", 10_000), Value::from(""), text("b", 10_000)]),
        ("strings.replace_n", vec![Value::object([(Value::from("a"), text("b", 10_000))]), text("a", 10_000)]),
        ("sprintf", vec![text("%1000000d", 20), Value::array((0..20).map(Value::Int))]),
        ("sprintf", vec![Value::from("%v"), Value::array([doubled(60)])]),
        ("sprintf", vec![text("%.1000000f", 3), Value::array([(); 3].map(|()| Value::number("1.5").unwrap()))]),
        ("split", vec![text("a", 1 << 20), Value::from("")]),
        ("indexof_n", vec![text("a", 1 << 20), Value::from("a")]),
        ("strings.render_template", vec![Value::from("{{range 100000000}}xxxxxxxxxxxxxxxx{{end}}"), Value::object([])]),
        ("strings.render_template", vec![Value::from("{{.}}"), object(doubled(60))]),
        ("regex.replace", vec![text("a", 10_000), Value::from("a"), text("b", 10_000)]),
        ("regex.split", vec![Value::from(""), text("a", 1 << 20)]),
        ("regex.find_all_string_submatch_n", vec![Value::from("(((((a)))))"), text("a", 1 << 20), Value::Int(-1)]),
        ("json.marshal", vec![doubled(60)]),
        ("json.unmarshal", vec![Value::from(format!("[{}1]", "1,".repeat(1 << 20)))]),
        ("yaml.marshal", vec![doubled(60)]),
        ("yaml.unmarshal", vec![text("- a\n", 1 << 20)]),
        ("json.match_schema", vec![doubled(60), Value::object([])]),
        ("json.verify_schema", vec![doubled(60)]),
        ("urlquery.encode", vec![text("\u{e9}", 1 << 20)]),
        ("base64.encode", vec![text("a", 1 << 21)]),
        ("hex.encode", vec![text("a", 1 << 21)]),
        ("strings.any_prefix_match", vec![large(), list(&["a"])]),
    ];
    for (name, operands) in calls {
        let limits = Limits { memory: 2 << 20, steps: 100_000_000, ..Limits::default() };
        let answer = call(name, &operands, limits);
        let halted = matches!(halt(&answer), Some(Halt::Memory(_) | Halt::Steps(_)));
        assert!(halted, "{name}: {}", answer.map_or_else(|error| error.to_string(), |_| "an answer".into()));
    }
}

#[test]
fn references_that_go_in_circles_end() {
    for schema in [r##"{"$ref":"#"}"##, r##"{"allOf":[{"$ref":"#"}]}"##] {
        let answer = call("json.match_schema", &[Value::object([]), Value::from(schema)], Limits::default());
        assert!(matches!(halt(&answer), Some(Halt::Depth(_))), "{answer:?}");
    }
    let endless = Value::from("{{define \"a\"}}{{template \"a\"}}{{end}}{{template \"a\"}}");
    let answer = call("strings.render_template", &[endless, Value::object([])], Limits::default());
    assert!(matches!(halt(&answer), Some(Halt::Depth(_))), "{answer:?}");
}

/// Tests run on threads of 2 MiB.
#[test]
fn what_nests_deeply_is_gone_through() {
    let deep = (0..9_000).fold(Value::from("x"), |value, _| Value::array([value]));
    let json = format!("{}1{}", "[".repeat(9_000), "]".repeat(9_000));
    let schema = format!("{}true{}", "{\"items\":".repeat(4_000), "}".repeat(4_000));
    let calls: Vec<(&str, Vec<Value>)> = vec![
        ("json.marshal", vec![deep.clone()]),
        ("json.unmarshal", vec![Value::from(json.as_str())]),
        ("json.is_valid", vec![Value::from(json.as_str())]),
        ("yaml.marshal", vec![(0..2_000).fold(Value::from("x"), |value, _| Value::array([value]))]),
        ("yaml.unmarshal", vec![Value::from(json.as_str())]),
        ("sprintf", vec![Value::from("%v"), Value::array([deep.clone()])]),
        ("json.match_schema", vec![deep.clone(), Value::from(schema.as_str())]),
        ("json.verify_schema", vec![Value::from(schema)]),
        ("strings.render_template", vec![Value::from("{{.}}"), Value::object([(Value::from("a"), deep)])]),
        (
            "strings.render_template",
            vec![Value::from(format!("{}x{}", "{{if 1}}".repeat(3_000), "{{end}}".repeat(3_000))), Value::object([])],
        ),
        (
            "strings.render_template",
            vec![Value::from(format!("{{{{{}1{}}}}}", "(".repeat(3_000), ")".repeat(3_000))), Value::object([])],
        ),
        ("regex.match", vec![Value::from(format!("{}a{}", "(".repeat(900), ")".repeat(900))), Value::from("a")]),
        ("glob.match", vec![Value::from(format!("{}a{}", "{".repeat(900), "}".repeat(900))), Value::Null, Value::from("a")]),
        ("regex.globs_match", vec![text("a*b*", 200), text("a*c*", 200)]),
        ("rego.parse_module", vec![Value::from("f"), Value::from(format!("package p\nx := {json}"))]),
    ];
    for (name, operands) in calls {
        let answer = call(name, &operands, Limits::default());
        assert!(answer.is_ok(), "{name}: {}", answer.unwrap_err());
    }
}

/// A query that goes so deep, in braces.
fn nested(begin: &str, inside: &str, end: &str, depth: usize) -> Value {
    Value::from(format!("{}{inside}{}", begin.repeat(depth), end.repeat(depth)))
}

const SCHEMA: &str = "type Query { a(x: [Int], i: In): Query b: Int } input In { d: In }";

const PATIENT: Duration = Duration::from_secs(600);

#[test]
fn graphql_that_nests_deeply_is_gone_through() {
    let schema = Value::from(SCHEMA);
    let list = nested("[", "1", "]", 9_000).as_str().unwrap().to_string();
    let object = nested("{a:", "1", "}", 9_000).as_str().unwrap().to_string();
    let deep = nested("{a", "{b}", "}", 9_000);
    let inline = nested("{...", "{b}", "}", 1_000);
    let fragments: String = (0..200).map(|n| format!("fragment F{n} on Query {{ ...F{} a {{ b }} }}\n", n + 1)).collect();
    let chain = Value::from(format!("{{ ...F0 }} {fragments} fragment F200 on Query {{ b }}"));
    let calls: Vec<(&str, Vec<Value>)> = vec![
        ("graphql.is_valid", vec![deep.clone(), schema.clone()]),
        ("graphql.is_valid", vec![inline, schema.clone()]),
        ("graphql.is_valid", vec![chain, schema.clone()]),
        ("graphql.is_valid", vec![Value::from(format!("{{ a(x: {list}) {{ b }} }}")), schema.clone()]),
        (
            "graphql.is_valid",
            vec![Value::from(format!("{{ a(x: {object}) {{ b }} c: a(x: {object}) {{ b }} }}")), schema.clone()],
        ),
        ("graphql.parse_and_verify", vec![deep, schema.clone()]),
        ("graphql.parse_query", vec![Value::from(format!("query ($x: {}) {{ b }}", list.replace('1', "Int")))]),
        ("graphql.parse_schema", vec![Value::from(format!("type Query {{ a(x: Int = [[1]]): {} }}", list.replace('1', "Int")))]),
        // What is complete is dropped where the text is wrong.
        (
            "graphql.is_valid",
            vec![nested("{a", "{b}", "}", 9_000).as_str().map(|text| Value::from(format!("{text} $"))).unwrap(), schema],
        ),
    ];
    for (name, operands) in calls {
        let answer = call(name, &operands, Limits { time: PATIENT, ..Limits::default() });
        assert!(answer.is_ok(), "{name}: {}", answer.unwrap_err());
    }
    // A tree is twice as deep as its text, and JSON, which OPA makes values through, ends at 10,000 levels.
    for (depth, fits) in [(4_997, true), (4_998, false)] {
        let limits = || Limits { time: PATIENT, ..Limits::default() };
        let tree = call("graphql.parse_query", &[nested("{a", "{b}", "}", depth)], limits());
        assert_eq!(tree.is_ok(), fits, "{depth}");
        let Ok(Some(tree)) = tree else { continue };
        assert_eq!(call("graphql.is_valid", &[tree, Value::from(SCHEMA)], limits()), Ok(Some(Value::True)));
    }
}

#[test]
fn graphql_that_would_take_too_long_ends() {
    let limits = || Limits { steps: 1_000_000, memory: 50_000_000, time: PATIENT, ..Limits::default() };
    let schema = Value::from(SCHEMA);
    let conflicts = Value::from(format!("{{ {} }}", "a(x: [1]) { b } a { b } ".repeat(5_000)));
    // Each fragment has the next one twice.
    let doubled: String =
        (0..60).map(|n| format!("fragment F{n} on Query {{ a {{ ...F{m} }} c: a {{ ...F{m} }} }}\n", m = n + 1)).collect();
    let introspection: String =
        (0..60).map(|n| format!("fragment F{n} on __Type {{ ofType {{ ...F{m} ...F{m} }} }}\n", m = n + 1)).collect();
    // Each object is read once more for the one around it.
    let values = Value::from(format!("{{ a(i: {}) {{ b }} }}", nested("{d:", "null", "}", 3_000).as_str().unwrap()));
    let names = Value::from(format!("{{ {} }}", format!("{} ", "x".repeat(5_000)).repeat(200)));
    let similar = Value::from(format!("type Query {{ {}: Int }}", "y".repeat(5_000)));
    let circle = "fragment F on Query { a { ...F a { ...F } } c: a { ...F } }";
    let calls: Vec<(&str, Vec<Value>)> = vec![
        ("graphql.is_valid", vec![conflicts, schema.clone()]),
        (
            "graphql.is_valid",
            vec![
                Value::from(format!(
                    "{{ __schema {{ queryType {{ ...F0 }} }} }} {introspection} fragment F60 on __Type {{ name }}"
                )),
                schema.clone(),
            ],
        ),
        ("graphql.is_valid", vec![values, schema.clone()]),
        ("graphql.is_valid", vec![names, similar]),
        ("graphql.parse_query", vec![text("{a} ", 1 << 20)]),
        ("graphql.parse_schema", vec![text("scalar A ", 1 << 20)]),
        ("graphql.schema_is_valid", vec![text("extend scalar A @d ", 1 << 20)]),
    ];
    for (name, operands) in calls {
        let answer = call(name, &operands, limits());
        let halted = matches!(halt(&answer), Some(Halt::Memory(_) | Halt::Steps(_)));
        assert!(halted, "{name}: {answer:?}");
    }
    for query in [format!("{{ ...F0 }} {doubled} fragment F60 on Query {{ b }}"), format!("{{ ...F }} {circle}")] {
        let answer = call("graphql.is_valid", &[Value::from(query), schema.clone()], limits());
        assert!(answer.is_ok() || halt(&answer).is_some(), "{answer:?}");
    }
}
