//! A way to a server that can be cut: connections are passed on byte by byte, or ended.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;

/// Stops when dropped, with its last connection.
pub(super) struct Forwarder {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    cut: bool,
    ended: bool,
    open: Vec<TcpStream>,
}

impl Forwarder {
    pub(super) fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, state) = (listener.local_addr().unwrap(), Arc::new(Mutex::new(State::default())));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let mut state = shared.lock();
                if state.ended {
                    return;
                }
                // A connection that is not taken is closed.
                if let (false, Ok(onward)) = (state.cut, TcpStream::connect(target)) {
                    state.open.extend([&connection, &onward].map(|stream| stream.try_clone().unwrap()));
                    pass(&connection, &onward);
                    pass(&onward, &connection);
                }
            }
        });
        Self { address, state }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends what is open, and takes nothing new.
    pub(super) fn cut(&self) {
        let mut state = self.state.lock();
        state.cut = true;
        for stream in state.open.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    pub(super) fn mend(&self) {
        self.state.lock().cut = false;
    }
}

fn pass(from: &TcpStream, to: &TcpStream) {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
}

impl Drop for Forwarder {
    fn drop(&mut self) {
        self.cut();
        self.state.lock().ended = true;
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}
