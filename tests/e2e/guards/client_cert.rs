//! `deploy/overlays/client-cert` on a kube-apiserver that has the shipped configuration.

use std::path::Path;

use reqwest::{Certificate, Client, Identity};
use tokio::runtime::Builder;

use crate::e2e::policies;
use crate::e2e::support::api_server::ApiServer;
use crate::e2e::support::assets::Assets;
use crate::e2e::support::certificates::{Authority, CertificateFiles};
use crate::e2e::support::deployment::checkout;
use crate::e2e::support::engine::Engine;
use crate::e2e::support::fixtures::{PREFERENCES, clusters_in, pci_replica_set};
use crate::e2e::support::world::{Server, Setup, Started, World};

#[test]
fn the_api_server_is_known_by_its_certificate_and_nobody_else_is_answered() {
    let Some(assets) = Assets::find() else { return };
    let directory = tempfile::tempdir().unwrap();
    let (callers, strangers) = (Authority::new("e2e-callers"), Authority::new("e2e-strangers"));
    let ca = directory.path().join("callers.crt");
    std::fs::write(&ca, callers.pem()).unwrap();
    let own = callers.serving(&directory.path().join("api-server"));
    let policies: &[(&str, &str)] = &[("pci.rego", policies::PCI)];
    let demand = format!("--review-client-ca={}", ca.display());
    let setup = Setup { policies, engine: &[&demand], ..Setup::default() };
    let start = |engine: &Engine| {
        let argument = configuration(directory.path(), engine, &own);
        Some(Started::Own(Box::new(ApiServer::start_with(&assets, &[argument]))))
    };
    // Running means: both webhooks were called.
    let Some(world) = World::prepare_on(Server::Real, &setup, start).map(World::run) else { return };
    world.create(&pci_replica_set("web"));
    assert_eq!(clusters_in(&world.get("rs/web"), PREFERENCES).unwrap(), ["alpha"]);

    let url = format!("{}/mutate", world.engine.review_url());
    let other = strangers.serving(&directory.path().join("stranger"));
    let roots = std::fs::read_to_string(world.ca()).unwrap();
    assert_eq!(call(&url, &roots, Some(&own)), Ok(400), "the handshake succeeds; the body is no review");
    for (who, refused) in [("without", call(&url, &roots, None)), ("a stranger's", call(&url, &roots, Some(&other)))] {
        let why = refused.unwrap_err();
        assert!(why.contains("AlertReceived"), "{who} certificate, refused in the handshake: {why}");
    }
}

/// The shipped files, for this machine's paths and the webhook's address here.
fn configuration(directory: &Path, engine: &Engine, own: &CertificateFiles) -> String {
    let shipped = Path::new(&checkout("deploy/overlays/client-cert/api-server")).to_owned();
    let address = engine.review_url().replace("https://", "");
    for name in ["admission.yaml", "webhooks.kubeconfig"] {
        let text = std::fs::read_to_string(shipped.join(name)).unwrap();
        let text = text
            .replace("/etc/kubernetes/plimsoll/webhook-client.crt", own.certificate.to_str().unwrap())
            .replace("/etc/kubernetes/plimsoll/webhook-client.key", own.key.to_str().unwrap())
            .replace("/etc/kubernetes/plimsoll", directory.to_str().unwrap())
            .replace("plimsoll.kube-federation-scheduling-policy.svc", &address);
        std::fs::write(directory.join(name), text).unwrap();
    }
    format!("--admission-control-config-file={}", directory.join("admission.yaml").display())
}

/// The status of a POST that is no review, or why there was none.
fn call(url: &str, roots: &str, identity: Option<&CertificateFiles>) -> Result<u16, String> {
    let builder = Client::builder().tls_certs_only([Certificate::from_pem(roots.as_bytes()).unwrap()]);
    let builder = match identity {
        None => builder,
        Some(files) => {
            let [certificate, key] = [&files.certificate, &files.key].map(|file| std::fs::read_to_string(file).unwrap());
            builder.identity(Identity::from_pem(format!("{certificate}{key}").as_bytes()).unwrap())
        }
    };
    let client = builder.build().unwrap();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let response = runtime.block_on(client.post(url).send());
    response.map(|response| response.status().as_u16()).map_err(|error| format!("{error:?}"))
}
