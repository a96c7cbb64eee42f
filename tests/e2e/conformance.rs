//! What Kubernetes' conformance suite asks of admission webhooks: its 22 behaviours "AdmissionWebhook [Privileged:ClusterAdmin]", body by
//! body, by the same code on kube-apiserver and on the embedded API server. Source: `kubernetes` v1.36.3,
//! `test/e2e/apimachinery/webhook.go`; what the hook answers: `test/images/agnhost/webhook`.
//!
//! As upstream every hook is called through a Service. Upstream's leads to a pod; these lead, by type ExternalName, to a hook in this
//! process: nothing routes a cluster IP here, so no behaviour has Endpoints, and none needs a `url`. Each behaviour has namespaces, a hook
//! and names of configurations of its own, so that all run at once. None of the 22 is about admission policies (CEL), which the embedded
//! server does not serve.

mod conditions;
mod configurations;
mod definition;
mod denying;
mod discovery;
mod judge;
mod mutating;
mod registration;
mod world;

use std::fmt;
use std::io::Write;
use std::thread::{self, Builder, ScopedJoinHandle};

use reqwest::Method;

use super::support::assets::Assets;
use super::support::embedded::Embedded;
use super::support::pool;
use super::support::server::{Server, Started};
use registration::Kind;
use world::{World, accepted, request};

/// One of the 22.
struct Behaviour {
    /// Upstream's title.
    title: &'static str,
    run: fn(&World),
    /// Where the body is not upstream's, and why; empty where it is.
    differs: &'static str,
}

const fn behaviour(title: &'static str, run: fn(&World)) -> Behaviour {
    Behaviour { title, run, differs: "" }
}

const BEHAVIOURS: [Behaviour; 22] = [
    behaviour("listing mutating webhooks should work", |world| configurations::listing(world, Kind::Mutating)),
    behaviour("listing validating webhooks should work", |world| configurations::listing(world, Kind::Validating)),
    behaviour("patching/updating a mutating webhook should work", |world| configurations::changing(world, Kind::Mutating)),
    behaviour("patching/updating a validating webhook should work", |world| configurations::changing(world, Kind::Validating)),
    behaviour("should be able to create and update mutating webhook configurations with match conditions", |world| {
        conditions::are_stored(world, Kind::Mutating)
    }),
    behaviour("should be able to create and update validating webhook configurations with match conditions", |world| {
        conditions::are_stored(world, Kind::Validating)
    }),
    Behaviour {
        title: "should be able to deny attaching pod",
        run: denying::attaching,
        differs: "the pod does not run, for nothing runs pods here; so that admission comes before the kubelet is dialled is seen, too: \
                  what the hook lets through ends there, in the same words on both servers",
    },
    behaviour("should be able to deny custom resource creation, update and deletion", denying::custom_resources),
    behaviour("should be able to deny pod and configmap creation", denying::pods_and_config_maps),
    behaviour("should deny crd creation", denying::definitions),
    behaviour("should honor timeout", denying::timeouts),
    behaviour("should include webhook resources in discovery documents", discovery::lists_webhooks),
    behaviour("should mutate configmap", mutating::config_maps),
    behaviour("should mutate custom resource", mutating::custom_resources),
    behaviour("should mutate custom resource with different stored version", mutating::in_another_stored_version),
    behaviour("should mutate custom resource with pruning", mutating::with_pruning),
    behaviour("should mutate everything except 'skip-me' configmaps", conditions::skip_one),
    behaviour("should mutate pod and apply defaults after mutation", mutating::pods),
    behaviour("should not be able to mutate or prevent deletion of webhook configuration objects", configurations::out_of_reach),
    behaviour("should reject mutating webhook configurations with invalid match conditions", |world| {
        conditions::are_compiled(world, Kind::Mutating)
    }),
    behaviour("should reject validating webhook configurations with invalid match conditions", |world| {
        conditions::are_compiled(world, Kind::Validating)
    }),
    behaviour("should unconditionally reject operations on fail closed webhook", denying::fail_closed),
];

/// All of them on one server.
struct Run {
    server: String,
    failed: Vec<&'static str>,
}

impl fmt::Display for Run {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = BEHAVIOURS.len();
        write!(out, "{} of {all} on {}", all - self.failed.len(), self.server)
    }
}

#[test]
fn the_behaviours_of_the_conformance_suite_hold_on_both_servers() {
    let Some(assets) = Assets::find() else { return };
    let runs = thread::scope(|scope| {
        let runs = [Server::Real, Server::Embedded].map(|on| {
            scope.spawn({
                let assets = &assets;
                move || run(on, assets)
            })
        });
        runs.map(|run| run.join().unwrap().unwrap())
    });
    let different = BEHAVIOURS.iter().filter(|behaviour| !behaviour.differs.is_empty()).count();
    let line = format!("admission webhook conformance: {}; {}; bodies other than upstream's: {different}", runs[0], runs[1]);
    // Not by `eprintln!`: the harness would keep that from whoever should know.
    writeln!(std::io::stderr(), "{line}").unwrap();
    let failed: Vec<String> =
        runs.iter().flat_map(|run| run.failed.iter().map(|title| format!("{}: {title}", run.server))).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// `None` when the test is to be skipped.
fn run(on: Server, assets: &Assets) -> Option<Run> {
    let started = match on {
        Server::Real => Started::Real(Box::new(pool::api_server()?)),
        Server::Embedded => Started::Embedded(Box::new(Embedded::bare(assets))),
    };
    let version = accepted(started.api().call(&request(Method::GET, "/version", &serde_json::Value::Null)));
    let name = if on == Server::Real { "kube-apiserver" } else { "the embedded API server," };
    let server = format!("{name} {}", version["gitVersion"].as_str().unwrap());
    // One for all: each would write the kubeconfig anew.
    let kubectl = started.admin();
    let failed = thread::scope(|scope| {
        let tried = BEHAVIOURS.iter().map(|behaviour| {
            let (world, run) = (World::new(on, &started, kubectl.clone()), behaviour.run);
            let tried: ScopedJoinHandle<'_, ()> =
                Builder::new().name(behaviour.title.into()).spawn_scoped(scope, move || run(&world)).unwrap();
            (behaviour.title, tried)
        });
        let tried: Vec<_> = tried.collect();
        tried.into_iter().filter_map(|(title, tried)| tried.join().is_err().then_some(title)).collect()
    });
    Some(Run { server, failed })
}
