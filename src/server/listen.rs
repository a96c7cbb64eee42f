//! The three listeners: bind, serve, stop.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use actix_web::dev::Server;
use actix_web::middleware::from_fn;
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{App, HttpServer};
use rustls::ServerConfig;

use crate::server::{Engine, admin, edge, health, opa_data, placements, review};

/// For the first bytes of TLS and the headers of a request.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// Between requests. Longer than the API server's own, so that it never writes into a connection that is closing.
const KEEP_ALIVE: Duration = Duration::from_secs(120);
/// For requests that are being answered when the engine stops.
const DRAIN_SECONDS: u64 = 10;

/// What a listener serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// OPA's API and ours; callers are checked.
    Api,
    /// AdmissionReview only.
    Review,
    /// Health and metrics only.
    Diagnostic,
}

/// A bound port, not yet answering.
#[derive(Debug)]
pub struct Listener {
    role: Role,
    socket: TcpListener,
    address: SocketAddr,
    tls: Option<ServerConfig>,
}

impl Listener {
    /// Binds; port 0 takes a free one.
    pub fn bind(role: Role, address: SocketAddr, tls: Option<ServerConfig>) -> io::Result<Self> {
        let socket = TcpListener::bind(address)?;
        let address = socket.local_addr()?;
        Ok(Self { role, socket, address, tls })
    }

    /// Such as `https://127.0.0.1:40123`.
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Starts to answer.
    pub fn serve(self, engine: Data<Engine>) -> io::Result<Server> {
        let Self { role, socket, tls, .. } = self;
        let app = move || {
            let app = App::new().app_data(Data::clone(&engine)).app_data(role);
            let app = app.configure(|config| routes(role, config));
            app.default_service(web::to(edge::not_found)).wrap(from_fn(edge::enter))
        };
        let server = HttpServer::new(app)
            .disable_signals()
            .shutdown_timeout(DRAIN_SECONDS)
            .keep_alive(KEEP_ALIVE)
            .client_request_timeout(HANDSHAKE)
            .tls_handshake_timeout(HANDSHAKE);
        let server = if role == Role::Diagnostic { server.workers(1) } else { server };
        let server = match tls {
            Some(tls) => server.listen_rustls_0_23(socket, tls)?,
            None => server.listen(socket)?,
        };
        Ok(server.run())
    }
}

fn routes(role: Role, config: &mut ServiceConfig) {
    match role {
        Role::Api => {
            opa_data::routes(config);
            admin::routes(config);
            placements::routes(config);
            health::routes(config);
        }
        Role::Review => review::routes(config),
        Role::Diagnostic => health::routes(config),
    }
}
