//! What modules become.

use crate::rego::parse::{self, Version};
use crate::rego::{Module, RegoVersion};

use super::{Packages, heads, names};

fn written(texts: &[&str], version: RegoVersion) -> Vec<String> {
    let module = |(i, text): (usize, &&str)| Module { key: format!("m{i}"), text: (*text).to_owned() };
    let parsed: Vec<_> = texts.iter().enumerate().map(|m| parse::parse(&module(m), version).unwrap()).collect();
    let packages = Packages::of(&parsed);
    parsed
        .iter()
        .map(|module| {
            assert!(version == RegoVersion::Auto || (module.version == Version::V1) == (version == RegoVersion::V1));
            let text = names(&module.text, &module.ast, &packages).text;
            text.lines().map(str::trim_end).filter(|line| !line.is_empty()).skip(1).collect::<Vec<_>>().join("\n")
        })
        .collect()
}

#[test]
fn imports_are_written_out() {
    let cases = [
        ("import data.a.b\nx := b.c", "x := data.a.b.c"),
        ("import data.a.b as d\nx := d[d.e]\ny := d.f(1)", "x := data.a.b[data.a.b.e]\ny := data.a.b.f(1)"),
        ("import input.metadata\nx := metadata.labels[\"a\"] if metadata", "x := input.metadata.labels[\"a\"] if input.metadata"),
        ("import data.odd[\"a.b\"]\nimport data.odd[\"if\"] as cond\nx := cond", "x := data.odd[\"if\"]"),
        ("import rego.v1\nimport data.a\nx if some b in a", "import rego.v1\nx if some b in data.a"),
        ("import data.a\nx if { some a in [1]; a == 1 }\ny := a", "x if { some a in [1]; a == 1 }\ny := data.a"),
        ("import data.a\nf(a) := a\ng(b) := a", "f(a) := a\ng(b) := data.a"),
        ("import data.a\nx := [a | a := 1]\ny := [b | b := a]", "x := [a | a := 1]\ny := [b | b := data.a]"),
        ("import data.a\nx if every a in a { a }", "x if every a in data.a { a }"),
        ("import data.a\nx if y with a.b as a.c\ny := 1", "x if y with data.a.b as data.a.c\ny := 1"),
        ("import data.a\nx := {\"a\": a.a}", "x := {\"a\": data.a.a}"),
        ("import data.a\nx[a.b] := a.c", "x[data.a.b] := data.a.c"),
        ("import data.a\nx := 1 if input.y else := a if a", "x := 1 if input.y else := data.a if data.a"),
    ];
    for (text, expected) in cases {
        assert_eq!(written(&[&format!("package p\n{text}")], RegoVersion::V1), [expected], "{text}");
    }
}

#[test]
fn variables_named_like_rules_get_another_name() {
    let cases = [
        ("c := 1\nx := [c | some c in [1]]", "c := 1\nx := [c_local | some c_local in [1]]"),
        ("c := 1\nx if { some c; data.a[c] }\ny := c", "c := 1\nx if { some c_local; data.a[c_local] }\ny := c"),
        ("c := 1\nf(c) := c.c", "c := 1\nf(c_local) := c_local.c"),
        ("c := 1\nx := y if { c := 2; y := c + 1 }", "c := 1\nx := y if { c_local := 2; y := c_local + 1 }"),
        ("c := 1\nx if every k, c in [1] { c > k }", "c := 1\nx if every k, c_local in [1] { c_local > k }"),
        ("c := 1\nx[c] := 1 if some c in [1]", "c := 1\nx[c_local] := 1 if some c_local in [1]"),
        ("c(x) := x\ny := [z | some c in [1]; z := c]", "c(x) := x\ny := [z | some c_local in [1]; z := c_local]"),
        (
            "c := 1\nx if { some [c, {\"k\": d}] in [[1, {\"k\": 2}]]; c < d }",
            "c := 1\nx if { some [c_local, {\"k\": d}] in [[1, {\"k\": 2}]]; c_local < d }",
        ),
        ("c := 1\nx := [c_local | some c, c_local in [1]]", "c := 1\nx := [c_local | some c_local_, c_local in [1]]"),
        ("c := 1\nx if c.d with input.c as c", "c := 1\nx if c.d with input.c as c"),
    ];
    for (text, expected) in cases {
        assert_eq!(written(&[&format!("package p\n{text}")], RegoVersion::V1), [expected], "{text}");
    }
    let v0 = written(
        &["package p\nc = 1\nx[c] { some c; data.a[c] }\ny = c { c == 1 } else = 2 { some c; data.b[c] }"],
        RegoVersion::V0,
    );
    assert_eq!(
        v0,
        ["c = 1\nx[c_local] { some c_local; data.a[c_local] }\ny = c { c == 1 } else = 2 { some c_local; data.b[c_local] }"]
    );
}

#[test]
fn whole_packages_have_their_rules_named_first() {
    let lib = ["package lib\nx := 1\nf(y) := y", "package lib.a\ny := 1", "package other\nz := 1"];
    let read = |text: &str| {
        let reader = format!("package p\nimport data.lib as l\nimport data.lib.a\n{text}");
        written(&[lib[0], lib[1], lib[2], &reader], RegoVersion::V1).remove(3)
    };
    // Packages without a value are empty objects, unless `with` replaces them.
    let whole = |behind: &str, nodes: &str| {
        let document = "{0: plimsoll__w | plimsoll__w := [[1 | data.lib.x], [1 | data.lib.a.y], data][2].lib}";
        let place = format!("{{\"at\":[\"lib\"],\"behind\":{behind},\"hidden\":[],\"nodes\":{nodes}}}");
        format!("plimsoll__.whole({document}, {{0: plimsoll__w | plimsoll__w := data.plimsoll__with}}, {place})")
    };
    let (all, inside) = (whole("[]", "{\"a\":{}}"), whole("[null,\"y\"]", "{\"a\":{}}"));
    assert_eq!(read("q := data.lib"), format!("q := {all}"));
    assert_eq!(read("q := l[k].y if k := \"a\""), format!("q := {inside}[k].y if k := \"a\""));
    assert_eq!(read("q := data[\"lib\"]"), format!("q := {all}"));
    assert_eq!(read("q := l.x + l.f(1) + data.lib.base.a"), "q := data.lib.x + data.lib.f(1) + data.lib.base.a");
    assert_eq!(read("q := a\nr := data.other"), "q := data.lib.a\nr := data.other");
    assert_eq!(read("q if 1 with l as {}"), "q if 1 with data.lib as {}");
}

fn with_heads(text: &str, version: RegoVersion) -> String {
    let rule = if version == RegoVersion::V0 { "r = 1 { input.r }" } else { "r := 1 if input.r" };
    let module = Module { key: "m".into(), text: format!("package p\n{rule}\n{text}") };
    let parsed = [parse::parse(&module, version).unwrap()];
    let written = heads(&module.text, &parsed[0].ast, &Packages::of(&parsed)).text;
    parse::parse(&Module { text: written.clone(), ..module }, version).unwrap_or_else(|e| panic!("{e}\n{written}"));
    written.splitn(3, '\n').nth(2).unwrap().to_owned()
}

#[test]
fn heads_that_may_be_undefined_become_comprehensions() {
    let cases = [
        (
            "x[n] := c.k if some n, c in data.c",
            "x[out0_] := out1_ if { [out0_, out1_] := [[[in0_, in1_] | in0_ := n; in1_ :=  c.k] | some n, c in data.c][_][_] }",
        ),
        (
            "x contains c.k if { some c in data.c }",
            "x contains out0_ if { [out0_] := [[[in0_] | in0_ :=  c.k] |  some c in data.c ][_][_] }",
        ),
        (
            "x[c.k].y[n] := {\"a\": r} if {\n  some n, c in data.c # }\n  c.z\n}",
            "x[out0_].y[out1_] := out2_ if { [out0_, out1_, out2_] := [[[in0_, in1_, in2_] | in0_ := c.k; in1_ := n; in2_ :=  {\"a\": r}] | \n  some n, c in data.c # }\n  c.z\n][_][_] }",
        ),
        ("x := c.k if some c in data.c", "x := out0_ if { [out0_] := [[[in0_] | in0_ :=  c.k] | some c in data.c][_][_] }"),
        ("x contains data.c[_].k", "x contains out0_ if { [out0_] := [[[in0_] | in0_ :=  data.c[_].k] | true][_][_] }"),
        ("f(a, b) := c[a] if some c in b", "f(a, b) := out0_ if { [out0_] := [[[in0_] | in0_ :=  c[a]] | some c in b][_][_] }"),
        (
            "x := 1 if input.a else := c.k if some c in data.c else := data.d[_]",
            "x := 1 if input.a else := out0_ if { [out0_] := [[[in0_] | in0_ :=  c.k] | some c in data.c][_][_] } else := out0_ if { [out0_] := [[[in0_] | in0_ :=  data.d[_]] | true][_][_] }",
        ),
        (
            "x[n] := to_number(v) if {n := \"a\"; v := data.c[n][_]}",
            "x[out0_] := out1_ if { [out0_, out1_] := [[[in0_, in1_] | in0_ := n; in1_ :=  to_number(v)] | n := \"a\"; v := data.c[n][_]][_][_] }",
        ),
        (
            "x := data.c[k] == \"a\" if k := `b`",
            "x := out0_ if { [out0_] := [[[in0_] | in0_ :=  data.c[k] == \"a\"] | k := `b`][_][_] }",
        ),
        (
            "in0_ contains c.k if some c in data.c",
            "in0_ contains out0__ if { [out0__] := [[[in0__] | in0__ :=  c.k] | some c in data.c][_][_] }",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(with_heads(text, RegoVersion::V1), expected, "{text}");
    }
    let v0 = [
        ("x[c.k] { c := data.c[_] }", "x[out0_] { [out0_] := [[[in0_] | in0_ := c.k] |  c := data.c[_] ][_][_] }"),
        (
            "x[n] = c.k { c := data.c[n] }",
            "x[out0_] = out1_ { [out0_, out1_] := [[[in0_, in1_] | in0_ := n; in1_ :=  c.k] |  c := data.c[n] ][_][_] }",
        ),
        (
            "f(a) = c { c := a } else = data.c[a][_].k { a }",
            "f(a) = c { c := a } else := out0_ { [out0_] := [[[in0_] | in0_ :=  data.c[a][_].k] |  a ][_][_] }",
        ),
    ];
    for (text, expected) in v0 {
        assert_eq!(with_heads(text, RegoVersion::V0), expected, "{text}");
    }
}

#[test]
fn heads_that_are_defined_stay() {
    for text in [
        "x[n] := {\"weight\": 1} if some n, c in data.c",
        "x contains n if some n, c in data.c",
        "x := input.a.b",
        "x[\"a/b\"] := json.marshal({\"c\": {k: v | some k, v in data.c}}) if input.x",
        "x contains sprintf(\"%s\", [n]) if some n in input.x",
        "x := data.c.d if not data.e[input.x]",
        "x := lower(input.a) if every c in data.c { c.d }",
        "x[n] := [y | y := c.k] if some n, c in data.c",
        "f(x) := x.y",
        "x if some c in data.c",
    ] {
        assert_eq!(with_heads(text, RegoVersion::V1), text);
    }
}
