//! The three listeners: bind, serve, stop.

use std::io;
use std::time::Duration;

use actix_web::dev::Server;
use actix_web::middleware::from_fn;
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{App, HttpServer};
use rustls::ServerConfig;

use crate::server::address::{Address, Socket};
use crate::server::identity::remember_peer;
use crate::server::{Engine, admin, edge, health, opa_config, opa_data, opa_policies, opa_query, placements, review};

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
    socket: Socket,
    address: Address,
    tls: Option<ServerConfig>,
}

impl Listener {
    /// Binds; port 0 takes a free one. `mode` holds for Unix sockets, which have no TLS.
    pub fn bind(role: Role, address: &Address, tls: Option<ServerConfig>, mode: u32) -> io::Result<Self> {
        let (socket, address) = address.bind(mode)?;
        Ok(Self { role, socket, address, tls })
    }

    /// Such as `https://127.0.0.1:40123`.
    pub fn url(&self) -> String {
        match (&self.address, &self.tls) {
            (Address::Unix(_), _) => self.address.to_string(),
            (Address::Tcp(address), Some(_)) => format!("https://{address}"),
            (Address::Tcp(address), None) => format!("http://{address}"),
        }
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
            .on_connect(remember_peer)
            .disable_signals()
            // As in Go: who closes its side has left, and nothing is worked out for it any more.
            .h1_allow_half_closed(false)
            .shutdown_timeout(DRAIN_SECONDS)
            .keep_alive(KEEP_ALIVE)
            .client_request_timeout(HANDSHAKE)
            .tls_handshake_timeout(HANDSHAKE);
        let server = if role == Role::Diagnostic { server.workers(1) } else { server };
        let server = match (socket, tls) {
            (Socket::Tcp(socket), Some(tls)) => server.listen_rustls_0_23(socket, tls)?,
            (Socket::Tcp(socket), None) => server.listen(socket)?,
            (Socket::Unix(socket), _) => server.listen_uds(socket)?,
        };
        Ok(server.run())
    }
}

fn routes(role: Role, config: &mut ServiceConfig) {
    match role {
        Role::Api => {
            opa_data::routes(config);
            opa_policies::routes(config);
            opa_query::routes(config);
            opa_config::routes(config);
            admin::routes(config);
            placements::routes(config);
            health::routes(config);
        }
        Role::Review => review::routes(config),
        Role::Diagnostic => health::routes(config),
    }
}
