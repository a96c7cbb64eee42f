//! The three listeners: bind, serve, stop.

use std::io;
use std::sync::Arc;

use actix_web::dev::Server;
use actix_web::middleware::from_fn;
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{App, body};
use rustls::ServerConfig;

use crate::server::address::{Address, Socket};
use crate::server::gate::{Gate, Limits};
use crate::server::http::{self, Serving};
use crate::server::origin::Names;
use crate::server::{Engine, edge, health, opa, plimsoll, review};

/// The purpose of a listener.
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

/// Limits of connections, and the host names that listeners go by.
#[derive(Clone, Debug, Default)]
pub struct Admission {
    /// Of connections; the diagnostic listener has its own.
    pub limits: Limits,
    /// Names of hosts, beside loopback's.
    pub allowed_hosts: Arc<[String]>,
}

impl Role {
    /// Returns its name, as it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Review => "review",
            Self::Diagnostic => "diagnostic",
        }
    }
}

impl Admission {
    /// Reviews are asked for by names of any kind, over TLS: no page gets there under a name that is not the certificate's.
    fn names(&self, role: Role, address: &Address) -> Names {
        let asked = !self.allowed_hosts.is_empty() && role == Role::Api;
        let allowed = Arc::clone(&self.allowed_hosts);
        match address {
            Address::Tcp(address) if role != Role::Review && (address.ip().is_loopback() || asked) => Names::only(allowed),
            _ => Names::any(allowed),
        }
    }

    fn limits(&self, role: Role) -> Limits {
        if role == Role::Diagnostic { Limits::DIAGNOSTIC } else { self.limits }
    }
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
    pub fn serve(self, engine: Data<Engine>, admission: &Admission) -> io::Result<Server> {
        let Self { role, socket, tls, address } = self;
        let names = admission.names(role, &address);
        let gate = Gate::new(admission.limits(role), engine.metrics.connections.of(role.name()));
        let app = move || {
            let app = App::new().app_data(Data::clone(&engine)).app_data(role).app_data(names.clone());
            let app = app.configure(|config| routes(role, config));
            app.default_service(web::to(edge::not_found)).wrap(from_fn(edge::enter::<body::BoxBody>))
        };
        let workers = (role == Role::Diagnostic).then_some(1);
        http::serve(socket, Serving { gate, workers, tls }, app)
    }
}

fn routes(role: Role, config: &mut ServiceConfig) {
    match role {
        Role::Api => {
            opa::routes(config);
            plimsoll::routes(config);
            health::routes(config);
        }
        Role::Review => review::routes(config),
        Role::Diagnostic => health::routes(config),
    }
}
