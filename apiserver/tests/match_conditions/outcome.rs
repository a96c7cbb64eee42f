//! Finds out how conditions end, without a webhook: each has a hook of its own at an address where nobody listens. A request that
//! fails to call it has met its condition; one that passes has not.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::super::servers::{Answer, Api, Request, eventually};
use super::cases::{Case, Outcome};

const HOOKS: &str = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const MAPS: &str = "/api/v1/namespaces/default/configmaps?dryRun=All";
const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1";
/// Hooks of one configuration.
const MOST: usize = 50;
/// A ServiceAccount that may write ConfigMaps, and a user who may.
const WRITERS: [&str; 2] = ["system:serviceaccount:default:writer", "writer"];

/// Fails when one case ends otherwise than expected, and names all that do.
pub(super) fn compare(api: &Api, cases: &[Case], expected: impl Fn(&Case) -> Outcome) {
    allow_writers(api);
    let stored: Vec<Result<(), String>> = cases.iter().map(|case| refusal(api, &case.expression)).collect();
    let usable = cases.iter().enumerate().filter(|(number, _)| stored[*number].is_ok());
    let hooks: Vec<Json> = usable.map(|(number, case)| hook(number, &case.expression)).collect();
    register(api, &hooks, cases.len());
    let mut wrong = Vec::new();
    for (number, (case, stored)) in cases.iter().zip(stored).enumerate() {
        let found = match stored {
            Ok(()) => outcome(&write(api, case.user.as_deref(), number)),
            Err(why) => Outcome::Refused(why),
        };
        if !agree(&found, &expected(case)) {
            wrong.push(format!("{}\n  expected {:?}\n  found    {found:?}", case.expression, expected(case)));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

fn agree(found: &Outcome, expected: &Outcome) -> bool {
    match (found, expected) {
        (Outcome::Is(found), Outcome::Is(expected)) => found == expected,
        (Outcome::Fails(found), Outcome::Fails(part)) | (Outcome::Refused(found), Outcome::Refused(part)) => {
            !part.is_empty() && found.contains(part)
        }
        _ => false,
    }
}

/// Why a server does not store a condition.
fn refusal(api: &Api, expression: &str) -> Result<(), String> {
    let body = json!({"metadata": {"name": "tried"}, "webhooks": [hook(0, expression)]});
    let answer = post(api, None, &format!("{HOOKS}?dryRun=All"), body);
    if answer.code == 201 { Ok(()) } else { Err(message(&answer)) }
}

/// Registers hooks, and waits until the server calls the last one.
fn register(api: &Api, hooks: &[Json], marker: usize) {
    for (number, chunk) in hooks.chunks(MOST).enumerate() {
        let mut webhooks = chunk.to_vec();
        webhooks.push(hook(marker + number, "true"));
        let answer = post(api, None, HOOKS, json!({"metadata": {"name": format!("c{number}")}, "webhooks": webhooks}));
        assert_eq!(answer.code, 201, "{answer:?}");
        eventually("the hooks are in force", || match outcome(&write(api, None, marker + number)) {
            Outcome::Is(true) => Ok(()),
            other => Err(other),
        });
    }
}

/// A hook for the ConfigMaps with its number, where nobody listens.
fn hook(number: usize, expression: &str) -> Json {
    json!({
        "name": format!("c{number}.example.com"), "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://127.0.0.1:1/"}, "failurePolicy": "Fail",
        "objectSelector": {"matchLabels": {"case": number.to_string()}},
        "matchConditions": [{"name": "it", "expression": expression}],
        "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
    })
}

fn write(api: &Api, user: Option<&str>, number: usize) -> Answer {
    let map = json!({
        "metadata": {"name": "x", "labels": {"case": number.to_string(), "app": "x"}},
        "data": {"a": "1", "b": "2", "ip": "10.0.0.7", "url": "https://example.com:80/p?q=1", "memory": "1Gi"},
    });
    post(api, user, MAPS, map)
}

fn outcome(answer: &Answer) -> Outcome {
    let text = message(answer);
    match answer.code {
        201 => Outcome::Is(false),
        500 if text.contains("failed calling webhook") => Outcome::Is(true),
        _ => Outcome::Fails(text),
    }
}

/// What is said in each case is the same on every server; only then the cases differ by user.
fn allow_writers(api: &Api) {
    let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create"]}]);
    let subjects: Vec<Json> = WRITERS.iter().map(|name| json!({"kind": "User", "name": name})).collect();
    let binding = json!({
        "metadata": {"name": "writers"}, "subjects": subjects,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "writers"},
    });
    let role = json!({"metadata": {"name": "writers"}, "rules": rules});
    for (kind, object) in [("clusterroles", role), ("clusterrolebindings", binding)] {
        let answer = post(api, None, &format!("{ROLES}/{kind}"), object);
        assert_eq!(answer.code, 201, "{answer:?}");
    }
    for user in WRITERS {
        eventually("the roles are in force", || match write(api, Some(user), 0).code {
            201 => Ok(()),
            code => Err(code),
        });
    }
}

fn post(api: &Api, user: Option<&str>, path: &str, body: Json) -> Answer {
    let request = Request { method: Method::POST, path: path.to_owned(), content_type: "application/json", body };
    user.map_or_else(|| api.call(&request), |user| api.call_as(user, &request))
}

fn message(answer: &Answer) -> String {
    answer.body["message"].as_str().unwrap_or_default().to_owned()
}
