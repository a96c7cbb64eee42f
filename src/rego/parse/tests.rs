use super::*;

fn module(text: &str) -> Module {
    Module { key: "m.rego".into(), text: text.into() }
}

#[test]
fn version_is_found() {
    for (text, expected) in [
        ("package a\np if { true }", Version::V1),
        ("package a\np { true }", Version::V0),
        ("package a\nimport rego.v1\np if { true }", Version::V1),
        ("package a\nimport future.keywords\np if { true }\nq { true }", Version::V0),
        ("package a\np := 1", Version::V1),
        ("\u{feff}package a\np := $\"{-input.a} {1 - 2}\"", Version::V1),
    ] {
        assert_eq!(parse(&module(text), RegoVersion::Auto).unwrap().version, expected, "{text}");
    }
}

#[test]
fn names_that_only_v0_allows_make_no_module_v0() {
    for rule in ["input := 1", "data := 1", "data.q := 2", "default input = 1", "data contains 1", "contains := 3"] {
        let text = format!("package a\n{rule}");
        assert!(parse(&module(&text), RegoVersion::Auto).is_err(), "{rule}");
        assert_eq!(parse(&module(&text), RegoVersion::V0).is_ok(), rule != "data contains 1", "{rule}");
    }
    let helper = "package a\ncontains(l, e) { l[_] = e }";
    assert_eq!(parse(&module(helper), RegoVersion::Auto).unwrap().version, Version::V0);
}

#[test]
fn errors_have_place_line_and_note() {
    let error = parse(&module("package a\n\tp if { := 1 }"), RegoVersion::Auto).unwrap_err();
    assert_eq!(error.code, "rego_parse_error");
    assert_eq!((error.location.row, error.location.col), (2, 9));
    assert_eq!(error.details.first().map(String::as_str), Some("\tp if { := 1 }"));
    assert!(error.details.last().unwrap().starts_with("note: as Rego v0: 2:4: "), "{error}");
}

#[test]
fn a_place_behind_a_template_string_is_that_of_the_text_as_given() {
    let text = "package a\n\np := [$\"é {input.x}\", nosuch(1)]\n";
    let parsed = parse(&module(text), RegoVersion::V1).unwrap();
    let written = u32::try_from(parsed.text.find("nosuch").unwrap()).unwrap();
    let error = parsed.diagnostic("c", "m", written);
    assert_eq!((error.location.row, error.location.col), (3, 23));
    assert_eq!(error.details, ["p := [$\"é {input.x}\", nosuch(1)]"]);
    let error = parse(&module("package a\n\np := [$\"{input.x}\", := 2]\n"), RegoVersion::V1).unwrap_err();
    assert_eq!((error.location.row, error.location.col), (3, 21), "{error}");
}

#[test]
fn words_right_before_square_brackets_are_no_keywords() {
    for (rule, expected) in [
        ("r := 1 in[1]", Some((2, 8))),
        ("r if every x in[1] {x}", Some((2, 14))),
        ("r if { not[1][2] }", Some((2, 8))),
        ("r if { some[x] in [1] }", Some((2, 8))),
        ("r := input.in[1]", None),
        ("r if { not ([1])[2] }", None),
        ("r if { not([1])[2] }", None),
        ("r if[1]", None),
    ] {
        let error = parse(&module(&format!("package a\n{rule}")), RegoVersion::V1).err();
        assert_eq!(error.map(|error| (error.location.row, error.location.col)), expected, "{rule}");
    }
    assert!(parse(&module("package a\nin[x] { x := 1 }"), RegoVersion::V0).is_ok());
}
