//! HTTP/1.1 as actix serves it, behind a gate. `HttpServer` of actix-web stops accepting when it is full, and by worker; so its
//! few lines stand here, with what must come first.

use std::any::Any;
use std::fmt::Debug;
use std::io;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use actix_http::{HttpService, Protocol, Request, TlsAcceptorConfig};
use actix_service::{IntoServiceFactory, ServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_tls::accept::rustls_0_23::TlsStream;
use actix_tls::accept::{TlsError, max_concurrent_tls_connect};
use actix_web::body::BoxBody;
use actix_web::dev::{AppConfig, Extensions, Server, ServiceResponse};
use actix_web::rt::net::{TcpStream, UnixStream};
use rustls::ServerConfig;

use crate::server::address::Socket;
use crate::server::gate::{CURRENT, Gate, Gated};
use crate::server::identity::remember_peer;

/// For the first byte, then for TLS, then for the headers of a request.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// Between requests. Longer than the API server's own, so that it never writes into a connection that is closing.
const KEEP_ALIVE: Duration = Duration::from_secs(120);
/// For the other side to close, too.
const DISCONNECT: Duration = Duration::from_secs(1);
/// For requests that are being answered when the engine stops.
const DRAIN_SECONDS: u64 = 10;
/// What is wrong with who never ends a handshake.
static LATE: LazyLock<io::Error> = LazyLock::new(|| io::ErrorKind::TimedOut.into());
/// Actix' own limits never hold: it would stop to accept, and turn nobody away. The gate's do.
const UNLIMITED: usize = 1 << 20;

/// Settings that all connections of a listener share.
#[derive(Clone, Debug)]
pub struct Serving {
    /// Who may come in.
    pub gate: Arc<Gate>,
    /// Threads; by default one for each core.
    pub workers: Option<usize>,
    /// Certificates.
    pub tls: Option<ServerConfig>,
}

/// The service of one kind of stream. Each has a type of its own, which only the compiler can name.
macro_rules! http {
    ($stream:ty, $app:ident, $ending:ident) => {{
        let ending = $ending.clone();
        let service = HttpService::<$stream, _, _>::build()
            .graceful_shutdown_signal(move || {
                let ending = ending.clone();
                async move { ending.notified().await }
            })
            .keep_alive(KEEP_ALIVE)
            .client_request_timeout(HANDSHAKE)
            .client_disconnect_timeout(DISCONNECT)
            // As in Go: a line of a stream must not wait until the last one is acknowledged (40 to 200 ms).
            .tcp_nodelay(true)
            // As there: who closes its side has left, and nothing is worked out for it any more.
            .h1_allow_half_closed(false)
            .on_connect_ext(|stream: &$stream, data: &mut Extensions| connected(stream, data));
        let app = $app().into_factory().map_err(|error| error.error_response());
        service.finish(map_config(app, |()| AppConfig::default()))
    }};
}

/// Starts to answer on a socket.
pub fn serve<A, I, S>(socket: Socket, serving: Serving, app: A) -> io::Result<Server>
where
    A: Fn() -> I + Send + Clone + 'static,
    I: IntoServiceFactory<S, Request>,
    S: ServiceFactory<Request, Config = AppConfig, Response = ServiceResponse<BoxBody>, Error = actix_web::Error> + 'static,
    S::InitError: Debug,
    S::Service: 'static,
{
    let Serving { gate, workers, tls } = serving;
    max_concurrent_tls_connect(UNLIMITED);
    let mut builder = Server::build().disable_signals().shutdown_timeout(DRAIN_SECONDS).max_concurrent_connections(UNLIMITED);
    if let Some(workers) = workers {
        builder = builder.workers(workers);
    }
    let ending = builder.graceful_shutdown_signal();
    let server = match (socket, tls) {
        (Socket::Tcp(socket), None) => builder.listen("http", socket, move || {
            let http = http!(TcpStream, app, ending).tcp();
            Gated::new(Arc::clone(&gate), HANDSHAKE, http)
        }),
        (Socket::Tcp(socket), Some(tls)) => builder.listen("https", socket, move || {
            let patience = TlsAcceptorConfig::default().handshake_timeout(HANDSHAKE);
            let http = http!(TlsStream<TcpStream>, app, ending).rustls_0_23_with_config(tls.clone(), patience);
            let refused = Arc::clone(&gate);
            let http = http.map_err(move |error| {
                let why = match &error {
                    TlsError::Tls(why) => Some(why),
                    TlsError::Timeout => Some(&*LATE),
                    TlsError::Service(_) => None,
                };
                if let Some(why) = why {
                    refused.refused(CURRENT.try_with(|connection| connection.peer()).ok(), why);
                }
                error
            });
            Gated::new(Arc::clone(&gate), HANDSHAKE, http)
        }),
        (Socket::Unix(socket), _) => builder.listen_uds("unix", socket, move || {
            let plain = fn_service(|stream: UnixStream| async { Ok((stream, Protocol::Http1, None)) });
            Gated::new(Arc::clone(&gate), HANDSHAKE, plain.and_then(http!(UnixStream, app, ending)))
        }),
    };
    Ok(server?.run())
}

/// Puts what requests need to know of their connection into its extensions.
fn connected(stream: &dyn Any, data: &mut Extensions) {
    remember_peer(stream, data);
    // It is always served behind a gate.
    let _ = CURRENT.try_with(|connection| data.insert(Arc::clone(connection)));
}
