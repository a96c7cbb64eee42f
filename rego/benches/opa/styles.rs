//! Four other styles of policy.

use serde_json::{Value as Json, json};

use super::case::{Case, Outcome};

/// One case for each style.
pub(crate) fn cases() -> Outcome<Vec<Case>> {
    Ok(vec![
        case("admission", include_str!("policies/admission.rego"), &admission_data(), &review()),
        case("rbac", include_str!("policies/rbac.rego"), &rbac_data(), &rbac_input()),
        case("text", include_str!("policies/text.rego"), &json!({}), &lines()),
        case("sets", include_str!("policies/sets.rego"), &services(), &json!({"minimum": 8_000})),
    ])
}

fn case(name: &str, text: &str, data: &Json, input: &Json) -> Case {
    Case {
        name: name.to_owned(),
        texts: vec![(format!("{name}.rego"), text.to_owned())],
        prepared: false,
        path: format!("data.{name}"),
        data: data.to_string(),
        input: input.to_string(),
    }
}

fn admission_data() -> Json {
    json!({
        "registries": ["registry.example.org/", "mirror.example.org/", "quay.io/example/"],
        "ports": [8_443, 9_443],
        "paths": ["/var/log", "/etc/ssl"],
    })
}

fn review() -> Json {
    let containers = |prefix: &str, count: usize| (0..count).map(|n| container(prefix, n)).collect::<Vec<_>>();
    json!({"review": {"kind": {"kind": "Pod", "group": "", "version": "v1"}, "operation": "CREATE", "object": {
        "metadata": {"name": "shop", "labels": {"app": "shop", "team": "payments"}},
        "spec": {
            "hostNetwork": false,
            "containers": containers("main", 10), "initContainers": containers("init", 3),
            "volumes": [{"name": "logs", "hostPath": {"path": "/var/log"}}, {"name": "root", "hostPath": {"path": "/"}}],
        },
    }}})
}

fn container(prefix: &str, n: usize) -> Json {
    json!({
        "name": format!("{prefix}-{n}"),
        "image": format!("{}/shop/{prefix}:{}", ["registry.example.org", "docker.io"][n % 2], ["1.4", "latest"][n / 2 % 2]),
        "resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
        "securityContext": {
            "privileged": n == 4, "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": !n.is_multiple_of(3),
            "capabilities": {"drop": ["ALL"], "add": ["CHOWN"]},
        },
        "livenessProbe": {"httpGet": {"path": "/health", "port": 8_080}},
        "ports": [{"containerPort": 8_080}, {"containerPort": 9_443, "hostPort": 9_443}],
        "env": [{"name": "LOG_LEVEL", "value": "info"}, {"name": "DB_HOST", "value": "db"}, {"name": "DB_USER", "value": "shop"}],
    })
}

fn rbac_data() -> Json {
    let kinds = ["pods", "services", "secrets", "deployments", "configmaps"];
    let permission =
        |n: usize| json!({"resource": kinds[n % 5], "verbs": ["get", "list", "watch"], "scope": format!("tenant-{}", n % 10)});
    let roles: serde_json::Map<_, _> =
        (0..50).map(|n| (format!("role-{n}"), (0..6).map(|k| permission(n + k)).collect())).collect();
    let binding = |n: usize| {
        let (kind, subject) =
            if n.is_multiple_of(2) { ("User", format!("user-{}", n % 40)) } else { ("Group", format!("group-{}", n % 20)) };
        json!({"kind": kind, "subject": subject, "role": format!("role-{}", n % 50)})
    };
    let groups: serde_json::Map<_, _> =
        (0..20).map(|n| (format!("group-{n}"), (0..10).map(|k| json!(format!("user-{}", (n * 3 + k) % 40))).collect())).collect();
    let tenants: serde_json::Map<_, _> =
        (0..10).map(|n| (format!("tenant-{n}"), json!({"namespaces": [format!("ns-{n}"), format!("ns-{n}-test")]}))).collect();
    json!({"roles": roles, "bindings": (0..300).map(binding).collect::<Vec<_>>(), "groups": groups, "tenants": tenants})
}

fn rbac_input() -> Json {
    json!({"user": "user-12", "resource": "secrets", "verb": "watch", "namespace": "ns-7"})
}

fn lines() -> Json {
    let line = |n: usize| {
        let level = ["INFO", "WARN", "ERROR", "DEBUG"][n % 4];
        let message = match n % 5 {
            0 => format!("connection from 10.0.{}.{} closed", n % 7, n),
            1 => format!("login of user={} from 203.0.113.{}", ["ann", "bob", "cleo"][n % 3], n),
            2 => format!("request failed with code {} after {n} ms", 500 + n % 4),
            3 => format!("forwarded to 192.168.1.{n}"),
            _ => "nothing to do".to_owned(),
        };
        format!("2026-11-23T04:{:02}:00Z {level} host-{}: {message}", n % 60, n % 6)
    };
    json!({"lines": (0..60).map(line).collect::<Vec<_>>()})
}

fn services() -> Json {
    let tiers = ["gold", "silver", "bronze"];
    let service = |n: usize| {
        json!({
            "name": format!("service-{n:03}"), "team": format!("team-{}", n % 12), "tier": tiers[n % 3],
            "replicas": 1 + n % 5, "ports": [8_000 + n, 9_000 + n],
            "uses": (1..4).map(|k| format!("service-{:03}", n * k * 7 % 215)).collect::<Vec<_>>(),
        })
    };
    json!({"services": (0..200).map(service).collect::<Vec<_>>(), "prices": {"gold": 5, "silver": 3, "bronze": 1}})
}
