//! What the sidecar's mirror proves on a server with a clock of its own, and what becomes of it when credentials change.

use super::policies;
use super::support::eventually::until;
use super::support::fixtures::{PREFERENCES, pci_replica_set, unique};
use super::support::world::{Server, Setup, World};

scenarios! {
    both: a_quiet_kind_is_proved_while_other_things_change,
        a_new_token_is_taken_into_use_without_a_restart;
    real: ;
}

const PCI: &[(&str, &str)] = &[("pci.rego", policies::PCI)];
const CLUSTERS: &str = "kind=\"cluster.karmada.io/v1alpha1/clusters\"";

fn a_quiet_kind_is_proved_while_other_things_change(on: Server) {
    let sidecar = "mirror: {probe: 0.5s}";
    let Some(world) = World::start(on, &Setup { policies: PCI, sidecar, ..Setup::default() }) else { return };
    let sidecar = &world.sidecars[0];
    let labels = |more: &str| format!("{CLUSTERS},{more}");
    let proofs = || sidecar.sample("plimsoll_sidecar_syncs_total", &labels("mode=\"delta\",result=\"published\""));
    let before = proofs();
    // The version of the server moves on, but no cluster does: the watch alone is never up to date.
    let moved = || world.kubectl.run(&["create", "configmap", &unique("noise"), "-n", "default"]);
    until("proofs come", || (moved(), proofs()).1, |proofs| *proofs >= before + 4.0);
    let age = sidecar.sample("plimsoll_sidecar_kind_age_seconds", CLUSTERS);
    assert!(age < 10.0, "{age}");
    assert_eq!(sidecar.sample("plimsoll_sidecar_lists_total", &labels("result=\"complete\"")), 1.0, "no list was needed");
    assert_eq!(sidecar.sample("plimsoll_sidecar_watches_total", &labels("result=\"stalled\"")), 0.0);
    assert_eq!(sidecar.sample("plimsoll_sidecar_stale", ""), 0.0);
}

fn a_new_token_is_taken_into_use_without_a_restart(on: Server) {
    let sidecar = "mirror: {credentials: 0.2s}";
    let Some(world) = World::start(on, &Setup { policies: PCI, sidecar, ..Setup::default() }) else { return };
    world.create(&pci_replica_set("web"));
    world.await_settled();
    let sidecar = &world.sidecars[0];
    let watches = || sidecar.sample("plimsoll_sidecar_watches_total", &format!("{CLUSTERS},result=\"renewed\""));
    until("it holds the Lease", || sidecar.leads(), |leads| *leads);
    world.renew_sidecar_token();
    let swapped = || sidecar.sample("plimsoll_sidecar_credential_reloads_total", "result=\"swapped\"");
    until("the new token is in use", || (swapped(), watches()), |seen| seen.0 >= 1.0 && seen.1 >= 1.0);
    assert!(sidecar.leads(), "the Lease is kept");
    world.certify("beta", true);
    world.await_clusters("rs/web", PREFERENCES, &["alpha", "beta"]);
    let lists = sidecar.sample("plimsoll_sidecar_lists_total", &format!("{CLUSTERS},result=\"complete\""));
    assert_eq!(lists, 1.0, "nothing is listed again");
}
