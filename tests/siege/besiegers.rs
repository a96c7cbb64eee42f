//! Who sends them: a few threads that wait for answers, and connections that say half of something and no more.

use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::attacks::{self, Attack, Listener};
use super::chance::Chance;
use super::client::Client;
use super::figures::Figures;

/// Nobody waits longer for an answer that is not worth having.
const PATIENCE: Duration = Duration::from_secs(5);
/// Silent connections at once, of each thread.
const STALLED: usize = 24;

/// Where the engine listens.
#[derive(Clone, Debug)]
pub(super) struct Walls {
    pub(super) api: String,
    pub(super) review: String,
    pub(super) diagnostic: String,
}

impl Walls {
    fn url(&self, listener: Listener) -> &str {
        match listener {
            Listener::Api => &self.api,
            Listener::Review => &self.review,
            Listener::Diagnostic => &self.diagnostic,
        }
    }
}

/// Attacks until it is over; what came of it.
pub(super) fn besiege(walls: &Walls, mut chance: Chance, over: &AtomicBool) -> Figures {
    let (client, mut figures, mut stalled) = (Client::new(PATIENCE), Figures::default(), Vec::new());
    while !over.load(Ordering::Relaxed) {
        let attack = attacks::any(&mut chance);
        if chance.one_in(4) {
            stall(walls, &attack, &mut stalled);
            continue;
        }
        let (name, started) = (attack.name, Instant::now());
        let url = format!("{}{}", walls.url(attack.listener), attack.path);
        let answer = client.ask(attack.method, &url, attack.kind, attack.body);
        let came = answer.map_or("no answer".to_owned(), |(status, _)| status.to_string());
        figures.add(format!("{name}: {came}"), started.elapsed());
    }
    figures
}

/// Announces a body and sends a part of it; the oldest of many gives way.
fn stall(walls: &Walls, attack: &Attack, stalled: &mut Vec<TcpStream>) {
    let url = walls.url(attack.listener);
    let address = url.rsplit('/').next().unwrap_or_default();
    // A full listener takes no more: nothing is stalled then.
    let Ok(mut connection) = TcpStream::connect(address) else { return };
    let (kind, length) = (attack.kind, attack.body.len().max(1 << 20));
    let head = format!(
        "{} {} HTTP/1.1\r\nhost: {address}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n",
        attack.method, attack.path
    );
    let part = &attack.body[..attack.body.len().min(64 << 10) / 2];
    // To a listener with TLS this is no handshake, and the connection as silent.
    if connection.set_write_timeout(Some(Duration::from_millis(200))).is_ok() {
        let _sent = connection.write_all(head.as_bytes()).and_then(|()| connection.write_all(part));
    }
    if stalled.len() >= STALLED {
        stalled.remove(0);
    }
    stalled.push(connection);
}
