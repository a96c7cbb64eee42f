//! Texts for what the conformance cases do not have: OPA's own parser tests, and texts that differed once.

use plimsoll_rego::syntax::tree::Version;

use super::cases::Module;

/// All of them, in all versions.
pub(crate) fn modules() -> Vec<Module> {
    let versions = [Version::V0, Version::V0CompatV1, Version::V1, Version::V2];
    let every = |text: &&str| {
        versions.map(|version| Module { name: "text.rego".to_owned(), version, text: format!("package a\n{text}") })
    };
    TEXTS.iter().flat_map(every).collect()
}

const TEXTS: &[&str] = &[
    "p := 1",
    "p { x, y in xs }",
    "p if { some internal.member_2() }",
    "p := [a | b, c]",
    "p := [a | x in y, 1]",
    "p := {a | k, v in xs, 1}",
    "p := {a: b | c, d: e}",
    "p := {a: b | c, d in e: f}",
    "p := {a: b | c, d in e; f}",
    "p := [a | c, d in e in f, g]",
    "p := [a | c, d in e]",
    "p := {a: b | x := 1}",
    "p := {1 | 1}",
    "p := {input|}",
    "p := [a | some x, y, z]",
    "p := -x.y",
    "p := -1",
    "p := - 1",
    "p := .5 + 0.5",
    "p := 01",
    "p := 1e400",
    "p := 630E-840354372",
    "p := 1e1000000",
    "a and (b or c",
    "p if { not (a or b) and {c} }",
    "p if { ({a}) and b }",
    "p if { not { x; y } with input as 1 }",
    "p if { { a | b } and c }",
    "p := $\"a {x} \\{ {1}{\"b\"}{not y}\"",
    "p := $`a {x}\n\\{`",
    "p := $\"\"",
    "p := \"\\u12\"",
    "p := \"\\ud83d\\ude00 \\x\"",
    "p := \"é\" ; q := '",
    "p ifé { x }",
    "é := 1\nq := \"ü\" + é",
    "import data.if.x\nimport rego.v1\nimport future.keywords.every",
    "import data.x as not",
    "import data.in",
    "import foo.bar",
    "import rego.v2\np if a and b",
    "package b",
    "import future.keywords.bar",
    "default p := x",
    "default f(x, x) := 1",
    "p[x] { x = 1 } { x = 2 }",
    "f(_, x) = y { y = x } { y = 2 } else = 3 { true }",
    "p.a[x].b contains 1 if x",
    "p contains x if y else := 1",
    "p if { true } else := {\"a\": 1} if not x else = 2",
    "if := 1",
    "p.if.q := 1\nq := data.if[\"x\"].some",
    "p {\n  x := 1 y := 2\n}",
    "p := }\n\nq := ]\n\nr if { x := }",
    "#\r\n# METADATA\n# title: x\n#   y: z\np := 1",
    "# METADATA\n# scope: rule\n# entrypoint: true\np := 1",
    "# METADATA\n# title: [\np := 1",
    "# METADATA\n\np := 1",
    "# METADATA\n# authors:\n# - A B <c@d>\n# - name: x\n# schemas:\n# - input.x: schema.y\n# - data.z: {type: string}\n# custom:\n#   a: 1.0\np := 1",
    "p := {\"b\": 1, \"a\": 2, \"b\": 3}",
    "p := {1, 1.0, x, [x], {x}, \"a\", null, f(x), {y | y}}",
    "x := 5\n\\u{a0}y := 6",
    "p := 1 == 2 != 3 | 4 & 5 + 6 * 7 in [8] in 9",
    "p := f(x)[y].z(1)(2)",
    "p := (input.x)[0]",
    "p := {[1,2][0], {\"a\": 1}[\"a\"], (x)}",
    "p := every",
];
