//! Who the server is to webhooks: what its administrator has for each, by stage and by address.

use std::fs;

use plimsoll_apiserver::run::Options;
use serde_json::json;
use tempfile::TempDir;

use super::authority::Authority;
use super::engine::Engine;
use super::server::{Kind, MAPS, Server, map, review};

/// The credentials of the last request.
fn heard(hook: &Engine) -> Option<String> {
    let head = hook.came().last()?.head.clone();
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(name, _)| name.eq_ignore_ascii_case("authorization")).map(|(_, value)| value.to_owned())
}

/// A server whose stages have these users, by the names of the hosts that they are for, and these files beside them.
async fn server(mutating: &str, validating: &str, files: &[(&str, &str)]) -> (Server, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    file("mutating.kubeconfig", &format!("users: [{mutating}]\n"));
    file("validating.kubeconfig", &format!("users: [{validating}]\n"));
    files.iter().for_each(|(name, text)| file(name, text));
    let plugin = |name: &str, kubeconfig: &str| {
        let kind = "apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration";
        format!("- {{name: {name}, configuration: {{{kind}, kubeConfigFile: {kubeconfig}}}}}\n")
    };
    let plugins = plugin("MutatingAdmissionWebhook", "mutating.kubeconfig")
        + &plugin("ValidatingAdmissionWebhook", "validating.kubeconfig");
    let head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n";
    file("admission.yaml", &format!("{head}{plugins}"));
    let admission = Some(folder.path().join("admission.yaml"));
    (Server::with(Options { admission, ..Options::default() }).await, folder)
}

#[actix_web::test]
async fn each_hook_hears_the_credentials_that_are_for_it_and_no_other() {
    let mutators = "{name: localhost, user: {token: nobodys}}, {name: '*', user: {token: mutators}}";
    let validators = "{name: '*', user: {tokenFile: token}}";
    let (server, folder) = server(mutators, validators, &[("token", "from the file\n")]).await;
    let (mutating, validating) = (server.hook([review(json!({}))]), server.hook([review(json!({}))]));
    server.register(Kind::Mutating, "m", &[server.spec("m", &mutating.origin(), json!({}))]).await;
    server.register(Kind::Validating, "v", &[server.spec("v", &validating.origin(), json!({}))]).await;
    server.post(MAPS, &map("a")).await.expect(201);
    // `localhost` is for port 443, and this hook listens on another one.
    assert_eq!(heard(&mutating).as_deref(), Some("Bearer mutators"));
    assert_eq!(heard(&validating).as_deref(), Some("Bearer from the file"));

    // Read for each call.
    fs::write(folder.path().join("token"), "a new one").unwrap();
    server.unregister(Kind::Mutating, "m").await;
    server.post(MAPS, &map("b")).await.expect(201);
    assert_eq!(heard(&validating).as_deref(), Some("Bearer a new one"));
    fs::remove_file(folder.path().join("token")).unwrap();
    let refused = server.post(MAPS, &map("c")).await.expect(500);
    assert!(refused.message().contains("the token file") && !refused.message().contains("a new one"), "{refused:?}");
}

#[actix_web::test]
async fn without_an_administrators_word_nobody_hears_anything() {
    let server = Server::start().await;
    let hook = server.hook([review(json!({}))]);
    server.register(Kind::Validating, "v", &[server.spec("v", &hook.origin(), json!({}))]).await;
    server.post(MAPS, &map("a")).await.expect(201);
    assert_eq!((hook.came().len(), heard(&hook)), (1, None));
}

#[actix_web::test]
async fn a_hook_that_wants_a_certificate_gets_the_one_that_is_for_it() {
    let (clients, strangers) = (Authority::new(), Authority::new());
    let (certificate, key) = clients.issue("apiserver");
    let user = "{name: '*', user: {client-certificate: own.crt, client-key: own.key}}";
    let (server, _folder) = server(user, "", &[("own.crt", &certificate), ("own.key", &key)]).await;
    for (authority, code) in [(&clients, 201), (&strangers, 500)] {
        let hook = server.hook_for(authority, [review(json!({}))]);
        server.register(Kind::Mutating, "m", &[server.spec("m", &hook.origin(), json!({}))]).await;
        server.post(MAPS, &map(&format!("for-{code}"))).await.expect(code);
        server.unregister(Kind::Mutating, "m").await;
    }
}
