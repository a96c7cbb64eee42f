//! Where connections come from.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use actix_web::rt::net::{TcpStream, UnixStream};

/// What counts as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Peer {
    /// An address.
    V4(Ipv4Addr),
    /// A network of the size that one customer or one node gets (/64).
    V6([u16; 4]),
    /// Whoever may open the socket: permissions bound them, and only the number of places does beside.
    Local,
}

impl From<IpAddr> for Peer {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Self::V6([a, b, c, d])
            }
        }
    }
}

impl std::fmt::Display for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::V4(address) => write!(f, "{address}"),
            Self::V6([a, b, c, d]) => write!(f, "{}/64", Ipv6Addr::new(*a, *b, *c, *d, 0, 0, 0, 0)),
            Self::Local => f.write_str("this machine"),
        }
    }
}

/// A connection that was just accepted.
pub trait Incoming: 'static {
    /// Where it comes from.
    fn peer(&self) -> Peer;
    /// Resolves when there is something to read, or the end.
    fn spoken(&self) -> impl Future<Output = ()>;
}

impl Incoming for TcpStream {
    fn peer(&self) -> Peer {
        // Without an address it is gone already.
        self.peer_addr().map_or(Peer::Local, |address| address.ip().into())
    }

    async fn spoken(&self) {
        // An error shows when it is read.
        let _ = self.readable().await;
    }
}

impl Incoming for UnixStream {
    fn peer(&self) -> Peer {
        Peer::Local
    }

    async fn spoken(&self) {
        let _ = self.readable().await;
    }
}
