//! Where a listener listens: a port or a Unix socket.

use std::fmt;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 1024;

/// `127.0.0.1:8181` or `unix:///run/plimsoll.sock`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A port.
    Tcp(SocketAddr),
    /// The path of a socket; who may connect is decided by its permissions.
    Unix(PathBuf),
}

/// A bound address.
#[derive(Debug)]
pub enum Socket {
    /// A port.
    Tcp(TcpListener),
    /// A file.
    Unix(UnixListener),
}

/// A text that is no address of a listener.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// No port.
    #[error("`{0}` is neither IP:PORT, localhost:PORT or :PORT")]
    Tcp(String),
    /// Neither a port nor a socket.
    #[error("{0}, nor `unix:///absolute/path`")]
    Neither(Box<AddressError>),
    /// A socket without an absolute path.
    #[error("`{0}` is no `unix:///absolute/path`")]
    Unix(String),
}

impl Address {
    /// Whether only processes of this machine reach it.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Tcp(address) => address.ip().is_loopback(),
            Self::Unix(_) => true,
        }
    }

    /// Binds; a port 0 takes a free one, a socket that an earlier process left behind is replaced.
    pub fn bind(&self, mode: u32) -> io::Result<(Socket, Self)> {
        match self {
            Self::Tcp(address) => {
                let socket = listen(address)?;
                // Std asks for 128: a burst beyond them would wait a second for its next try.
                rustix::net::listen(&socket, BACKLOG)?;
                let address = socket.local_addr()?;
                Ok((Socket::Tcp(socket), Self::Tcp(address)))
            }
            Self::Unix(path) => {
                remove_stale(path)?;
                let socket = UnixListener::bind(path)?;
                fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
                Ok((Socket::Unix(socket), self.clone()))
            }
        }
    }
}

/// Only ever a socket: a mistyped path must not cost a file.
fn remove_stale(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() => fs::remove_file(path),
        Ok(_) => Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is something at this path that is no socket")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(path) = text.strip_prefix("unix://") {
            let path = PathBuf::from(path);
            return if path.is_absolute() { Ok(Self::Unix(path)) } else { Err(AddressError::Unix(text.into())) };
        }
        tcp(text).map(Self::Tcp).map_err(|error| AddressError::Neither(error.into()))
    }
}

/// Reads `IP:PORT`; `localhost:PORT` is on loopback, and `:PORT` on every interface, as in Go.
pub fn tcp(text: &str) -> Result<SocketAddr, AddressError> {
    let host = |prefix: &str| text.strip_prefix(prefix).and_then(|port| port.parse::<u16>().ok());
    let loopback = host("localhost:").map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let named = loopback.or_else(|| host(":").map(|port| SocketAddr::from((Ipv6Addr::UNSPECIFIED, port))));
    match named {
        Some(address) => Ok(address),
        None => text.parse().map_err(|_| AddressError::Tcp(text.into())),
    }
}

/// `[::]` is every interface, also where there is no IPv6.
fn listen(address: &SocketAddr) -> io::Result<TcpListener> {
    match TcpListener::bind(address) {
        Err(error) if address.ip() == Ipv6Addr::UNSPECIFIED && error.kind() != io::ErrorKind::AddrInUse => {
            TcpListener::bind((Ipv4Addr::UNSPECIFIED, address.port())).map_err(|_| error)
        }
        bound => bound,
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix://{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_and_paths_are_told_apart() {
        for text in ["127.0.0.1:8181", "[::1]:0", "unix:///run/p.sock"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        for (text, address, local) in [("localhost:8181", "127.0.0.1:8181", true), (":8181", "[::]:8181", false)] {
            let parsed = text.parse::<Address>().unwrap();
            assert_eq!((parsed.to_string().as_str(), parsed.is_local()), (address, local), "{text}");
        }
        for text in
            ["localhost", "localhost:x", ":", ":70000", "example.org:80", "unix://run/p.sock", "unix://", "http://127.0.0.1:1"]
        {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }

    #[test]
    fn only_a_socket_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let address = Address::Unix(path.clone());
        drop(address.bind(0o700).unwrap());
        let _again = address.bind(0o755).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
        let file = directory.path().join("f");
        fs::write(&file, "precious").unwrap();
        assert!(Address::Unix(file.clone()).bind(0o755).is_err());
        assert_eq!(fs::read_to_string(file).unwrap(), "precious");
    }
}
