//! Cells of services.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::table::object::{integer, list, text};

pub(super) fn external_ip(service: &Json) -> String {
    let external: Vec<&str> = list(service, "/spec/externalIPs").iter().filter_map(Json::as_str).collect();
    match text(service, "/spec/type") {
        "ClusterIP" | "NodePort" if external.is_empty() => "<none>".into(),
        "ClusterIP" | "NodePort" => external.join(","),
        "LoadBalancer" => {
            let balanced = load_balancer(service);
            let all: Vec<&str> = balanced.into_iter().chain(external).collect();
            if all.is_empty() { "<pending>".into() } else { all.join(",") }
        }
        "ExternalName" => text(service, "/spec/externalName").into(),
        _ => "<unknown>".into(),
    }
}

/// Addresses that a load balancer gave, each once, sorted.
fn load_balancer(service: &Json) -> BTreeSet<&str> {
    let ingress = list(service, "/status/loadBalancer/ingress").iter();
    let addresses = ingress.map(|ingress| match text(ingress, "/ip") {
        "" => text(ingress, "/hostname"),
        ip => ip,
    });
    addresses.filter(|address| !address.is_empty()).collect()
}

pub(super) fn ports(service: &Json) -> String {
    let ports = list(service, "/spec/ports").iter().map(|port| {
        let (number, protocol) = (integer(port, "/port"), text(port, "/protocol"));
        match integer(port, "/nodePort") {
            node_port if node_port > 0 => format!("{number}:{node_port}/{protocol}"),
            _ => format!("{number}/{protocol}"),
        }
    });
    let shown = ports.collect::<Vec<_>>().join(",");
    if shown.is_empty() { "<none>".into() } else { shown }
}
