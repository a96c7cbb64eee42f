//! Match conditions on the embedded server and on a real kube-apiserver: one table, one code, the same outcomes.
//!
//! The real one is looked for as in the scenarios of the whole flow: in the directory that `KUBEBUILDER_ASSETS` names. Without it
//! its test says that it is skipped; with `PLIMSOLL_E2E=required` it fails instead.

#[cfg(test)]
#[path = "../../tests/e2e/support"]
#[allow(dead_code, reason = "of the scenarios' servers a part is needed")]
mod servers {
    mod api;
    mod api_server;
    mod assets;
    mod certificates;
    mod eventually;
    mod kubectl;
    mod ports;
    mod process;

    pub(super) use api::{Answer, Api, Request};
    pub(super) use api_server::ApiServer;
    pub(super) use assets::Assets;
    pub(super) use eventually::eventually;

    /// The API of the server at `url`.
    pub(super) fn api(url: &str, ca: &str, token: &str) -> Api {
        Api::new(url, ca, token)
    }
}

#[cfg(test)]
#[path = "match_conditions"]
mod match_conditions {
    mod cases;
    mod embedded;
    mod outcome;

    use super::servers::{ApiServer, Assets};

    #[test]
    fn conditions_end_as_the_table_says_on_the_embedded_server() {
        let server = embedded::Embedded::start();
        outcome::compare(&server.api, &cases::read(), cases::Case::here);
    }

    #[test]
    fn conditions_end_as_the_table_says_on_kube_apiserver() {
        let Some(assets) = Assets::find() else { return };
        let server = ApiServer::start(&assets);
        outcome::compare(&server.api(), &cases::read(), cases::Case::upstream);
    }
}
