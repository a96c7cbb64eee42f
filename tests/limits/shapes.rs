//! Values that are cheap to write and dear to go through: each binds `v`, and `w`, which is equal and not the same.

/// Name, rules beside, statements of the body.
pub(super) type Shape = (&'static str, String, String);

/// Doublings that an evaluation may just make.
const SOME: usize = 15;
/// Doublings that none survives.
const MANY: usize = 60;

pub(super) fn all() -> Vec<Shape> {
    vec![
        statements("doubled array", SOME, "[#, #]"),
        statements("doubled object", SOME, r#"{"l": #, "r": #}"#),
        statements("array doubled for ever", MANY, "[#, #]"),
        statements("set doubled for ever", MANY, "{[#, 1], [#, 2]}"),
        statements("array of comprehensions for ever", MANY, "[# | some _ in [1, 2]]"),
        statements("concatenated for ever", MANY, "array.concat([#], [#])"),
        statements("united for ever", MANY, r#"object.union({"l": #}, {"r": #})"#),
        rules("partial objects for ever", MANY, "NAME[i] := # if some i in [0, 1]\n"),
        rules("partial sets for ever", MANY, "NAME contains [i, #] if some i in [0, 1]\n"),
        functions("functions for ever", MANY),
        bound("deep", &deep(100, "[", "]")),
        bound("deep objects", &deep(100, r#"{"a":"#, "}")),
        statements("deeper than any document", 400, "[#]"),
        both("long text", "concat(\"\", [input.text | some _ in numbers.range(1, 64)])"),
        both("long array", "numbers.range(1, 200000)"),
        both("set of many", "{[n, n] | some n in numbers.range(1, 50000)}"),
        both("large number", "1e300 * 1e300"),
        both("long number", "to_number(concat(\"\", [\"9\" | some _ in numbers.range(1, 5000)]))"),
        both("graph", "{n: numbers.range(0, 30) | some n in numbers.range(0, 30)}"),
        both("anchors", "yaml.unmarshal(input.laughs)"),
        both("huge width", "sprintf(\"%65000d%65000d\", [1, 2])"),
        both("huge shift", "bits.lsh(1, 65000)"),
    ]
}

/// What the policies read.
pub(super) fn input() -> String {
    let level = |n: usize| format!("a{}: &a{} [{}]\n", n + 1, n + 1, vec![format!("*a{n}"); 9].join(", "));
    let laughs = format!("a0: &a0 [lol]\n{}", (0..9).map(level).collect::<String>());
    serde_json::json!({"x": "x", "text": "a-b.c/(d+)*".repeat(1500), "laughs": laughs}).to_string()
}

/// `#` stands for what was before.
fn statements(name: &'static str, times: usize, step: &str) -> Shape {
    let chain = |variable: &str| {
        let one = |n: usize| format!("{variable}{} := {}\n", n + 1, step.replace('#', &format!("{variable}{n}")));
        format!("{variable}0 := [input.x]\n{}", (0..times).map(one).collect::<String>())
    };
    (name, String::new(), format!("{}{}v := a{times}\nw := b{times}\n", chain("a"), chain("b")))
}

fn rules(name: &'static str, times: usize, rule: &str) -> Shape {
    let chain = |variable: &str| {
        let one = |n: usize| rule.replace("NAME", &format!("{variable}{}", n + 1)).replace('#', &format!("{variable}{n}"));
        format!("{variable}0 := [input.x]\n{}", (0..times).map(one).collect::<String>())
    };
    (name, format!("{}{}", chain("a"), chain("b")), format!("v := a{times}\nw := b{times}\n"))
}

fn functions(name: &'static str, times: usize) -> Shape {
    let one = |n: usize| format!("f{}(x) := f{n}([x, x])\n", n + 1);
    let chain = (0..times).map(one).collect::<String>();
    (name, format!("f0(x) := x\n{chain}"), format!("v := f{times}([input.x])\nw := f{times}([input.x])\n"))
}

fn bound(name: &'static str, json: &str) -> Shape {
    both(name, &format!("json.unmarshal(`{json}`)"))
}

fn both(name: &'static str, expression: &str) -> Shape {
    (name, String::new(), format!("v := {expression}\nw := {expression}\n"))
}

fn deep(levels: usize, open: &str, close: &str) -> String {
    format!("{}1{}", open.repeat(levels), close.repeat(levels))
}
