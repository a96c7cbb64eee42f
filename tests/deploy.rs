//! What is checked in below `deploy/` is what the table of kinds says.

use std::path::{Path, PathBuf};

use plimsoll::cli::manifests;

fn deploy(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(path)
}

#[test]
fn generated_manifests_are_up_to_date() {
    let args = manifests::Args {
        config: Some(deploy("host/sync.yaml")),
        schema: false,
        namespace: "kube-federation-scheduling-policy".into(),
        review_url: "https://plimsoll.kube-federation-scheduling-policy.svc".into(),
        review_ca_file: None,
        controllers: Vec::new(),
        annotation_keys: Vec::new(),
        other_keys: Vec::new(),
        initializer: false,
        without_admission_policies: false,
        without_flow_schemas: false,
    };
    let mut generated = Vec::new();
    manifests::run(&args, &mut generated).unwrap();
    let checked_in = std::fs::read_to_string(deploy("federation/generated.yaml")).unwrap();
    assert_eq!(checked_in, String::from_utf8(generated).unwrap(), "run `just manifests` and commit what it wrote");
}

#[test]
fn both_sides_name_the_same_namespace() {
    let read = |path: &str| std::fs::read_to_string(deploy(path)).unwrap();
    assert_eq!(read("host/namespace.yaml"), read("federation/namespace.yaml"));
}

#[test]
fn the_role_for_people_is_about_the_brakes_own_config_map() {
    let config = plimsoll_sidecar::config::Config::read(&deploy("host/sync.yaml")).unwrap();
    let role = std::fs::read_to_string(deploy("components/brake-operator/role.yaml")).unwrap();
    let role: serde_json::Value = yaml_serde::from_str(&role).unwrap();
    assert_eq!(role["metadata"]["namespace"].as_str(), config.policy_namespace.as_deref());
    let lease = config.lease.unwrap();
    assert_eq!(Some(lease.namespace), config.policy_namespace, "the role is of one namespace");
    let rules = serde_json::json!([
        {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": [config.brake.name], "verbs": ["get", "patch"]},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "resourceNames": [lease.name], "verbs": ["get"]},
    ]);
    assert_eq!(role["rules"], rules, "no more than seeing, releasing and pausing, and whether a sidecar is at work");
}

#[test]
fn what_is_scraped_are_ports_of_the_deployment() {
    let read = |path: &str| std::fs::read_to_string(deploy(path)).unwrap();
    let (monitor, pods) = (read("components/pod-monitor/pod-monitor.yaml"), read("host/deployment.yaml"));
    let monitor: serde_json::Value = yaml_serde::from_str(&monitor).unwrap();
    let ports: Vec<&str> =
        monitor["spec"]["podMetricsEndpoints"].as_array().unwrap().iter().filter_map(|end| end["port"].as_str()).collect();
    assert_eq!(ports, ["diagnostic", "health"]);
    assert!(ports.iter().all(|port| pods.contains(&format!("- {{name: {port}, containerPort:"))));
}

/// Names of files in the source mean nothing to who runs the program, and change without notice.
#[test]
fn no_page_names_a_source_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.chain([root.join("README.md"), deploy("README.md")]);
    let named: Vec<String> = pages
        .filter(|page| page.extension().is_some_and(|extension| extension == "md"))
        .flat_map(|page| {
            let text = std::fs::read_to_string(&page).unwrap();
            let lines = text.lines().map(str::to_owned).enumerate().collect::<Vec<_>>();
            let found =
                lines.into_iter().filter(|(_, line)| line.contains(".rs`") || line.contains(".rs)") || line.contains(".rs "));
            found.map(move |(row, line)| format!("{}:{}: {line}", page.display(), row + 1)).collect::<Vec<_>>()
        })
        .collect();
    assert!(named.is_empty(), "{}", named.join("\n"));
}
