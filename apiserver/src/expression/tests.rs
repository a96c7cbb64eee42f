//! Which texts are expressions, and what they say about values.

mod library;

use proptest::prelude::*;
use serde_json::json;

use super::*;

const NAMES: [&str; 5] = ["authorizer", "namespaceObject", "object", "oldObject", "request"];

fn variables(object: Json) -> Variables {
    Variables::from([("object", object), ("oldObject", Json::Null), ("request", json!({"operation": "CREATE", "name": "x"}))])
}

fn verdict(text: &str, object: Json) -> Result<bool, String> {
    let expression = Expression::compile(text, &NAMES).map_err(|error| format!("compile: {error}"))?;
    let mut budget = 2_500_000;
    expression.evaluate(&variables(object), None, &mut budget).map_err(|error| error.to_string())
}

#[test]
fn conditions_have_verdicts() {
    let object = json!({
        "metadata": {"name": "web", "labels": {"app": "web"}, "namespace": "shop"},
        "spec": {"replicas": 3, "ratio": 0.5, "containers": [{"image": "a:1", "ports": [{"port": 80}]}, {"image": "b:2"}]},
    });
    let table = [
        ("true", true),
        ("object.metadata.name == 'web' && request.operation == \"CREATE\"", true),
        ("object.spec.replicas > 2 && object.spec.replicas + 1 == 4", true),
        ("object.spec.ratio < 1.0", true),
        ("oldObject == null", true),
        ("has(object.metadata.labels) && 'app' in object.metadata.labels", true),
        ("has(object.metadata.annotations)", false),
        ("object.spec.containers.all(c, c.image.matches('^[a-z]:[0-9]$'))", true),
        ("object.spec.containers.exists(c, has(c.ports) && c.ports.exists(p, p.port == 80))", true),
        ("object.spec.containers.exists_one(c, c.image.startsWith('a'))", true),
        ("object.spec.containers.map(c, c.image).filter(i, i.endsWith('2')).size() == 1", true),
        ("size(object.spec.containers) == 2 ? object.metadata.name.contains('e') : false", true),
        ("!(object.metadata.namespace in ['kube-system', 'shop'])", false),
        ("object.metadata.name.upperAscii() == 'WEB' && 'a,b'.split(',').size() == 2", true),
        ("object.?metadata.?annotations.?x.orValue('none') == 'none'", true),
        ("type(object.spec.replicas) == int", true),
        ("object.metadata['name'] == 'web'", true),
        ("optional.of(true).value()", true),
    ];
    for (text, expected) in table {
        assert_eq!(verdict(text, object.clone()), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_not_certain_to_be_evaluated_is_refused() {
    let table = [
        ("foo == 1", "undeclared reference to 'foo'"),
        ("object.x == bar", "undeclared reference to 'bar'"),
        ("authorizer.group('').resource('pods').check('get')", "but got kubernetes.authorization.Decision"),
        ("authorizer.group('').check('get').allowed()", "found no matching overload for 'check'"),
        ("object.x.frobnicate()", "undeclared reference to 'frobnicate'"),
        ("'%d'.format([1]) == '1'", "undeclared reference to 'format'"),
        ("request.object == null", "undefined field 'object'"),
        ("request.frob == null", "undefined field 'frob'"),
        ("object", "must evaluate to bool but got dyn"),
        ("object.metadata.name", "must evaluate to bool but got dyn"),
        ("object.?x.orValue(true)", "must evaluate to bool but got dyn"),
        ("request.name", "must evaluate to bool but got string"),
        ("object.list.map(x, 1)", "but got list(int)"),
        ("object.list.filter(x, true)", "but got list(dyn)"),
        ("{'a': 1}", "but got map(string, int)"),
        ("object.a + 1", "but got int"),
        ("optional.of(true)", "but got optional_type(bool)"),
        ("'a,b'.split(',')", "but got list(string)"),
        ("params == 1", "undeclared reference to 'params'"),
        ("1 + 1", "must evaluate to bool"),
        ("'a'", "must evaluate to bool"),
        ("[true]", "must evaluate to bool"),
        ("object.list.map(x, x)", "must evaluate to bool"),
        ("size(object.list)", "must evaluate to bool"),
        ("true ? 1 : 2", "must evaluate to bool"),
        ("object.a.all(a, a.b.all(b, b.c.all(c, c)))", "nested deeper than 2"),
        ("object.list.all(x, y)", "undeclared reference to 'y'"),
        ("object.", "yntax error"),
        ("", "rror"),
        ("Message{a: 1} == null", "undeclared reference to 'Message'"),
    ];
    for (text, part) in table {
        let error = Expression::compile(text, &NAMES).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn what_is_not_there_is_an_error_and_not_false() {
    for (text, part) in [("object.metadata.none == 1", "no such key: none"), ("object.metadata.name > 1", "no such overload")] {
        let error = verdict(text, json!({"metadata": {"name": "web"}})).unwrap_err();
        assert!(error.starts_with(&format!("expression '{text}'")) && error.contains(part), "{error}");
    }
}

#[test]
fn what_costs_too_much_is_not_begun() {
    let list = |length: usize| json!({"list": vec![1; length], "small": [1, 2]});
    let twice = "object.list.all(a, object.list.all(b, a == b))";
    assert_eq!(verdict(twice, list(100)), Ok(true));
    assert!(verdict(twice, list(1_000)).unwrap_err().contains("would exceed the cost limit"));
    // Only what is looped over counts.
    assert_eq!(verdict("object.small.all(a, object.small.exists(b, a == b))", list(100_000)), Ok(true));
    // What is copied counts: a list of lists may be larger than anything that is there.
    let copies = |times: usize| format!("lists.range({times}).map(i, object.list).size() == {times}");
    assert_eq!(verdict(&copies(100), list(1_000)), Ok(true));
    assert!(verdict(&copies(10_000), list(1_000)).unwrap_err().contains("would exceed the cost limit"));
    let text = json!({"text": "a,".repeat(500_000)});
    assert!(verdict("object.text.split(',').all(a, a == 'a' || a == '')", text).unwrap_err().contains("cost limit"));
}

#[test]
fn hostile_texts_end_without_harm() {
    let nested = |open: &str, close: &str, times: usize| format!("{}true{}", open.repeat(times), close.repeat(times));
    let texts = [
        nested("(", ")", 90),
        nested("(", ")", 990),
        nested("!", "", 1_990),
        nested("[", "]", 990),
        nested("{'a':", "}", 390),
        nested("has(", ")", 900),
        format!("true{}", " && true".repeat(990)),
        format!("1{} == 1", " + 1".repeat(1_990)),
        format!("1{} == 1", " - -1".repeat(990)),
        format!("object{}", ".a".repeat(1_990)),
        format!("object{}", "[0]".repeat(990)),
        format!("object{}", ".map(a, a)".repeat(490)),
        format!("object{}true{}", ".all(a, a".repeat(390), ")".repeat(390)),
        format!("{}true", "true ? true : ".repeat(990)),
        "true ? ".repeat(1_990),
        "'".repeat(1_990),
        nested("(", ")", 5_000),
        "\u{0}".repeat(100),
        "x".repeat(20_000),
    ];
    for text in texts {
        if let Ok(expression) = Expression::compile(&text, &NAMES) {
            let _verdict_or_error = expression.evaluate(&variables(json!({})), None, &mut 2_500_000);
        }
    }
    assert_eq!(Expression::compile(&"x".repeat(20_000), &NAMES).map(|_| ()).unwrap_err(), CompileError::TooLong);
}

/// The texts are those of kube-apiserver 1.36.3.
#[test]
fn a_fault_is_told_with_its_place() {
    let table = [
        ("foo == 1", "ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo == 1\n | ^"),
        (
            "object.x.frobnicate()",
            "ERROR: <input>:1:20: undeclared reference to 'frobnicate' (in container '')\n | object.x.frobnicate()\n | ...................^",
        ),
        ("request.frob == 1", "ERROR: <input>:1:8: undefined field 'frob'\n | request.frob == 1\n | .......^"),
        (
            "object.list.all(x, y)",
            "ERROR: <input>:1:20: undeclared reference to 'y' (in container '')\n | object.list.all(x, y)\n | ...................^",
        ),
    ];
    for (text, expected) in table {
        let error = Expression::compile(text, &NAMES).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error, format!("compilation failed: {expected}"));
    }
}

#[test]
fn what_grows_is_charged_before_it_does() {
    let doubled = (0..40).fold("['aaaaaaaa']".to_owned(), |chain, _| format!("{chain}.map(a, a + a)"));
    let lists = (0..40).fold("[[1, 2]]".to_owned(), |chain, _| format!("{chain}.map(a, a + a)"));
    let text = json!("a".repeat(100_000));
    let table = [
        (format!("{doubled}.size() > 0"), text.clone()),
        (format!("{lists}.size() > 0"), text.clone()),
        ("object.replace('', object).size() > 0".to_owned(), text.clone()),
        ("[1, 2, 3].map(i, object).map(t, [t, t, t, t, t, t, t, t, t, t].join('')).map(t, [t, t, t, t, t, t, t, t, t, t].join('')).size() > 0".to_owned(), text.clone()),
        ("[lists.range(100000)].all(l, lists.range(50000).all(i, l == l))".to_owned(), text.clone()),
        ("[lists.range(100000)].all(l, lists.range(50000).all(i, !(-1 in l)))".to_owned(), text.clone()),
        ("object.findAll('.*[^A-Z]|[A-Z]').size() > 0".to_owned(), text.clone()),
        ("object.indexOf(object + object) < 0".to_owned(), text.clone()),
    ];
    for (condition, object) in table {
        let refused = verdict(&condition, object).unwrap_err();
        assert!(refused.contains("cost limit"), "{condition}: {refused}");
    }
}

#[test]
fn what_people_write_is_within_the_limit() {
    let object = json!({
        "labels": {"app": "web", "tier": "front"}, "image": "registry.example.org/team/web:1.2.3", "note": "x".repeat(4_000),
        "ports": (0..100).map(|port| json!({"port": port, "target": 8_000 + port})).collect::<Vec<_>>(),
    });
    let table = [
        "object.ports.all(p, p.port + p.target < 70000)",
        "object.ports.map(p, p.port + 1).all(p, p > 0)",
        "lists.range(100).map(i, i + i).sum() == 9900",
        "object.image.split('/').join('-').replace('.', '_').startsWith('registry')",
        "('x-' + object.labels.app + '-' + object.labels.tier).size() > 3",
        "object.labels.all(key, object.labels[key] in ['web', 'front'])",
        "object.ports.exists(p, object.ports.exists(q, p.port == q.port))",
        "object.image.findAll('[a-z]+').size() > 1",
    ];
    for condition in table {
        assert_eq!(verdict(condition, object.clone()), Ok(true), "{condition}");
    }
}

proptest! {
    /// Whatever is written, nothing panics and nothing is evaluated without end.
    #[test]
    fn any_text_ends(tokens in proptest::collection::vec(proptest::sample::select(TOKENS.to_vec()), 0..24)) {
        let text = tokens.join(" ");
        if let Ok(expression) = Expression::compile(&text, &NAMES) {
            let object = json!({"a": [1, 2, {"b": "text"}], "b": "text", "metadata": {"name": "x"}});
            let _verdict_or_error = expression.evaluate(&variables(object), None, &mut 2_500_000);
        }
    }
}

const TOKENS: [&str; 58] = [
    "object",
    "oldObject",
    "request",
    "x",
    ".",
    ".a",
    ".b",
    ".?c",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ",",
    ":",
    "?",
    "!",
    "-",
    "+",
    "*",
    "/",
    "%",
    "==",
    "<",
    "&&",
    "||",
    "in",
    "true",
    "null",
    "0",
    "1",
    "-9223372036854775808",
    "1.5",
    "'a'",
    "\"b\"",
    "has(object.a)",
    ".all(x, x",
    ".size()",
    ".substring(-1, 99)",
    "authorizer.path('/')",
    ".check('get').allowed()",
    "quantity('1Gi')",
    "ip('::1')",
    "cidr('10.0.0.0/8')",
    "url('/a?b')",
    "semver('1.2.3')",
    "format.uri().validate(",
    "duration('1h')",
    "timestamp(0)",
    "lists.range(3)",
    "sets.contains(",
    "optional.of(",
    ".find('a*')",
    ".flatten(9)",
    ".sortBy(x, x)",
    ".sum()",
    ".getFullYear('Europe/Berlin')",
];
