//! The embedded API server, in this process.

use std::path::Path;
use std::process::Command;
use std::thread;

use actix_web::rt::System;
use plimsoll_apiserver::resources::RuntimeConfig;
use plimsoll_apiserver::run::{Options, start};
use tokio::sync::oneshot;

use super::driver;

/// Runs `test` with the kubeconfig of a server that has nothing in it.
fn with_server(runtime_config: RuntimeConfig, test: impl FnOnce(&Path)) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let directory = tempfile::tempdir().unwrap();
    let (told, hear) = std::sync::mpsc::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = thread::spawn(move || {
        System::new().block_on(async move {
            let running = start(Options { runtime_config, fsync: false, workers: 2, ..Options::default() }).await.unwrap();
            told.send(running.admin_kubeconfig().unwrap()).unwrap();
            let _ = stopped.await;
            running.stop().await;
        });
    });
    let kubeconfig = directory.path().join("kubeconfig");
    std::fs::write(&kubeconfig, hear.recv().unwrap()).unwrap();
    test(&kubeconfig);
    stop.send(()).unwrap();
    server.join().unwrap();
}

#[test]
fn what_is_certain_is_what_happens() {
    with_server(RuntimeConfig::default(), |kubeconfig| driver::hold(kubeconfig, driver::cases(100), false));
}

#[test]
fn a_dry_run_resolves_what_it_shows() {
    with_server(RuntimeConfig::default(), |kubeconfig| driver::hold(kubeconfig, driver::cases(100) / 4, true));
}

/// What is in force, such as what another API server has, cannot be seen there.
#[test]
fn where_no_configurations_are_served_nothing_is_said_of_them() {
    let group = "admissionregistration.k8s.io";
    let off = ["v1", "v1beta1", "v1alpha1"].map(|version| format!("{group}/{version}=false"));
    with_server(RuntimeConfig::new(off.iter().map(String::as_str)), |kubeconfig| {
        let object = kubeconfig.with_file_name("object.json");
        std::fs::write(&object, r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}"#).unwrap();
        let file = object.to_str().unwrap();
        for arguments in [&["predict", "-f", file][..], &["lint-webhooks"]] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
            let output = command.args(arguments).arg("--kubeconfig").arg(kubeconfig).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}: {output:?}");
            assert!(said.contains("the API server serves no `admissionregistration.k8s.io`"), "{arguments:?}: {said}");
        }
    });
}
