//! The embedded API server, in this process.

use std::path::Path;
use std::thread;

use actix_web::rt::System;
use plimsoll_apiserver::run::{Options, start};
use tokio::sync::oneshot;

use super::driver;

/// Runs `test` with the kubeconfig of a server that has nothing in it.
fn with_server(test: impl FnOnce(&Path)) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let directory = tempfile::tempdir().unwrap();
    let (told, hear) = std::sync::mpsc::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = thread::spawn(move || {
        System::new().block_on(async move {
            let running = start(Options { fsync: false, workers: 2, ..Options::default() }).await.unwrap();
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
    with_server(|kubeconfig| driver::hold(kubeconfig, driver::cases(100), false));
}

#[test]
fn a_dry_run_resolves_what_it_shows() {
    with_server(|kubeconfig| driver::hold(kubeconfig, driver::cases(100) / 4, true));
}
