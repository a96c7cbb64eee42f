//! What `plimsoll predict` says is certain is what a real kube-apiserver then does: the trial of `tests/predict`.

#[path = "../../apiserver/tests/support/authority.rs"]
mod authority;
#[path = "../predict/cases.rs"]
mod cases;
#[path = "../predict/cluster.rs"]
mod cluster;
#[path = "../predict/driver.rs"]
mod driver;
#[allow(dead_code, reason = "what fails is tried elsewhere")]
#[path = "../../apiserver/tests/support/engine.rs"]
mod engine;

use super::support::pool;

#[test]
fn what_is_certain_is_what_happens() {
    let Some(server) = pool::api_server() else { return };
    let admin = server.admin();
    driver::hold(admin.kubeconfig(), driver::cases(60), false);
}

#[test]
fn a_dry_run_resolves_what_it_shows() {
    let Some(server) = pool::api_server() else { return };
    let admin = server.admin();
    driver::hold(admin.kubeconfig(), driver::cases(12), true);
}
