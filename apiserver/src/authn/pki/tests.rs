//! The authority, its files and its certificates.

use std::os::unix::fs::PermissionsExt as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value as Json;

use super::kubeconfig::Credential;
use super::*;
use crate::authn::certificate;

fn handshake(server: &Arc<rustls::ServerConfig>, roots: &str, client: Option<&Identity>) -> Result<Option<Vec<u8>>, String> {
    let mut store = RootCertStore::empty();
    store.add(CertificateDer::from_pem_slice(roots.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(store);
    let config = match client {
        Some(identity) => {
            let (chain, key) = identity.der().unwrap();
            config.with_client_auth_cert(chain, key).unwrap()
        }
        None => config.with_no_client_auth(),
    };
    let mut server = rustls::ServerConnection::new(Arc::clone(server)).unwrap();
    let mut client = rustls::ClientConnection::new(Arc::new(config), "127.0.0.1".try_into().unwrap()).unwrap();
    while server.is_handshaking() || client.is_handshaking() {
        let mut wire = Vec::new();
        client.write_tls(&mut wire).unwrap();
        let mut sent = wire.as_slice();
        while !sent.is_empty() {
            server.read_tls(&mut sent).unwrap();
        }
        server.process_new_packets().map_err(|error| error.to_string())?;
        let mut wire = Vec::new();
        server.write_tls(&mut wire).unwrap();
        let mut sent = wire.as_slice();
        while !sent.is_empty() {
            client.read_tls(&mut sent).unwrap();
        }
        client.process_new_packets().map_err(|error| error.to_string())?;
    }
    Ok(server.peer_certificates().and_then(|chain| chain.first()).map(|first| first.to_vec()))
}

#[test]
fn clients_may_show_a_certificate_of_the_authority() {
    let authority = Authority::ephemeral().unwrap();
    let serving = authority.serving(&[]).unwrap();
    let server = Arc::new(authority.server_config(&serving).unwrap());
    assert_eq!(handshake(&server, authority.pem(), None), Ok(None));
    let admin = authority.client("admin", &["system:masters"]).unwrap();
    let seen = handshake(&server, authority.pem(), Some(&admin)).unwrap().unwrap();
    let user = certificate::user(&seen).unwrap();
    assert_eq!((user.name.as_str(), user.is_master()), ("admin", true));
    let stranger = Authority::ephemeral().unwrap();
    let strange = stranger.client("admin", &["system:masters"]).unwrap();
    assert!(handshake(&server, authority.pem(), Some(&strange)).is_err(), "another authority's certificate");
    assert!(handshake(&server, authority.pem(), Some(&serving)).is_err(), "a certificate for servers");
    assert!(handshake(&server, stranger.pem(), None).is_err(), "the client does not know the authority");
}

#[test]
fn a_kept_authority_is_the_same_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("pki");
    let first = Authority::kept(&directory).unwrap();
    let admin = first.client("admin", &[]).unwrap();
    let second = Authority::kept(&directory).unwrap();
    assert_eq!(first.pem(), second.pem());
    let server = Arc::new(second.server_config(&second.serving(&[]).unwrap()).unwrap());
    assert!(handshake(&server, first.pem(), Some(&admin)).unwrap().is_some());
    for file in fs::read_dir(&directory).unwrap() {
        let file = file.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", file.path());
    }
    assert_eq!(fs::metadata(&directory).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn damaged_files_are_named_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let other = KeyPair::generate().unwrap().serialize_pem();
    let cases = [
        ("ca.crt", "rubbish", "a certificate"),
        ("ca.key", "rubbish", "a private key"),
        ("ca.key", other.as_str(), "the key of the certificate in ca.crt"),
        ("sa.key", "rubbish", "a private key"),
    ];
    for (number, (file, content, expected)) in cases.iter().enumerate() {
        let directory = folder.path().join(number.to_string());
        Authority::kept(&directory).unwrap();
        fs::write(directory.join(file), content).unwrap();
        let error = Authority::kept(&directory).unwrap_err().to_string();
        assert!(error.contains(file) && error.contains(expected), "{error}");
        assert_eq!(fs::read_to_string(directory.join(file)).unwrap(), *content);
    }
    let directory = folder.path().join("lost");
    Authority::kept(&directory).unwrap();
    fs::remove_file(directory.join("sa.key")).unwrap();
    assert!(Authority::kept(&directory).unwrap_err().to_string().starts_with("cannot read"));
}

#[test]
fn a_kubeconfig_holds_everything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/kubeconfig");
    let authority = Authority::ephemeral().unwrap();
    let admin = authority.client("admin", &["system:masters"]).unwrap();
    for credential in [Credential::Certificate(admin.clone()), Credential::Token("t".into())] {
        kubeconfig::write(&path, "https://127.0.0.1:1", authority.pem(), &credential).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let config: Json = yaml_serde::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let pem = |pointer: &str| BASE64.decode(config.pointer(pointer).unwrap().as_str().unwrap()).unwrap();
        assert_eq!(pem("/clusters/0/cluster/certificate-authority-data"), authority.pem().as_bytes());
        match &credential {
            Credential::Certificate(admin) => {
                assert_eq!(pem("/users/0/user/client-certificate-data"), admin.certificate.as_bytes());
                assert_eq!(pem("/users/0/user/client-key-data"), admin.key.as_bytes());
            }
            Credential::Token(token) => assert_eq!(config["users"][0]["user"]["token"], token.as_str()),
        }
    }
    let secrets = format!("{admin:?} {authority:?} {:?}", Credential::Token("hunter2".into()));
    assert!(!secrets.contains("PRIVATE") && !secrets.contains("hunter2"), "{secrets}");
}
