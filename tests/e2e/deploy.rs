//! `deploy/` on a real API server: it renders, it is accepted, it grants what is needed and no more.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::support::api_server::POLICY_NAMESPACE;
use super::support::deployment::{self, Source};
use super::support::kubectl::Kubectl;
use super::support::pool;
use super::support::server::Server;

fn render(kubectl: &Kubectl, directory: &str) -> Vec<Json> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(directory);
    let text = kubectl.run(&["kustomize", path.to_str().unwrap()]);
    text.split("\n---\n").map(|document| yaml_serde::from_str(document).unwrap()).collect()
}

#[test]
fn every_base_and_overlay_is_accepted_by_the_api_server() {
    let Some(server) = pool::api_server() else { return };
    let kubectl = server.admin();
    deployment::create_policy_namespace(&kubectl);
    let overlays = ["single-cluster", "cert-manager", "client-cert", "peers", "record-keys", "warn", "e2e"];
    let overlays = overlays.iter().map(|overlay| format!("overlays/{overlay}"));
    for directory in ["host", "federation"].into_iter().map(str::to_owned).chain(overlays) {
        for document in render(&kubectl, &directory) {
            // cert-manager's own kinds exist only where cert-manager runs.
            if !document["apiVersion"].as_str().unwrap().starts_with("cert-manager.io/") {
                let accepted = kubectl.try_run_with(&["apply", "--dry-run=server", "-f", "-"], &document.to_string());
                accepted.unwrap_or_else(|failure| panic!("{directory}: {failure}"));
            }
        }
    }
}

#[test]
fn the_overlay_for_tests_changes_only_where_the_webhooks_are() {
    let Some(server) = pool::api_server() else { return };
    let kubectl = server.admin();
    let without_client_config = |directory: &str| {
        let mut documents = render(&kubectl, directory);
        for document in &mut documents {
            for webhook in document.get_mut("webhooks").and_then(Json::as_array_mut).into_iter().flatten() {
                assert!(webhook.as_object_mut().unwrap().remove("clientConfig").is_some());
            }
        }
        documents
    };
    assert_eq!(without_client_config("overlays/e2e"), without_client_config("federation"));
}

/// kubectl sends the selector of a PodDisruptionBudget each time (`patchStrategy: replace`) and says `configured` therefore, whatever there is:
/// its version tells that nothing changed.
#[test]
fn applying_an_overlay_again_changes_nothing_and_kubectl_says_so() {
    let Some(server) = pool::api_server() else { return };
    let kubectl = server.admin();
    for overlay in ["single-cluster", "client-cert", "peers", "record-keys", "warn"] {
        let path = deployment::checkout(&format!("deploy/overlays/{overlay}"));
        kubectl.run(&["apply", "-k", &path]);
        let budget = || kubectl.get(POLICY_NAMESPACE, "poddisruptionbudget/plimsoll")["metadata"]["resourceVersion"].clone();
        let before = budget();
        let said = kubectl.run(&["apply", "-k", &path]);
        let changed: Vec<&str> = said.lines().filter(|line| !line.ends_with(" unchanged")).collect();
        assert_eq!(changed, ["poddisruptionbudget.policy/plimsoll configured"], "{overlay}: {said}");
        assert_eq!(budget(), before, "{overlay}");
    }
}

/// One object of a rendered overlay.
fn rendered(kubectl: &Kubectl, overlay: &str, kind: &str, name: &str) -> Json {
    let found = render(kubectl, &format!("overlays/{overlay}"))
        .into_iter()
        .find(|document| document["kind"] == kind && document["metadata"]["name"] == name);
    found.unwrap_or_else(|| panic!("{overlay} has no {kind} {name}"))
}

#[test]
fn each_overlay_changes_what_it_is_for() {
    let Some(server) = pool::api_server() else { return };
    let kubectl = server.admin();
    let deployment = rendered(&kubectl, "client-cert", "Deployment", "plimsoll");
    let containers = deployment["spec"]["template"]["spec"]["containers"].as_array().unwrap();
    for container in containers {
        let told = container.to_string().contains("PLIMSOLL_REVIEW_CLIENT_CA");
        assert_eq!(told, container["name"] == "engine", "{container}");
    }
    let network = rendered(&kubectl, "peers", "NetworkPolicy", "plimsoll");
    for rule in network["spec"]["ingress"].as_array().unwrap() {
        assert_eq!(rule.get("from").is_some(), rule["ports"][0]["port"] == "review", "{rule}");
    }
    let actions = |overlay: &str, name: &str| {
        let binding = rendered(&kubectl, overlay, "ValidatingAdmissionPolicyBinding", name);
        binding["spec"]["validationActions"].clone()
    };
    for (name, first) in [
        ("plimsoll-hold", json!(["Deny"])),
        ("plimsoll-sidecar", json!(["Warn", "Audit"])),
        ("plimsoll-subresources", json!(["Warn", "Audit"])),
    ] {
        assert_eq!((actions("warn", name), actions("single-cluster", name)), (first, json!(["Deny"])), "{name}");
    }
}

#[test]
fn the_sidecar_may_do_what_it_needs_and_no_more() {
    let Some(server) = pool::api_server() else { return };
    deployment::create_fleet_kind(&server.admin());
    Source::Overlay.apply_access(&server.admin(), Path::new("/dev/null"), Server::Real);
    let sidecar = server.kubectl_as("sidecar", &deployment::sidecar_token(&server.admin()));
    let may = |question: &str| {
        let mut arguments = vec!["auth", "can-i"];
        arguments.extend(question.split(' '));
        // `no` is also exit code 1.
        sidecar.try_run(&arguments).is_ok_and(|answer| answer.starts_with("yes"))
    };
    let own = |rest: &str| format!("{rest} -n {POLICY_NAMESPACE}");
    for needed in [
        "list replicasets.apps -A",
        "watch deployments.apps -A",
        "patch replicasets.apps -A",
        "watch clusters.cluster.karmada.io",
        "create events -A",
        "patch events -A",
        "get namespaces/kube-system",
        &own("watch configmaps"),
        &own("create leases.coordination.k8s.io"),
        &own("update leases.coordination.k8s.io/plimsoll"),
    ] {
        assert!(may(needed), "the sidecar may not {needed}");
    }
    for refused in [
        "delete replicasets.apps -A",
        "update replicasets.apps -A",
        "patch replicasets.apps --subresource=status -A",
        "patch clusters.cluster.karmada.io",
        "list configmaps -A",
        "get secrets -A",
        "get configmaps -n kube-system",
        &own("update configmaps"),
        &own("update leases.coordination.k8s.io/other"),
        &own("get secrets"),
        "patch mutatingwebhookconfigurations.admissionregistration.k8s.io",
        "hold replicasets.apps -A",
        "create clusterrolebindings.rbac.authorization.k8s.io",
    ] {
        assert!(!may(refused), "the sidecar may {refused}");
    }
}
