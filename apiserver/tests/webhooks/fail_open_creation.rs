//! `fail_open_creation`: nothing new fails closed, whichever way it comes.

use plimsoll_apiserver::run::Options;
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::server::{Answer, Server};

const GROUP: &str = "/apis/admissionregistration.k8s.io";
/// What `plimsoll manifests` generates for the federation.
const DEPLOYED: &str = include_str!("../../../deploy/federation/generated.yaml");
const WHY: &str = r#"Unsupported value: "Fail": supported values: "Ignore" (a new one must fail open; once it is stored, and answers, an update may set "Fail")"#;

/// A resource that registers, and how one member of its list looks.
struct Registration {
    path: String,
    list: &'static str,
    kind: &'static str,
    api: String,
    member: Json,
}

impl Registration {
    fn all(server: &Server) -> Vec<Self> {
        let webhook = server.spec("h", "https://localhost:1/", json!({}));
        let service = json!({"name": "hook", "namespace": "default"});
        let hook = json!({"clientConfig": {"service": service, "caBundle": "QQ=="}, "rules": webhook["rules"]});
        let table = [
            ("v1", "MutatingWebhookConfiguration", "webhooks", &webhook),
            ("v1beta1", "MutatingWebhookConfiguration", "webhooks", &webhook),
            ("v1", "ValidatingWebhookConfiguration", "webhooks", &webhook),
            ("v1beta1", "ValidatingWebhookConfiguration", "webhooks", &webhook),
            ("v1alpha1", "ExternalAdmissionHookConfiguration", "externalAdmissionHooks", &hook),
            ("v1alpha1", "InitializerConfiguration", "initializers", &json!({})),
        ];
        let one = |(version, kind, list, member): (&str, &'static str, &'static str, &Json)| Self {
            path: format!("{GROUP}/{version}/{}s", kind.to_lowercase()),
            api: format!("admissionregistration.k8s.io/{version}"),
            kind,
            list,
            member: member.clone(),
        };
        table.map(one).into()
    }

    /// One of its objects; of each member the first segment of its name, and its policy.
    fn object(&self, name: &Json, members: &[(&str, &str)]) -> Json {
        let member = |(name, policy): &(&str, &str)| {
            let mut member = self.member.clone();
            member["name"] = format!("{name}.example.com").into();
            member["failurePolicy"] = (*policy).into();
            member
        };
        let members: Vec<Json> = members.iter().map(member).collect();
        json!({"apiVersion": self.api, "kind": self.kind, "metadata": name, self.list: members})
    }

    /// Fails unless the answer refuses the member at this place.
    fn refused(&self, answer: Answer, index: usize) {
        let (field, answer) = (format!("{}[{index}].failurePolicy", self.list), answer.expect(422));
        assert!(answer.message().ends_with(&format!("{field}: {WHY}")), "{answer:?}");
        let cause = &answer.body["details"]["causes"][0];
        assert_eq!((&cause["reason"], &cause["field"]), (&json!("FieldValueNotSupported"), &json!(field)));
    }
}

async fn strict() -> Server {
    Server::with(Options { fail_open_creation: true, ..Options::default() }).await
}

#[actix_web::test]
async fn nothing_is_created_failing_closed() {
    let server = strict().await;
    for kind in Registration::all(&server) {
        let (c, drawn) = (json!({"name": "c"}), json!({"generateName": "c-"}));
        let closed = kind.object(&c, &[("a", "Ignore"), ("b", "Fail")]);
        kind.refused(server.post(&kind.path, &closed).await, 1);
        kind.refused(server.post(&kind.path, &kind.object(&drawn, &[("b", "Fail")])).await, 0);
        kind.refused(server.post(&format!("{}?dryRun=All", kind.path), &closed).await, 1);
        let path = format!("{}/c", kind.path);
        let apply = format!("{path}?fieldManager=m&force=true");
        kind.refused(server.ask(Method::PATCH, &apply, &closed).await, 1);
        server.get(&path).await.expect(404);
        let open = kind.object(&c, &[("a", "Ignore")]);
        server.ask(Method::PATCH, &apply, &open).await.expect(201);
        server.ask(Method::PATCH, &apply, &kind.object(&c, &[("a", "Fail")])).await.expect(200);
        server.delete(&path).await.expect(200);
        kind.refused(server.ask(Method::PATCH, &apply, &kind.object(&c, &[("a", "Fail")])).await, 0);
    }
    server.running.stop().await;
}

#[actix_web::test]
async fn an_update_lets_what_is_stored_fail_closed_and_nothing_else() {
    let server = strict().await;
    for kind in Registration::all(&server) {
        let c = json!({"name": "c"});
        server.post(&kind.path, &kind.object(&c, &[("a", "Ignore"), ("b", "Ignore")])).await.expect(201);
        let path = format!("{}/c", kind.path);
        let raised = kind.object(&c, &[("b", "Fail"), ("a", "Fail")]);
        server.ask(Method::PUT, &format!("{path}?dryRun=All"), &raised).await.expect(200);
        server.ask(Method::PUT, &path, &raised).await.expect(200);
        let cases = [([("b", "Fail"), ("c", "Fail")], 1), ([("c", "Fail"), ("d", "Ignore")], 0)];
        for (members, index) in cases {
            let object = kind.object(&c, &members);
            kind.refused(server.ask(Method::PUT, &path, &object).await, index);
            kind.refused(server.ask(Method::PUT, &format!("{path}?dryRun=All"), &object).await, index);
            kind.refused(server.ask(Method::PATCH, &path, &json!({kind.list: object[kind.list]})).await, index);
            // An apply adds to what others wrote.
            kind.refused(server.ask(Method::PATCH, &format!("{path}?fieldManager=m&force=true"), &object).await, 2);
        }
        // A subresource would be another way in; there is none.
        server.ask(Method::PUT, &format!("{path}/status"), &kind.object(&c, &[("c", "Fail")])).await.expect(404);
        server.ask(Method::PUT, &path, &kind.object(&c, &[("c", "Ignore"), ("b", "Fail")])).await.expect(200);
        server.delete(&path).await.expect(200);
    }
    server.running.stop().await;
}

/// `failurePolicy` of `v1` is `Fail` where it is not written; of all others it is `Ignore`.
#[actix_web::test]
async fn what_a_version_fills_in_counts_as_written() {
    let server = strict().await;
    for kind in Registration::all(&server) {
        let mut object = kind.object(&json!({"name": "c"}), &[("a", "Ignore")]);
        object[kind.list][0].as_object_mut().unwrap().remove("failurePolicy");
        let answer = server.post(&kind.path, &object).await;
        if kind.api.ends_with("/v1") {
            kind.refused(answer, 0);
        } else {
            answer.expect(201);
            server.delete(&format!("{}/c", kind.path)).await.expect(200);
        }
    }
    server.running.stop().await;
}

/// What `v1beta1` lets be: names that repeat. None of them is an update of another.
#[actix_web::test]
async fn a_second_webhook_of_a_name_is_a_new_one() {
    let server = strict().await;
    let all = Registration::all(&server);
    for kind in all.iter().filter(|kind| kind.api.ends_with("beta1") || kind.list != "webhooks") {
        let c = json!({"name": "c"});
        server.post(&kind.path, &kind.object(&c, &[("a", "Ignore")])).await.expect(201);
        let path = format!("{}/c", kind.path);
        kind.refused(server.ask(Method::PUT, &path, &kind.object(&c, &[("a", "Fail"), ("a", "Fail")])).await, 1);
        server.ask(Method::PUT, &path, &kind.object(&c, &[("a", "Ignore"), ("a", "Fail")])).await.expect(200);
        server.delete(&path).await.expect(200);
    }
    server.running.stop().await;
}

/// The registration of `deploy/federation`: as the page of webhooks says, first failing open, then as it is generated.
#[actix_web::test]
async fn the_registration_of_plimsoll_itself_takes_two_steps() {
    let server = strict().await;
    let documents = yaml_serde::Deserializer::from_str(DEPLOYED).map(|document| Json::deserialize(document).unwrap());
    let hooks: Vec<Json> =
        documents.filter(|object| object["kind"].as_str().unwrap().ends_with("WebhookConfiguration")).collect();
    let (mut created, mut refused) = (0, 0);
    for hook in &hooks {
        let collection = format!("{GROUP}/v1/{}s", hook["kind"].as_str().unwrap().to_lowercase());
        let path = format!("{collection}/{}?fieldManager=kubectl", hook["metadata"]["name"].as_str().unwrap());
        let answer = server.ask(Method::PATCH, &path, hook).await;
        if answer.code == 201 {
            created += 1;
            continue;
        }
        refused += 1;
        assert!(answer.expect(422).message().contains("webhooks[0].failurePolicy: Unsupported value: \"Fail\""));
        let mut open = hook.clone();
        open["webhooks"][0]["failurePolicy"] = "Ignore".into();
        server.ask(Method::PATCH, &path, &open).await.expect(201);
        server.ask(Method::PATCH, &path, hook).await.expect(200);
    }
    assert_eq!((created, refused), (1, 1), "the mutating one fails open");
    server.running.stop().await;
}

#[actix_web::test]
async fn without_the_option_anything_may_fail_closed() {
    let server = Server::start().await;
    for kind in Registration::all(&server) {
        server.post(&kind.path, &kind.object(&json!({"name": "c"}), &[("a", "Fail")])).await.expect(201);
        server.delete(&format!("{}/c", kind.path)).await.expect(200);
    }
    server.running.stop().await;
}
