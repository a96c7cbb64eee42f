//! `tests/clients/python`, the official Python client, as a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::e2e::support::assets::{self, Assets};
use crate::e2e::support::deployment::checkout;
use crate::e2e::support::embedded::Embedded;
use crate::e2e::support::pool;

fn python(client: &Path, kubeconfig: &Path, module: &str) -> Command {
    let mut command = Command::new("python3");
    command
        .args(["-m", "unittest", "--verbose", module])
        .current_dir(checkout("tests/clients/python"))
        .env("PYTHONPATH", client)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("KUBECONFIG", kubeconfig);
    command
}

fn everything(client: &Path, kubeconfig: &Path) {
    let output = python(client, kubeconfig, "test_client").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_python_client_works_on_the_real_one() {
    let (Some(client), Some(server)) = (assets::python_client(), pool::api_server()) else { return };
    everything(&client, server.admin().kubeconfig());
}

#[test]
fn the_python_client_works_on_the_embedded_one() {
    let (Some(client), Some(assets)) = (assets::python_client(), Assets::find()) else { return };
    everything(&client, &Embedded::bare(&assets).kubeconfig());
}

#[test]
fn python_informers_survive_a_restart_and_a_410() {
    let (Some(client), Some(assets)) = (assets::python_client(), Assets::find()) else { return };
    let mut server = Embedded::kept(&assets);
    let mut command = python(&client, &server.kubeconfig(), "restart");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    if line.trim() == "restart" {
        server.restart();
        child.stdin.take().unwrap().write_all(b"restarted\n").unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
