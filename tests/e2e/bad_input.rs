//! Mistakes of the person who installs: a clear error, a closed state.

use std::process::Command;

use super::policies;
use super::support::eventually::eventually;
use super::support::fixtures::{PREFERENCES, clusters_in, pci_replica_set};
use super::support::world::{KINDS, Server, Setup, World};

scenarios! {
    both: a_required_kind_that_does_not_exist_is_named_and_nothing_is_decided,
        a_policy_that_never_compiled_leaves_the_engine_up_and_not_ready,
        a_missing_policy_directory_is_not_an_empty_one;
    real: ;
}

fn a_required_kind_that_does_not_exist_is_named_and_nothing_is_decided(on: Server) {
    let kinds = format!("{KINDS}\n  - {{gvr: nothing.example.io/v1/ghosts}}");
    let setup = Setup { policies: &[("pci.rego", policies::PCI)], kinds: &kinds, ..Setup::default() };
    let Some(mut world) = World::prepare(on, &setup) else { return };
    world.engine.start();
    world.add_sidecar();
    eventually("the kind that is missing is named", || {
        let reasons = world.engine.ready().unwrap_err();
        if reasons.contains("nothing.example.io/v1/ghosts") { Ok(()) } else { Err(reasons) }
    });
    world.connect();
    assert!(world.try_create(&pci_replica_set("web")).is_err());
}

fn a_policy_that_never_compiled_leaves_the_engine_up_and_not_ready(on: Server) {
    let setup = Setup { policies: &[("broken.rego", "package kubernetes.placement\nplacement := := 1\n")], ..Setup::default() };
    let Some(mut world) = World::prepare(on, &setup) else { return };
    world.engine.start();
    world.add_sidecar();
    eventually("the place of the error is shown", || {
        let reasons = world.engine.ready().unwrap_err();
        if reasons.contains("broken.rego:2") { Ok(()) } else { Err(reasons) }
    });
    world.policies.mount(&[("broken.rego", policies::PCI)]);
    world.engine.await_ready();
    world.connect();
    world.create(&pci_replica_set("web"));
    assert_eq!(clusters_in(&world.get("rs/web"), PREFERENCES).unwrap(), ["alpha"]);
}

fn a_missing_policy_directory_is_not_an_empty_one(on: Server) {
    let Some(mut world) = World::prepare(on, &Setup { policies: &[("pci.rego", policies::PCI)], ..Setup::default() }) else {
        return;
    };
    let directory = world.policies.path().to_owned();
    std::fs::remove_dir_all(&directory).unwrap();
    world.engine.start();
    world.add_sidecar();
    eventually("the directory is named", || {
        let reasons = world.engine.ready().unwrap_err();
        if reasons.contains(directory.to_str().unwrap()) { Ok(()) } else { Err(reasons) }
    });
}

/// Runs `plimsoll sync` to its end and returns exit code and standard error.
fn sync(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll")).arg("sync").args(arguments).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn t20_an_unknown_flag_or_key_ends_the_program_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("sync.yaml");
    std::fs::write(&config, "source: s\nengine: {url: 'http://127.0.0.1:1'}\nkinds: [{gvr: v1/pods, plase: true}]\n").unwrap();
    let (code, said) = sync(&["--config", config.to_str().unwrap()]);
    assert!(code == Some(1) && said.contains("plase") && said.contains("sync.yaml"), "{code:?} {said}");
    let (code, said) = sync(&["--config", config.to_str().unwrap(), "--kubeconfg", "x"]);
    assert!(code.is_some_and(|code| code != 0) && said.contains("--kubeconfg"), "{code:?} {said}");
}

#[test]
fn a_kubeconfig_that_names_nothing_ends_the_program_with_its_path() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("sync.yaml");
    std::fs::write(&config, "source: s\nengine: {url: 'http://127.0.0.1:1'}\nkinds: [{gvr: v1/pods}]\n").unwrap();
    let (code, said) = sync(&["--config", config.to_str().unwrap(), "--kubeconfig", "/nowhere/kubeconfig"]);
    assert!(code == Some(1) && said.contains("/nowhere/kubeconfig"), "{code:?} {said}");
}
