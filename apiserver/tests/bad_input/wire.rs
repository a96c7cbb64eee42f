//! HTTP/1.1 over TLS as it goes over the wire: nothing is normalised, everything can be malformed.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::Value as Json;

/// Longer than the server waits for anything that a test does not send.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where the server is, and how it proves that.
#[derive(Clone)]
pub(super) struct Peer {
    pub(super) address: SocketAddr,
    tls: Arc<ClientConfig>,
}

/// A kept connection.
pub(super) struct Connection(StreamOwned<ClientConnection, TcpStream>);

/// An answer.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) code: u16,
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Peer {
    pub(super) fn new(address: SocketAddr, ca: &str) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(ca.as_bytes()).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        Self { address, tls: Arc::new(config.with_root_certificates(roots).with_no_client_auth()) }
    }

    /// A connection without TLS, hence without meaning.
    pub(super) fn dial(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    pub(super) fn connect(&self) -> Connection {
        let name = self.address.ip().to_string().try_into().unwrap();
        let session = ClientConnection::new(Arc::clone(&self.tls), name).unwrap();
        let mut stream = StreamOwned::new(session, self.dial());
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock).unwrap();
        }
        Connection(stream)
    }
}

impl Connection {
    /// A request with a body; `request` is method and target.
    pub(super) fn send(&mut self, token: &str, request: &str, content_type: &str, body: &[u8]) -> Reply {
        let mut headers = String::new();
        if !token.is_empty() {
            headers.push_str(&format!("Authorization: Bearer {token}\r\n"));
        }
        if !content_type.is_empty() {
            headers.push_str(&format!("Content-Type: {content_type}\r\n"));
        }
        self.write(format!("{request} HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {}\r\n\r\n", body.len()).as_bytes())
            .unwrap();
        self.write(body).unwrap();
        self.reply().unwrap()
    }

    /// Bytes as they are.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)?;
        self.0.flush()
    }

    /// The next answer; of one that does not end (a watch), the head.
    pub(super) fn reply(&mut self) -> io::Result<Reply> {
        let mut read = Vec::new();
        let end = loop {
            if let Some(end) = find(&read, b"\r\n\r\n") {
                break end + 4;
            }
            self.more(&mut read)?;
        };
        let head = String::from_utf8_lossy(&read[..end]).into_owned();
        let mut reply = Reply { code: head.split(' ').nth(1).unwrap().parse().unwrap(), head, body: read.split_off(end) };
        if let Some(length) = reply.header("content-length") {
            let length: usize = length.parse().unwrap();
            while reply.body.len() < length {
                self.more(&mut reply.body)?;
            }
        }
        Ok(reply)
    }

    /// Whether the server ends the connection before our patience ends.
    pub(super) fn is_closed(&mut self) -> bool {
        closed(&mut self.0)
    }

    /// Reads without writing: the server may have stopped to listen, and have answered all the same.
    fn more(&mut self, read: &mut Vec<u8>) -> io::Result<()> {
        let mut part = [0; 16 << 10];
        loop {
            match self.0.conn.reader().read(&mut part) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(length) => {
                    read.extend_from_slice(&part[..length]);
                    return Ok(());
                }
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                Err(_) => (),
            }
            if self.0.conn.read_tls(&mut self.0.sock)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.0.conn.process_new_packets().map_err(io::Error::other)?;
        }
    }
}

/// Whether a stream ends; what still comes is thrown away.
pub(super) fn closed(stream: &mut impl io::Read) -> bool {
    let mut part = [0; 1024];
    loop {
        match stream.read(&mut part) {
            Ok(0) => return true,
            Ok(_) => (),
            Err(error) => return !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut),
        }
    }
}

impl Reply {
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(super) fn json(&self) -> Json {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {} {}", self.head, self.text()))
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.map(|(key, value)| (key, value.trim())).find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The answer is a failure of this code, as a Status; gives its message.
    pub(super) fn is_status(&self, code: u16, about: &str) -> String {
        assert_eq!(self.code, code, "{about}: {}", self.text());
        let status = self.json();
        let expected = (Some("Status"), Some("Failure"), Some(u64::from(code)));
        let found = (status["kind"].as_str(), status["status"].as_str(), status["code"].as_u64());
        assert_eq!(found, expected, "{about}: {status}");
        status["message"].as_str().unwrap_or_default().to_owned()
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}
