//! A client that keeps its connections, and asks again as soon as it is answered or at a rate of its own. It does next to nothing else: it
//! shares the machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::server::{Listener, Server, Wire};
use crate::support::Outcome;

const CONNECTIONS: usize = 8;
/// A connection that nothing was asked on for longer may be closed by the server at any time; one that slow answers leave idle is opened
/// anew.
const IDLE: Duration = Duration::from_secs(2);
/// Fewer answers than this tell nothing, however slow the server is.
const FEWEST: usize = 24;

/// Requests, to be sent in a circle.
pub(crate) struct Load {
    requests: Vec<Vec<u8>>,
    listener: Listener,
    /// Goes on from one measurement to the next.
    at: AtomicUsize,
}

/// What came of it.
pub(crate) struct Measured {
    pub(crate) per_second: f64,
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
    /// Of the server, for each answer.
    pub(crate) processor: Duration,
    /// Of one answer, on the average.
    pub(crate) bytes: usize,
}

/// When requests are sent.
#[derive(Clone, Copy)]
enum Pace {
    /// As soon as the connection has its last answer: what the server can do.
    Closed,
    /// So many a second, whether it is ready for them or not: what those who ask wait for. A request that is sent late has waited since
    /// it was due.
    Open(f64),
}

/// One measurement under way.
struct Run<'a> {
    server: &'a Server,
    pace: Pace,
    started: Instant,
    time: Duration,
    /// Not fewer requests than this, however long they take.
    fewest: usize,
    sent: AtomicUsize,
}

impl Load {
    /// One request, always the same.
    pub(crate) fn get(path: &str) -> Self {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        Self::of(vec![request.into_bytes()])
    }

    /// So many requests with these bodies.
    pub(crate) fn post(path: &str, count: usize, body: impl Fn(usize) -> String) -> Self {
        Self::of((0..count).map(|n| request("POST", path, &body(n))).collect())
    }

    /// So many documents, each written to its path.
    pub(crate) fn put(count: usize, document: impl Fn(usize) -> (String, String)) -> Self {
        let request = |n| {
            let (path, body) = document(n);
            request("PUT", &path, &body)
        };
        Self::of((0..count).map(request).collect())
    }

    /// The same, asked over TLS where reviews are answered.
    pub(crate) fn reviewed(self) -> Self {
        Self { listener: Listener::Review, ..self }
    }

    fn of(requests: Vec<Vec<u8>>) -> Self {
        Self { requests, listener: Listener::Api, at: AtomicUsize::new(0) }
    }

    /// Asks for so long, on some connections, as fast as the server answers.
    pub(crate) fn measure(&self, server: &Server, time: Duration) -> Outcome<Measured> {
        self.run(server, time, Pace::Closed, FEWEST)
    }

    /// Asks so many times, as fast as the server answers.
    pub(crate) fn warm_up(&self, server: &Server, count: usize) -> Outcome<()> {
        self.run(server, Duration::ZERO, Pace::Closed, count).map(drop)
    }

    /// Asks for so long at this rate, in requests a second.
    pub(crate) fn measure_at(&self, server: &Server, time: Duration, rate: f64) -> Outcome<Measured> {
        self.run(server, time, Pace::Open(rate), FEWEST)
    }

    fn run(&self, server: &Server, time: Duration, pace: Pace, fewest: usize) -> Outcome<Measured> {
        let before = server.processor()?;
        let run = Run { server, pace, started: Instant::now(), time, fewest, sent: AtomicUsize::new(0) };
        let answers = thread::scope(|scope| {
            let all: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(|| self.ask(&run))).collect();
            all.into_iter()
                .map(|one| one.join().unwrap_or_else(|_| Err("a client panicked".into())))
                .collect::<Result<Vec<_>, _>>()
        })?;
        let (elapsed, processor) = (run.started.elapsed(), server.processor()?.saturating_sub(before));
        let (mut times, mut bytes) = (Vec::new(), 0);
        for (some, read) in answers {
            times.extend(some);
            bytes += read;
        }
        times.sort_unstable();
        let count = times.len().max(1);
        let rank = |share: f64| times.get((count as f64 * share) as usize).copied().unwrap_or_default();
        Ok(Measured {
            per_second: times.len() as f64 / elapsed.as_secs_f64(),
            p50: rank(0.5),
            p99: rank(0.99),
            processor: processor / u32::try_from(count)?,
            bytes: bytes / count,
        })
    }

    fn ask(&self, run: &Run<'_>) -> Result<(Vec<Duration>, usize), String> {
        let failed = |error: std::io::Error| error.to_string();
        let connect = || run.server.connect(self.listener).map_err(|error| error.to_string());
        let mut reader = BufReader::with_capacity(64 << 10, connect()?);
        let (mut times, mut bytes, mut body, mut used) = (Vec::new(), 0, Vec::new(), Instant::now());
        while let Some(due) = run.next() {
            if used.elapsed() > IDLE {
                reader = BufReader::with_capacity(64 << 10, connect()?);
            }
            let at = self.at.fetch_add(1, Ordering::Relaxed) % self.requests.len();
            let request = self.requests.get(at).ok_or("no requests")?;
            let wire = reader.get_mut();
            wire.write_all(request).and_then(|()| wire.flush()).map_err(failed)?;
            bytes += answer(&mut reader, &mut body)?;
            times.push(due.elapsed());
            used = Instant::now();
        }
        Ok((times, bytes))
    }
}

impl Run<'_> {
    /// Returns the time from which the next request waits for its answer, when that has come; `None` at the end.
    fn next(&self) -> Option<Instant> {
        let nth = self.sent.fetch_add(1, Ordering::Relaxed);
        let Pace::Open(rate) = self.pace else {
            return (self.started.elapsed() < self.time || nth < self.fewest).then(Instant::now);
        };
        let after = Duration::from_secs_f64(nth as f64 / rate);
        let due = self.started + after;
        #[allow(clippy::disallowed_methods, reason = "an open loop is a clock: it waits until a request is due")]
        thread::sleep(due.saturating_duration_since(Instant::now()));
        (after < self.time || nth < self.fewest).then_some(due)
    }
}

fn request(method: &str, path: &str, body: &str) -> Vec<u8> {
    let (host, length) = ("Host: localhost\r\nContent-Type: application/json", body.len());
    format!("{method} {path} HTTP/1.1\r\n{host}\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes()
}

/// Reads one answer; returns how long its body is.
fn answer(reader: &mut BufReader<Box<dyn Wire>>, body: &mut Vec<u8>) -> Result<usize, String> {
    let failed = |error: std::io::Error| error.to_string();
    let (mut line, mut length, mut is_chunked) = (String::new(), None, false);
    reader.read_line(&mut line).map_err(failed)?;
    let is_empty = line.starts_with("HTTP/1.1 204");
    if !is_empty && !line.starts_with("HTTP/1.1 200") {
        return Err(format!("answered {}", line.trim()));
    }
    loop {
        line.clear();
        reader.read_line(&mut line).map_err(failed)?;
        if line == "\r\n" {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok();
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            is_chunked = true;
        }
    }
    if is_chunked {
        return chunks(reader, body);
    }
    let length = length.or(is_empty.then_some(0)).ok_or("an answer without a length")?;
    body.resize(length, 0);
    reader.read_exact(body).map_err(failed)?;
    Ok(length)
}

fn chunks(reader: &mut BufReader<Box<dyn Wire>>, body: &mut Vec<u8>) -> Result<usize, String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut all = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).map_err(failed)?;
        let size = usize::from_str_radix(line.trim(), 16).map_err(|error| error.to_string())?;
        // With the end of the line after it.
        body.resize(size + 2, 0);
        reader.read_exact(body).map_err(failed)?;
        all += size;
        if size == 0 {
            return Ok(all);
        }
    }
}
