//! Texts with a construct so many times over, or so deep.

/// A construct's name, and modules with so many of it.
type Construct = (&'static str, fn(usize) -> Vec<String>);

/// All that are measured.
pub(super) const ALL: &[Construct] = &[
    ("arrays", |n| nest("[", "input.x", "]", n)),
    ("constant arrays", |n| {
        rule(format!(
            "x := {}1{}
x",
            "[".repeat(n),
            "]".repeat(n)
        ))
    }),
    ("objects", |n| nest("{\"a\": ", "input.x", "}", n)),
    ("sets", |n| nest("{", "input.x", "}", n)),
    ("set of sets const", |n| nest("{", "1", "}", n)),
    ("array comprehensions", |n| nest("[x | x := ", "1", "]", n)),
    ("set comprehensions", |n| nest("{x | x := ", "1", "}", n)),
    ("object comprehensions", |n| nest("{k: x | k := 1; x := ", "1", "}", n)),
    ("comprehensions in heads", |n| nest("[", "1", " | input.x]", n)),
    ("comprehensions using vars", |n| {
        rule(format!("v := input.v\n{}v{}", each(n, |i| format!("[x{i} | x{i} := input.y[v]; z{i} := ")), "]".repeat(n)))
    }),
    ("shadowing vars", |n| rule(format!("{}1{}", "[x | y := input.z; y; x := ".repeat(n), "]".repeat(n)))),
    ("calls", |n| nest("count([", "input.x", "])", n)),
    ("sums", |n| rule(format!("input.x{} > 1", " + 1".repeat(n)))),
    ("calls in heads", |n| nest("count([", "1", " | input.x])", n)),
    ("brackets", |n| rule(format!("input.x{}", "[_]".repeat(n)))),
    ("dots", |n| rule(format!("input.x{}", ".a".repeat(n)))),
    ("nested brackets", |n| nest("input[", "1", "]", n)),
    ("var brackets", |n| rule(format!("some {}\ninput.x{}", list(n, |i| format!("i{i}")), each(n, |i| format!("[i{i}]"))))),
    ("parens", |n| nest("(", "input.x", ")", n)),
    ("every", |n| nest("every x in [1] { x == 1; ", "true", "}", n)),
    ("every distinct", |n| {
        rule(format!("{}true{}", each(n, |i| format!("every x{i} in input.y {{ x{i} == 1; ")), "}".repeat(n)))
    }),
    ("not", |n| rule("not input.x\n".repeat(n))),
    ("not nested", |n| {
        vec![format!("package a\n\nimport future.keywords.not\n\nr if {{\n{}input.x{}\n}}\n", "not { ".repeat(n), " }".repeat(n))]
    }),
    ("and or", |n| vec![format!("package a\n\nimport rego.v2\n\nr if {{\ninput.x{}\n}}\n", " and input.y or input.z".repeat(n))]),
    ("with", |n| rule(format!("input.x{}", " with input.y as 1".repeat(n)))),
    ("with distinct", |n| {
        module(format!("r if {{\nq{}\n}}\nq if input.y0\n", each(n, |i| format!(" with input.y{i} as input.z{i}"))))
    }),
    ("with in bodies", |n| {
        module(format!("r if {{\n{}\n}}\nq if input.y0\n", each(n, |i| format!("q with input.y{i} as input.z{i}\n"))))
    }),
    ("long array", |n| rule(format!("x := [{}]\nx", "input.x, ".repeat(n)))),
    ("long const array", |n| rule(format!("x := [{}]\nx", each(n, |i| format!("{i}, "))))),
    ("long object", |n| rule(format!("x := {{{}}}\nx", each(n, |i| format!("\"k{i}\": input.x, "))))),
    ("long set", |n| rule(format!("x := {{{}}}\nx", each(n, |i| format!("input.x[{i}], "))))),
    ("long const set", |n| rule(format!("x := {{{}}}\nx", each(n, |i| format!("{i}, "))))),
    ("array pattern", |n| rule(format!("[{}] := input.x\n{}", each(n, |i| format!("x{i}, ")), each(n, |i| format!("x{i}\n"))))),
    ("rules", |n| module(each(n, |i| format!("r{i} := input.x\n\n")))),
    ("rules of functions", |n| module(each(n, |i| format!("r{i} := x if {{ x := f{i}(input.x) }}\n\nf{i}(y) := [y, 1]\n\n")))),
    ("many bodies", |n| module(format!("r if {{ input.x0 == 0 }}{}\n", each(n, |i| format!(" {{ input.x{i} == {i} }}"))))),
    ("rules of one name", |n| module(each(n, |i| format!("r := {i} if input.x == {i}\n\n")))),
    ("partial set", |n| module(each(n, |i| format!("r contains {i} if input.x == {i}\n\n")))),
    ("partial set objects", |n| module(each(n, |i| format!("r contains {{\"k{i}\": 1}} if input.x == {i}\n\n")))),
    ("partial object", |n| module(each(n, |i| format!("r[\"k{i}\"] := {i} if input.x == {i}\n\n")))),
    ("partial object vars", |n| module(each(n, |i| format!("r[x] := {{\"k{i}\": 1}} if some x in input.x{i}\n\n")))),
    ("functions of one name", |n| module(each(n, |i| format!("f(x) := {i} if x == {i}\n\n")))),
    ("else", |n| module(format!("r := 0 if input.x == 0{}\n", each(n, |i| format!("\nelse := {i} if input.x == {i}"))))),
    ("arguments", |n| module(format!("f({0}) := x0\n\nr := f({1})\n", list(n, |i| format!("x{i}")), list(n, |i| i.to_string())))),
    ("expressions", |n| rule(each(n, |i| format!("x{i} := count(input.x{i})\nx{i} > 0\n")))),
    ("chain of variables", |n| rule(format!("x0 := input.x\n{}", each(n, |i| format!("x{} := x{i}\n", i + 1))))),
    ("reversed chain", |n| rule(format!("{}x0 = input.x\n", each(n, |i| format!("x{} = x{}\n", n - i, n - i - 1))))),
    ("comprehensions in a row", |n| rule(each(n, |i| format!("x{i} := [y | some y in input.x]\n")))),
    ("some in", |n| rule(each(n, |i| format!("some x{i} in input.y\n")))),
    ("templates in a row", |n| rule(format!("x := $\"{}\"\nx", "a {input.x} ".repeat(n)))),
    ("templates nested", |n| rule(format!("x := {}input.x{}\nx", "$`{[".repeat(n), "]}`".repeat(n)))),
    ("modules", |n| (0..n).map(|i| format!("package a\n\nr{i} := input.x\n")).collect()),
    ("packages", |n| (0..n).map(|i| format!("package a.p{i}\n\nr := input.x\n")).collect()),
    ("packages that import", |n| {
        (0..n).map(|i| format!("package p{i}\n\nimport data.p{}\n\nr := p{}.r\n", i + 1, i + 1)).collect()
    }),
    ("imports", |n| {
        module(format!("{}r := [{}]\n", each(n, |i| format!("import data.b.c{i}\n")), each(n, |i| format!("c{i}, "))))
    }),
    ("chain of rules", |n| module(format!("{}r{n} := 1\n", each(n, |i| format!("r{i} := r{}\n\n", i + 1))))),
    ("chain of array rules", |n| module(format!("{}r{n} := 1\n", each(n, |i| format!("r{i} := [r{}]\n\n", i + 1))))),
    ("chain of functions", |n| module(format!("{}f{n}(x) := x\n", each(n, |i| format!("f{i}(x) := f{}(x)\n\n", i + 1))))),
    ("a rule of many", |n| {
        module(format!(
            "{}all := [{}]
",
            each(n, |i| format!(
                "r{i} := input.x

"
            )),
            list(n, |i| format!("r{i}"))
        ))
    }),
    ("readers of a package", |n| {
        let readers = format!("package a\n\n{}", each(n, |i| format!("r{i} := data.b\n\n")));
        vec![readers, format!("package b\n\n{}", each(n, |i| format!("s{i} := input.x\n\n")))]
    }),
    ("readers of a rule of many", |n| {
        module(format!(
            "{}{}",
            each(n, |i| format!("s contains {i} if input.x == {i}\n\n")),
            each(n, |i| format!("r{i} := count(s)\n\n"))
        ))
    }),
    ("long package", |n| vec![format!("package a{}\n\nr := input.x\n", ".b".repeat(n))]),
    ("long heads", |n| module(format!("r{} := input.x\n", ".b".repeat(n)))),
    ("long string", |n| rule(format!("x := \"{}\"\nx", "abc\\n".repeat(n)))),
    ("comments", |n| module(format!("{}r := 1\n", "# abc\n".repeat(n)))),
    ("metadata", |n| module(each(n, |i| format!("# METADATA\n# title: x{i}\nr{i} := 1\n\n")))),
    ("prints", |n| rule("print(input.x)\n".repeat(n))),
    ("unification of arrays", |n| rule(format!("{}x{} = {}1{}", "[".repeat(n), "]".repeat(n), "[".repeat(n), "]".repeat(n)))),
    ("in", |n| {
        rule(format!(
            "x := input.x{}
x",
            " in [input.y]".repeat(n)
        ))
    }),
];

fn each(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect()
}

fn list(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(", ")
}

fn module(rules: String) -> Vec<String> {
    vec![format!("package a\n\n{rules}\n")]
}

fn rule(body: String) -> Vec<String> {
    module(format!("r if {{\n{body}\n}}"))
}

fn nest(open: &str, inner: &str, close: &str, n: usize) -> Vec<String> {
    rule(format!("{}{inner}{}", open.repeat(n), close.repeat(n)))
}
