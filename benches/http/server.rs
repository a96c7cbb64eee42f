//! A server of its own, on a free port of loopback; it ends with the benchmark.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use tempfile::TempDir;

use super::tls;
use crate::support::Outcome;

/// In whose style the policies are written.
pub(crate) struct Style(pub(crate) String);

impl Style {
    /// As said by `STYLES`, or all.
    pub(crate) fn all() -> Vec<Self> {
        let said = std::env::var("STYLES").unwrap_or_else(|_| "policies,helpers,comprehensions,v0,walk".to_owned());
        said.split(',').map(|name| Self(name.to_owned())).collect()
    }

    fn policies(&self) -> PathBuf {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        if self.0 == "policies" { root.join("policies") } else { root.join(format!("benches/serve/styles/{}.rego", self.0)) }
    }

    fn is_v0(&self) -> bool {
        self.0 == "v0"
    }
}

/// A connection, in the clear or not.
pub(crate) trait Wire: Read + Write {}

impl<T: Read + Write> Wire for T {}

/// Where requests are sent.
#[derive(Clone, Copy)]
pub(crate) enum Listener {
    /// OPA's API, in the clear.
    Api,
    /// AdmissionReview, over TLS.
    Review,
}

/// A process that answers.
pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
    /// Of this engine.
    review: Option<Review>,
}

/// Bytes of a process that are in memory.
pub(crate) struct Memory {
    /// Now.
    pub(crate) resident: u64,
    /// The most so far.
    pub(crate) peak: u64,
}

/// The listener for AdmissionReview.
struct Review {
    address: SocketAddr,
    config: Arc<ClientConfig>,
    /// The certificate, which is read again when it changes.
    _folder: TempDir,
}

impl Server {
    /// This engine.
    pub(crate) fn plimsoll(style: &Style) -> Outcome<Self> {
        let policies = style.policies();
        let address = free()?;
        // Another build of it can be measured, too.
        let binary = std::env::var("PLIMSOLL").unwrap_or_else(|_| env!("CARGO_BIN_EXE_plimsoll").to_owned());
        let mut command = Command::new(binary);
        command.args(["serve", "--log-level=error", "--addr", &address.to_string(), "--policies"]).arg(policies);
        let (folder, review) = (tempfile::tempdir()?, free()?);
        let config = tls::issue(folder.path())?;
        command.args(["--review-addr", &review.to_string(), "--review-cert-file"]).arg(folder.path().join("tls.crt"));
        command.arg("--review-key-file").arg(folder.path().join("tls.key"));
        Self::start(command, address, Some(Review { address: review, config, _folder: folder }))
    }

    /// A real OPA, with the same.
    pub(crate) fn opa(style: &Style) -> Outcome<Self> {
        let tools = std::env::var("KUBEBUILDER_ASSETS").map_err(|_| "KUBEBUILDER_ASSETS does not name the tests' tools")?;
        let policies = style.policies();
        let address = free()?;
        let mut command = Command::new(Path::new(&tools).join("opa"));
        command.args(["run", "--server", "--log-level=error", "--skip-version-check", "--ignore=*_test.rego", "--addr"]);
        command.arg(address.to_string()).args(style.is_v0().then_some("--v0-compatible")).arg(policies);
        Self::start(command, address, None)
    }

    fn start(mut command: Command, address: SocketAddr, review: Option<Review>) -> Outcome<Self> {
        let child = command.stdout(Stdio::null()).stderr(Stdio::inherit()).spawn()?;
        let server = Self { child, address, review };
        let started = Instant::now();
        while server.ask("GET", "/health", "").is_err() {
            if started.elapsed() > Duration::from_secs(30) {
                return Err("the server does not answer".into());
            }
            std::thread::yield_now();
        }
        Ok(server)
    }

    /// Connects. Fails when the server has no such listener.
    pub(crate) fn connect(&self, listener: Listener) -> Outcome<Box<dyn Wire>> {
        let connected = |address: SocketAddr| -> Outcome<TcpStream> {
            let stream = TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            Ok(stream)
        };
        match (listener, &self.review) {
            (Listener::Api, _) => Ok(Box::new(connected(self.address)?)),
            (Listener::Review, None) => Err("it answers no reviews".into()),
            (Listener::Review, Some(review)) => {
                let connection = ClientConnection::new(Arc::clone(&review.config), ServerName::try_from("localhost")?)?;
                Ok(Box::new(StreamOwned::new(connection, connected(review.address)?)))
            }
        }
    }

    /// Writes a document.
    pub(crate) fn put(&self, path: &str, body: &str) -> Outcome<()> {
        self.ask("PUT", path, body).map(drop)
    }

    /// Returns the processor time that it has used so far. Fails when the process is gone.
    pub(crate) fn processor(&self) -> Outcome<Duration> {
        const TICKS_PER_SECOND: u64 = 100;
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields = text.rsplit_once(')').map(|(_, fields)| fields).unwrap_or_default();
        // utime and stime, the 14th and 15th field of proc(5); two stand before the parenthesis.
        let ticks: u64 = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        Ok(Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND))
    }

    /// Returns its memory. Fails when the process is gone.
    pub(crate) fn memory(&self) -> Outcome<Memory> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let kibibytes = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_suffix("kB"));
            line.and_then(|number| number.trim().parse::<u64>().ok()).ok_or_else(|| format!("/proc does not say {name}"))
        };
        Ok(Memory { resident: kibibytes("VmRSS:")? << 10, peak: kibibytes("VmHWM:")? << 10 })
    }

    /// Fails unless each decision of this engine so far has placed its object: a denial costs other work, and would be measured all the same.
    pub(crate) fn has_placed_all(&self) -> Outcome<()> {
        let (all, placed) = (self.decisions("")?, self.decisions("outcome=\"place\"")?);
        if placed > 0 && placed == all { Ok(()) } else { Err(format!("{placed} of {all} are placed").into()) }
    }

    /// Returns how many decisions with a label this engine has made so far; with an empty one, all.
    pub(crate) fn decisions(&self, label: &str) -> Outcome<u64> {
        let metrics = self.ask("GET", "/metrics", "")?;
        let counts = metrics.lines().filter_map(|line| line.strip_prefix("plimsoll_decisions_total{")?.split_once("} "));
        counts.filter(|(labels, _)| labels.contains(label)).map(|(_, count)| Ok(count.parse::<u64>()?)).sum()
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> Outcome<String> {
        let mut stream = TcpStream::connect(self.address)?;
        let (host, length) = (self.address, body.len());
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let is_good = answer.starts_with("HTTP/1.1 2");
        if is_good { Ok(answer) } else { Err(format!("{method} {path}: {}", answer.lines().next().unwrap_or_default()).into()) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free() -> Outcome<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
