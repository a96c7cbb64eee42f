//! Where unions of types are other than OPA's: see "Answers that differ" in `docs/rego.md`.

use super::Case;

/// The type that a rule has of three values, of which one may be either of the first two.
fn of_rule(either: &str, or: &str, third: &str) -> String {
    let rules =
        format!("p := [{{input.a: {either}}}, {{input.a: {or}}}][input.i] if input.x\n\np := {{input.b: {third}}} if input.y");
    let module = format!("package t\n\n{rules}\n\nq if p == null\n");
    let case = serde_json::json!({"note": "an object joins a union", "modules": [module]});
    let case: Case = serde_json::from_value(case).unwrap();
    let errors = case.answer().errors;
    let left = errors.first().and_then(|error| error.lines().find_map(|line| line.strip_prefix("left  : ")));
    left.unwrap().to_owned()
}

#[test]
fn an_object_that_joins_a_union_leaves_it_sorted_and_without_duplicates() {
    // OPA: any<object[any: any<boolean, number>], object[any: any<boolean, number>]>
    assert_eq!(of_rule("true", "[1, true][input.j]", "1"), "any<object[any: any<boolean, number>]>");
    // OPA: any<object[any: any<boolean, string>], object[any: number]>
    assert_eq!(of_rule("true", "1", "\"b\""), "any<object[any: number], object[any: any<boolean, string>]>");
    assert_eq!(of_rule("true", "1", "true"), "any<object[any: boolean], object[any: number]>");
}
