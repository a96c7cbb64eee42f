//! The listener: TLS, HTTP/1.1, limits of silence.

use std::any::Any;
use std::io;
use std::net::TcpListener;
use std::time::Duration;

use actix_tls::accept::rustls_0_23::TlsStream;
use actix_web::dev::{Extensions, Server};
use actix_web::rt::net::TcpStream;
use actix_web::web::{self, Data};
use actix_web::{App, HttpServer};
use rustls::ServerConfig;

use super::edge;
use super::published::Published;
use crate::server::ApiServer;

/// For the first bytes of TLS (lesson of CVE-2026-73500).
const HANDSHAKE: Duration = Duration::from_secs(10);
/// For the headers of a request.
const HEADERS: Duration = Duration::from_secs(10);
/// Between requests, as upstream's default of Go.
const KEEP_ALIVE: Duration = Duration::from_secs(90);
/// For what is being answered when the server stops, as upstream.
const DRAIN_SECONDS: u64 = 60;

/// Who is at the other end of a connection.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The client certificate (DER), verified by TLS.
    pub certificate: Option<Vec<u8>>,
}

/// Starts to answer on a bound socket.
pub fn serve(server: Data<ApiServer>, socket: TcpListener, tls: ServerConfig, workers: usize) -> io::Result<Server> {
    let published = Data::new(Published::default());
    let app = move || App::new().app_data(server.clone()).app_data(published.clone()).default_service(web::to(edge::handle));
    let listening = HttpServer::new(app)
        .workers(workers)
        .disable_signals()
        .shutdown_timeout(DRAIN_SECONDS)
        .keep_alive(KEEP_ALIVE)
        .client_request_timeout(HEADERS)
        .tls_handshake_timeout(HANDSHAKE)
        // As in Go: an event of a watch must not wait until the last one is acknowledged (40 to 200 ms).
        .tcp_nodelay(true)
        .on_connect(remember_peer)
        .listen_rustls_0_23(socket, tls)?;
    Ok(listening.run())
}

fn remember_peer(connection: &dyn Any, extensions: &mut Extensions) {
    let Some(stream) = connection.downcast_ref::<TlsStream<TcpStream>>() else { return };
    let (_, session) = stream.get_ref();
    let certificate = session.peer_certificates().and_then(|chain| chain.first()).map(|leaf| leaf.to_vec());
    extensions.insert(Peer { certificate });
}
