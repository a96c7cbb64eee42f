//! The embedded API server beside a real kube-apiserver that has the configurations of webhooks, as an aggregated one is: read by an account
//! that may do nothing else.

use serde_json::{Value as Json, json};

use super::support::assets::Assets;
use super::support::embedded::Embedded;
use super::support::eventually::eventually;
use super::support::kubectl::Kubectl;
use super::support::pool;

const READER: &str = "plimsoll-admission-reader";

/// What the flag's documentation grants.
fn reader(admin: &Kubectl) -> String {
    let group = "admissionregistration.k8s.io";
    let (kinds, role) = ("mutatingwebhookconfigurations,validatingwebhookconfigurations", format!("--clusterrole={READER}"));
    let resources = kinds.split(',').map(|kind| format!("--resource={kind}.{group}")).collect::<Vec<_>>();
    let _left_by_another_run = admin.try_run(&["delete", "clusterrole,clusterrolebinding", READER]);
    admin.run(&["create", "clusterrole", READER, "--verb=list", &resources[0], &resources[1]]);
    if admin.try_run(&["get", "serviceaccount", READER]).is_err() {
        admin.run(&["create", "serviceaccount", READER]);
    }
    admin.run(&["create", "clusterrolebinding", READER, &role, &format!("--serviceaccount=default:{READER}")]);
    admin.run(&["create", "token", READER]).trim().to_owned()
}

fn registration() -> Json {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "remote"},
        "webhooks": [{
            "name": "remote.example.com", "clientConfig": {"url": "https://localhost:1/"}, "sideEffects": "None",
            "admissionReviewVersions": ["v1"], "namespaceSelector": {"matchLabels": {"remote": "yes"}},
            "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
        }],
    })
}

#[test]
fn webhooks_of_a_real_api_server_judge_what_is_written_here() {
    let (Some(assets), Some(server)) = (Assets::find(), pool::api_server()) else { return };
    let admin = server.admin();
    let token = reader(&admin);
    let account = server.kubectl_as(READER, &token);
    let flag = format!("--admission-configuration-kubeconfig={}", account.kubeconfig().display());
    let embedded = Embedded::kept_with(&assets, &[&flag]);
    let kubectl = embedded.admin();
    kubectl.run(&["label", "namespace", "default", "remote=yes"]);
    let tried = || kubectl.try_run(&["create", "configmap", "x", "--dry-run=server"]);
    tried().unwrap();

    admin.create(&registration());
    let refused = eventually("the webhook is called", || match tried() {
        Ok(created) => Err(created),
        Err(failure) => Ok(failure.to_string()),
    });
    assert!(refused.contains("failed calling webhook \"remote.example.com\""), "{refused}");
    admin.run(&["delete", "validatingwebhookconfiguration", "remote"]);
    eventually("it is not called any more", tried);

    admin.run(&["delete", "clusterrolebinding", READER]);
    let refused = eventually("what may not be read judges nothing", || match tried() {
        Ok(created) => Err(created),
        Err(failure) => Ok(failure.to_string()),
    });
    assert!(refused.contains("the API server answered 403"), "{refused}");
    kubectl.run(&["get", "configmaps"]);
}
