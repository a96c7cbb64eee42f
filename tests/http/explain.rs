//! `?explain` where OPA's own answers are no measure: decisions, and what would take too much. The rest is in
//! `http_cases/explain.yaml`.

use serde_json::{Value as Json, json};

use super::decisions::{BY_NAME, KEYS};
use super::support::{Answer, bare, engine, replica_set};

const PLACEMENT: &str = "/v1/data/kubernetes/placement";

fn lines(answer: &Answer) -> Vec<String> {
    let explanation = answer.json()["explanation"].as_array().cloned().unwrap_or_default();
    explanation.iter().map(|line| line.as_str().unwrap().to_owned()).collect()
}

fn warning(answer: &Answer) -> String {
    answer.json()["warning"]["message"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_decision_is_explained_with_the_input_that_policy_sees() {
    let policy = "package kubernetes.placement\n\nplacement := {\"clusters\": {}} if {\n\tnot input.status\n\ttrace(json.marshal(input.metadata))\n}\n";
    let engine = engine(&[("p.rego", policy)], &[]);
    let mut object = replica_set("web");
    object["status"] = json!({"replicas": 1});
    object["metadata"]["resourceVersion"] = json!("7");
    let body = json!({"input": object}).to_string();
    let plain = engine.ask("POST", PLACEMENT, body.clone()).await;
    let answer = engine.ask("POST", &format!("{PLACEMENT}?explain=notes&pretty"), body).await;
    assert_eq!((answer.status, &answer.json()["result"]), (200, &plain.json()["result"]), "{answer:?}");
    let said = lines(&answer).into_iter().find(|line| line.contains("Note")).unwrap();
    assert!(said.contains("web") && !said.contains("resourceVersion"), "{said}");
}

#[tokio::test]
async fn what_no_policy_is_asked_about_has_no_steps() {
    let engine = engine(&[("p.rego", BY_NAME)], &[KEYS]);
    let mut object = replica_set("placed");
    object["metadata"]["namespace"] = json!("kube-system");
    for (name, object, steps) in [("exempt", object, false), ("placed", replica_set("placed"), true)] {
        let body = json!({"input": object}).to_string();
        let answer = engine.ask("POST", &format!("{PLACEMENT}?explain=full"), body).await;
        let explanation = answer.json()["explanation"].as_array().unwrap().len();
        assert_eq!((answer.status, explanation > 0), (200, steps), "{name}: {answer:?}");
    }
}

#[tokio::test]
async fn what_fails_is_not_explained() {
    let engine = engine(&[("p.rego", BY_NAME)], &[KEYS]);
    let body = json!({"input": replica_set("failed")}).to_string();
    let answer = engine.ask("POST", &format!("{PLACEMENT}?explain=full"), body).await;
    assert_eq!((answer.status, answer.json().get("explanation")), (500, None), "{answer:?}");
}

#[tokio::test]
async fn many_steps_are_cut_off_and_the_answer_is_not() {
    // The steps have to be as many on a loaded machine.
    let policy = "package p\n\nx := count([i | some i in numbers.range(1, 20000); i > 5])\n";
    let engine = engine(&[("p.rego", policy)], &["--eval-timeout=60s"]);
    for (query, least) in [("explain=full", 100), ("explain=full&pretty", 10_000)] {
        let answer = engine.get(&format!("/v1/data/p/x?{query}")).await;
        let found = answer.json();
        let steps = found["explanation"].as_array().unwrap().len();
        assert_eq!((answer.status, &found["result"]), (200, &json!(19_995)), "{query}");
        assert!(steps > least && answer.text.len() < 20 << 20, "{query}: {steps} steps, {} bytes", answer.text.len());
        assert!(warning(&answer).contains("more events are left out"), "{query}: {}", warning(&answer));
    }
}

#[tokio::test]
async fn large_values_of_variables_are_left_out() {
    let engine = bare(&[]);
    let items: Json = (0..50_000).map(|number| json!({"name": number.to_string()})).collect();
    engine.put_data("items", &items).await;
    let answer =
        engine.get("/v1/query?q=all%20:=%20data.items%3B%20some%20x%20in%20[1,2,3]%3B%20count(all)%20%3E%20x&explain=full").await;
    let steps = answer.json()["explanation"].as_array().unwrap().len();
    assert!(steps > 10 && answer.text.len() < 20 << 20, "{steps} steps, {} bytes", answer.text.len());
    assert!(warning(&answer).contains("the values of variables are left out"), "{}", warning(&answer));
}
