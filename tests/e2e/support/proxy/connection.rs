//! One client's connection, and the one to the API server behind it: request after request.

use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustix::net::{RecvFlags, recv};
use rustls::pki_types::ServerName;
use rustls::{ClientConnection, ServerConnection, StreamOwned};

use super::message::{self, Body, Refusal, Request};
use super::{Over, Shared};

/// Between two looks at whether there is anybody left to answer.
const LOOK: Duration = Duration::from_millis(100);

type Near = BufReader<StreamOwned<ServerConnection, TcpStream>>;

/// The way to the API server: reads wait as long as somebody wants the answer and no fault holds it back.
struct Far {
    stream: StreamOwned<ClientConnection, TcpStream>,
    near: TcpStream,
    shared: Arc<Shared>,
    is_watch: bool,
}

/// Answers until either side goes, or the proxy is cut.
pub(super) fn serve(stream: TcpStream, shared: &Arc<Shared>) {
    // An end of the connection is no failure of the test.
    let _ = run(stream, shared);
}

fn run(stream: TcpStream, shared: &Arc<Shared>) -> io::Result<()> {
    // Half open: not even a handshake is answered.
    shared.pass(false)?;
    stream.set_nodelay(true)?;
    let peer = stream.try_clone()?;
    let connection = ServerConnection::new(Arc::clone(&shared.server)).map_err(io::Error::other)?;
    let mut near = BufReader::new(StreamOwned::new(connection, stream));
    let mut far: Option<BufReader<Far>> = None;
    while let Some(request) = message::request(&mut near)? {
        let faults = shared.pass(request.is_watch)?;
        if is_gone(&peer) {
            return Ok(());
        }
        let refusal = match faults.unauthorized {
            true => Some(Refusal::Unauthorized),
            false if shared.is_one_too_many(faults) => Some(Refusal::TooMany),
            false => None,
        };
        if let Some(refusal) = refusal {
            near.get_mut().write_all(refusal.text().as_bytes())?;
            continue;
        }
        let mut way = match far.take() {
            Some(way) => way,
            None => BufReader::new(Far::connect(&peer, shared)?),
        };
        if forward(&mut near, &mut way, &request, shared)? {
            far = Some(way);
        }
    }
    Ok(())
}

/// Passes one request on, and its answer back; whether the connection may be used again.
fn forward(near: &mut Near, far: &mut BufReader<Far>, request: &Request, shared: &Shared) -> io::Result<bool> {
    far.get_mut().is_watch = request.is_watch;
    far.get_mut().stream.write_all(&request.bytes)?;
    let answer = message::answer(far)?;
    pass(near, &answer.head, request, shared)?;
    match answer.body {
        Body::Length(length) => {
            let mut left = length;
            while left > 0 {
                let mut part = vec![0; left.min(16 << 10)];
                let count = far.read(&mut part)?;
                if count == 0 {
                    return Ok(false);
                }
                part.truncate(count);
                left -= count;
                pass(near, &part, request, shared)?;
            }
        }
        Body::Chunks => loop {
            let (chunk, is_last) = message::chunk(far)?;
            pass(near, &chunk, request, shared)?;
            if is_last {
                break;
            }
        },
    }
    Ok(!answer.closes)
}

fn pass(near: &mut Near, bytes: &[u8], request: &Request, shared: &Shared) -> io::Result<()> {
    let faults = shared.pass(request.is_watch)?;
    shared.rest(faults.slow)?;
    near.get_mut().write_all(bytes)
}

/// Whether the client has hung up: it has nothing to say before it is answered.
fn is_gone(near: &TcpStream) -> bool {
    let mut byte = [0_u8; 1];
    !matches!(recv(near, &mut byte, RecvFlags::PEEK | RecvFlags::DONTWAIT), Err(rustix::io::Errno::AGAIN))
}

impl Far {
    fn connect(near: &TcpStream, shared: &Arc<Shared>) -> io::Result<Self> {
        let mut stream = TcpStream::connect(shared.far)?;
        stream.set_nodelay(true)?;
        let name = ServerName::IpAddress(shared.far.ip().into());
        let mut connection = ClientConnection::new(Arc::clone(&shared.client), name).map_err(io::Error::other)?;
        // The handshake takes as long as it takes.
        connection.complete_io(&mut stream)?;
        stream.set_read_timeout(Some(LOOK))?;
        let (near, shared) = (near.try_clone()?, Arc::clone(shared));
        Ok(Self { stream: StreamOwned::new(connection, stream), near, shared, is_watch: false })
    }
}

impl Read for Far {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            self.shared.pass(self.is_watch)?;
            match self.stream.read(into) {
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    let is_held = self.shared.faults()?.half_open;
                    if !is_held && is_gone(&self.near) {
                        return Err(Over.into());
                    }
                }
                // Some servers end without saying so.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
                end => return end,
            }
        }
    }
}

impl From<Over> for io::Error {
    fn from(_: Over) -> Self {
        io::ErrorKind::ConnectionAborted.into()
    }
}
