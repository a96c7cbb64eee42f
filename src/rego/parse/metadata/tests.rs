//! Blocks, and what OPA 1.22 says to them.

use crate::rego::{Module, Program, RegoVersion};

/// What OPA 1.22 refuses, and what it does not: the block, and a piece of the error.
const BLOCKS: &[(&str, Option<&str>)] = &[
    ("scope: rule", None),
    ("scope: document\nentrypoint: true", None),
    ("entrypoint: yes", None),
    ("title: 3\nfoo: [1]\norganizations:", None),
    ("authors: [a, {email: x}]\nrelated_resources: [http://x, {ref: y}]", None),
    ("schemas: [{input: schema.foo}, {data.foo: {type: string}}]", None),
    ("custom: {a: {b: {1: c}}, b: 0644}\nlabels: {a: 1}", None),
    ("compile: {unknowns: [input.x], mask_rule: m}", None),
    ("title: a\n---\nfoo: [", None),
    ("title: &x a\nfoo: *x", None),
    ("# nothing", None),
    ("", Some("expected METADATA block, found whitespace")),
    ("scope: rule\nfoo: [", Some("METADATA: did not find expected node content")),
    ("foo", Some("cannot unmarshal !!str")),
    ("title: a\ntitle: b", Some("duplicate")),
    ("scope: rulee", Some("invalid annotation scope 'rulee'")),
    ("scope: package", Some("annotation scope 'package' must be applied to package")),
    ("scope: rule\nentrypoint: true", Some("annotation entrypoint applied to non-document or package scope 'rule'")),
    ("entrypoint: 1", Some("entrypoint: cannot unmarshal")),
    ("title: {a: b}", Some("title: cannot unmarshal !!map into string")),
    ("organizations: acme", Some("organizations: cannot unmarshal !!str into a list")),
    ("authors: [1]", Some("authors: invalid value type")),
    ("authors: [{nam: x}]", Some("'name' and/or 'email' values required")),
    ("related_resources: [{description: x}]", Some("ref is no URL")),
    ("schemas: [{foo: schema}]", Some("invalid document reference")),
    ("schemas: [{input: schem}]", Some("invalid schema reference")),
    ("custom: {a: {1: b}}", Some("invalid map key type(s)")),
    ("compile: {unknowns: [x]}", Some("invalid unknowns element")),
    ("compile: {mask_rule: \"a b\"}", Some("invalid mask_rule annotation")),
];

fn refused(text: &str) -> Option<String> {
    let module = Module { key: "m.rego".into(), text: text.into() };
    Program::compile(&[module], RegoVersion::Auto).err().map(|errors| errors.iter().map(ToString::to_string).collect())
}

#[test]
fn blocks_are_refused_as_opa_does() {
    for (block, expected) in BLOCKS {
        let lines: String = block.lines().map(|line| format!("# {line}\n")).collect();
        let error = refused(&format!("package x\n\n# METADATA\n{lines}p := 1\n"));
        match (expected, &error) {
            (None, None) => {}
            (Some(expected), Some(error)) => assert!(error.contains(expected), "{block}: {error}"),
            _ => panic!("{block}: {error:?}"),
        }
    }
}

#[test]
fn blocks_end_where_those_of_opa_end() {
    let accepted = [
        "package x\n# METADATA\n# title: a\n\n# [\np := 1\n",
        "package x\n# METADATA\n# title: a\n # [\np := 1\n",
        "package x\n # METADATA\n # title: [\np := 1\n",
        "package x\np := 1 # METADATA\n# title: [\n",
        "package x\np := `\n# METADATA\n# [\n`\n",
        "package x\n# metadata\n# [\np := 1\n",
        "package x\r\n# METADATA\r\n# title: a\r\np := 1\r\n",
        "\u{feff}# METADATA\n# title: [\npackage x\np := 1",
        "package x\n# METADATA\n# scope: document\np[1] := 1\n# METADATA\n# scope: document\np[2] := 1\n",
    ];
    for text in accepted {
        assert_eq!(refused(text), None, "{text}");
    }
    let refusals = [
        ("package x\np := y if {\n# METADATA\n# title: [\ny := 1\n}\n", "m.rego:4:1"),
        ("package x\n# METADATA is nice\n# but: [\np := 1\n", "m.rego:3:1"),
        ("package x\n#METADATA\n#title: [\np := 1\n", "m.rego:3:1"),
        ("package x\n# METADATA\n# scope: rule\n", "m.rego:2:1"),
        ("package x\n# METADATA\n# title: a\nimport data.foo\np := 1\n", "m.rego:2:1"),
        ("package x\n# METADATA\n# scope: document\np := 1\n# METADATA\n# scope: document\np := 1\n", "m.rego:5:1"),
    ];
    for (text, place) in refusals {
        assert!(refused(text).is_some_and(|error| error.contains(place)), "{text}: {:?}", refused(text));
    }
}
