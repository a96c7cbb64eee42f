//! The functions beyond the language: that each is there, and what questions to the authorizer cost. What they say, the table of
//! `apiserver/tests/match_conditions` holds.

use serde_json::json;

use super::super::*;

/// Says yes to one verb.
#[derive(Debug)]
struct Allows(&'static str);

impl Authorizer for Allows {
    fn authorize(&self, subject: &Subject, question: &Question<'_>) -> Answer {
        let (Question::Path { verb, .. } | Question::Resource { verb, .. }) = *question;
        Answer { allowed: verb == self.0 && *subject == Subject::Requester, reason: format!("{question:?}") }
    }
}

fn asked(text: &str, budget: &mut u64) -> Result<bool, String> {
    let names = ["authorizer", "object"];
    let expression = Expression::compile(text, &names).map_err(|error| format!("compile: {error}"))?;
    let resource = Requested { resource: "configmaps".to_owned(), ..Requested::default() };
    let authorization = Authorization { authorizer: Arc::new(Allows("get")), resource };
    let variables = Variables::from([("object", json!({"text": "::1"}))]);
    expression.evaluate(&variables, Some(&authorization), budget).map_err(|error| error.to_string())
}

#[test]
fn checks_cost_when_they_are_asked() {
    let check = "authorizer.path('/').check('get').allowed()";
    let mut budget = 2_500_000;
    assert_eq!(asked(&format!("{check} && {check}"), &mut budget), Ok(true));
    assert!((1_700_000..1_800_000).contains(&budget), "{budget}");
    // The second and the third are not arrived at.
    assert_eq!(asked(&format!("{check} || {check} || {check}"), &mut budget), Ok(true));
    assert!(asked(&format!("{check} && {check} && {check}"), &mut budget).unwrap_err().contains("would exceed the cost limit"));
    assert_eq!(budget, 0);
    // What is spent is not forgotten because the rest decides.
    let third = format!("({check} && {check} && {check}) || true");
    assert!(asked(&third, &mut 2_500_000).unwrap_err().contains("would exceed the cost limit"));
    assert_eq!(asked("authorizer.serviceAccount('a', 'b').path('/').check('get').allowed()", &mut 2_500_000), Ok(false));
    assert_eq!(asked("authorizer.requestResource.check('get').reason().contains('configmaps')", &mut 2_500_000), Ok(true));
}

/// A value of a type, as an expression.
fn example(kind: &str) -> String {
    if kind == "map(K, V)" {
        return "{1: 1}".to_owned();
    }
    let inner = |outer: &str| kind.strip_prefix(outer).and_then(|rest| rest.strip_suffix(')'));
    if let Some(of) = inner("list(") {
        return format!("[{}]", example(of));
    }
    if let Some(of) = inner("optional(") {
        return format!("optional.of({})", example(of));
    }
    let text = match kind {
        "T" | "U" | "K" | "V" | "int" | "dyn" => "1",
        "bool" => "true",
        "bytes" => "b'a'",
        "double" => "1.5",
        "duration" => "duration('1s')",
        "string" => "object.text",
        "timestamp" => "timestamp(0)",
        "uint" => "1u",
        "net.IP" => "ip('::1')",
        "net.CIDR" => "cidr('::/0')",
        "kubernetes.Quantity" => "quantity('1')",
        "kubernetes.URL" => "url('/a')",
        "kubernetes.Semver" => "semver('1.0.0')",
        "kubernetes.NamedFormat" => "format.uri()",
        "kubernetes.authorization.Authorizer" => "authorizer",
        "kubernetes.authorization.PathCheck" => "authorizer.path('/')",
        "kubernetes.authorization.GroupCheck" => "authorizer.group('')",
        "kubernetes.authorization.ResourceCheck" => "authorizer.requestResource",
        "kubernetes.authorization.Decision" => "authorizer.path('/').check('get')",
        other => panic!("{other} has no example"),
    };
    text.to_owned()
}

/// A function may fail on an example; it must not be missing.
#[test]
fn every_declared_function_is_there() {
    for (target, names, arguments, _) in declarations::functions() {
        for name in names.split_whitespace().filter(|name| *name != "@sortByAssociatedKeys") {
            let arguments = if arguments.starts_with("map") { vec![*arguments] } else { arguments.split(", ").collect() };
            let arguments: Vec<String> = arguments.into_iter().filter(|kind| !kind.is_empty()).map(example).collect();
            let on = if target.is_empty() { String::new() } else { format!("{}.", example(target)) };
            let text = format!("[{on}{}({})].size() == 1", name.trim_start_matches('@'), arguments.join(", "));
            let found = asked(&text, &mut 2_500_000);
            let is_there = match &found {
                Ok(verdict) => *verdict,
                Err(why) => !why.contains("compile") && !why.contains("no such overload") && !why.contains("ndeclared"),
            };
            assert!(is_there, "{text}: {found:?}");
        }
    }
}
