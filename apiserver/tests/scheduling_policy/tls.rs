//! Certificates: the engine's must be one that the kubeconfig trusts, and the hook shows its own.

use serde_json::json;

use super::authority::Authority;
use super::engine::{Engine, ok};
use super::hook::{Setup, nginx};

#[tokio::test]
async fn a_certificate_that_is_not_trusted_denies_at_once_and_nothing_is_sent() {
    let (ours, other) = (Authority::new(), Authority::new());
    for (authority, name) in [(&other, "localhost"), (&ours, "elsewhere")] {
        let engine = Engine::secured([ok("{}")], authority.server(name, None));
        let mut setup = Setup::new(&engine.origin());
        let pem = ours.pem();
        setup.authority = Some(&pem);
        let hook = setup.hook();
        let refusal = hook.admit(&mut nginx()).await.unwrap_err();
        assert_eq!(refusal.code, 403);
        assert!(refusal.message.contains("SchedulingPolicy: engine https://localhost:"), "{refusal}");
        assert!(refusal.message.contains("the engine's certificate is refused"), "{refusal}");
        assert!(refusal.message.contains("give the hook's kubeconfig the certificate authority"), "{refusal}");
        assert_eq!((hook.metrics.attempts(), engine.came().len(), hook.events().len()), (1, 0, 1), "{name}");
    }
}

#[tokio::test]
async fn the_hook_shows_the_kubeconfigs_client_certificate() {
    let (ours, clients) = (Authority::new(), Authority::new());
    let engine = Engine::secured([ok(json!({"annotations": {"a": "b"}}))], ours.server("localhost", Some(&clients)));
    let pem = ours.pem();
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = clients.issue("hook");
    let (certificate_file, key_file) = (folder.path().join("hook.crt"), folder.path().join("hook.key"));
    std::fs::write(&certificate_file, certificate).unwrap();
    std::fs::write(&key_file, key).unwrap();
    let mut setup = Setup::new(&engine.origin());
    (setup.authority, setup.user) = (Some(pem.as_str()), json!({"client-certificate": certificate_file, "client-key": key_file}));
    setup.hook().admit(&mut nginx()).await.unwrap();
    assert_eq!(engine.came().len(), 1);
    setup.user = json!({});
    assert_eq!(setup.hook().admit(&mut nginx()).await.unwrap_err().code, 403);
    assert_eq!(engine.came().len(), 1, "nobody without a certificate is served");
}
