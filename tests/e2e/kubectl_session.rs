//! One long kubectl session on the real kube-apiserver and on the embedded one: exit codes and text must be equal, or the
//! difference is listed with its lines and its reason.
//!
//! ```text
//!  tests/kubectl_session/*.yaml ─► steps ─► run (real, embedded) ─► normal ─► compare ◄─ differences.yaml
//! ```

mod compare;
mod differences;
mod lines;
mod normal;
mod run;
mod steps;

use std::path::Path;
use std::thread;

use compare::Client;
use differences::Differences;
use run::{Session, Transcript};
use steps::Step;

use super::support::api_server::ApiServer;
use super::support::assets::{self, Assets};
use super::support::embedded::Embedded;

/// A person's session on a fresh server.
type Run<'a> = &'a (dyn Fn(&[Step]) -> Transcript + Sync);

/// Runs both at once and compares.
fn equal(client: Client, one: Run<'_>, other: Run<'_>, differences: &Differences) {
    let steps = steps::load(client);
    let (real, embedded) = thread::scope(|scope| {
        let (one, other) = (scope.spawn(|| one(&steps)), scope.spawn(|| other(&steps)));
        (one.join().unwrap(), other.join().unwrap())
    });
    compare::keep(client, &steps, &real, &embedded);
    let mut faults = compare::unexpected_exits(client, &steps, &real);
    faults.extend(compare::faults(client, &steps, (&real, &embedded), differences));
    assert!(faults.is_empty(), "{} faults in {} steps:\n\n{}", faults.len(), steps.len(), faults.join("\n"));
}

fn real(assets: &Assets, kubectl: &Path, steps: &[Step]) -> Transcript {
    let server = ApiServer::start(assets);
    Session::new(kubectl, server.url(), server.admin().kubeconfig()).run(steps)
}

fn embedded(assets: &Assets, kubectl: &Path, steps: &[Step]) -> Transcript {
    let server = Embedded::bare(assets);
    Session::new(kubectl, &server.url(), &server.kubeconfig()).run(steps)
}

fn sees_the_same(client: Client, kubectl: &Path, assets: &Assets) {
    let (one, other) = (|steps: &[Step]| real(assets, kubectl, steps), |steps: &[Step]| embedded(assets, kubectl, steps));
    equal(client, &one, &other, &Differences::load());
}

#[test]
fn kubectl_1_36_sees_the_same() {
    let Some(assets) = Assets::find() else { return };
    sees_the_same(Client::New, &assets.binary("kubectl"), &assets);
}

#[test]
fn kubectl_1_20_sees_the_same() {
    let (Some(assets), Some(old)) = (Assets::find(), assets::old_kubectl()) else { return };
    sees_the_same(Client::Old, &old, &assets);
}

/// What is left after normalising must be the same in any two runs; for whoever changes steps or patterns.
#[test]
#[ignore = "checks the session, not Plimsoll"]
fn two_real_servers_look_the_same() {
    let (Some(assets), Some(old)) = (Assets::find(), assets::old_kubectl()) else { return };
    for (client, kubectl) in [(Client::New, assets.binary("kubectl")), (Client::Old, old)] {
        let run = |steps: &[Step]| real(&assets, &kubectl, steps);
        equal(client, &run, &run, &Differences::none());
    }
}
