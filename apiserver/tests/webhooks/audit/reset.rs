//! A caller whose connection is reset while a webhook is asked: the line says that nobody was there for the answer.

use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use reqwest::Method;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::{Value as Json, json};

use super::super::engine::Act;
use super::super::eventually::eventually;
use super::super::server::{Kind, MAPS, Server, map};

type Connection = StreamOwned<ClientConnection, TcpStream>;

/// A connection of the administrator's, with nothing between it and the socket.
fn connect(server: &Server) -> Connection {
    let own = server.running.client("admin", &["system:masters"]).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(server.running.ca().as_bytes()).unwrap()).unwrap();
    let chain = vec![CertificateDer::from_pem_slice(own.certificate.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(own.key.as_bytes()).unwrap();
    let config = ClientConfig::builder().with_root_certificates(roots).with_client_auth_cert(chain, key).unwrap();
    let address = server.running.url().strip_prefix("https://").unwrap().to_owned();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    StreamOwned::new(ClientConnection::new(Arc::new(config), name).unwrap(), TcpStream::connect(address).unwrap())
}

fn send(connection: &mut Connection, id: &str, path: &str, body: &Json) {
    let body = body.to_string();
    let head = format!("POST {path} HTTP/1.1\r\nhost: localhost\r\naudit-id: {id}\r\ncontent-type: application/json\r\n");
    write!(connection, "{head}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
    connection.flush().unwrap();
}

/// Closes without a goodbye, of TLS or of TCP: the other end reads `connection reset`.
fn reset(connection: Connection) {
    connection.sock.set_nonblocking(true).unwrap();
    let socket = tokio::net::TcpStream::from_std(connection.sock).unwrap();
    socket.set_zero_linger().unwrap();
}

#[actix_web::test]
async fn a_reset_connection_is_a_499_whatever_the_webhook_would_say() {
    let folder = tempfile::tempdir().unwrap();
    let server = super::server(folder.path(), None).await;
    let hook = server.hook([Act::Hang, Act::Hang]);
    // Longer than anything here takes: what ends the request is the reset.
    let patient = json!({"timeoutSeconds": 30});
    for kind in [Kind::Mutating, Kind::Validating] {
        server.register(kind, "c", &[server.spec("v", &hook.origin(), patient.clone())]).await;
        let (asked, id) = (hook.came().len(), format!("gone-{kind:?}"));
        let mut connection = connect(&server);
        send(&mut connection, &id, MAPS, &map("x"));
        eventually(async || (hook.came().len() > asked).then_some(())).await;
        reset(connection);
        let line = eventually(async || lines_of(folder.path(), &id).pop()).await;
        let status = json!({
            "metadata": {}, "status": "Failure", "code": 499,
            "message": "the caller hung up before the answer; what was asked may have been done",
        });
        assert_eq!((&line["responseStatus"], &line["stage"]), (&status, &"ResponseComplete".into()));
        let object = json!({"resource": "configmaps", "namespace": "default", "name": "x", "apiVersion": "v1"});
        assert_eq!((&line["objectRef"], &line["verb"], &line["user"]["username"]), (&object, &"create".into(), &"admin".into()));
        server.unregister(kind, "c").await;
        server.ask(Method::GET, &format!("{MAPS}/x"), &Json::Null).await.expect(404);
        // The request after it was written down later: there is no second line of this one.
        assert_eq!(lines_of(folder.path(), &id).len(), 1);
    }
    server.running.stop().await;
}

fn lines_of(folder: &Path, id: &str) -> Vec<Json> {
    super::lines(folder).into_iter().filter(|line| line["auditID"] == id).collect()
}
