//! Real OPA as a server.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

/// A running OPA; it ends with the value.
pub(super) struct Opa {
    process: Child,
    addr: SocketAddr,
}

impl Drop for Opa {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts OPA, if it is there.
pub(super) fn start(flags: &[&str]) -> Option<Opa> {
    let Some(binary) =
        std::env::var_os("KUBEBUILDER_ASSETS").map(|folder| PathBuf::from(folder).join("opa")).filter(|b| b.exists())
    else {
        assert!(std::env::var("PLIMSOLL_E2E").as_deref() != Ok("required"), "no opa in KUBEBUILDER_ASSETS");
        #[allow(clippy::print_stderr, reason = "says that it was skipped, as the end-to-end tests do")]
        {
            eprintln!("skipped: no opa in KUBEBUILDER_ASSETS (tests/tools/build builds it)");
        }
        return None;
    };
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let addr = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let process = Command::new(binary)
        .args(["run", "--server"])
        .args(flags)
        .args(["--log-level=error", "--disable-telemetry", "--addr", &addr.to_string()])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let opa = Opa { process, addr };
    let deadline = Instant::now() + Duration::from_secs(60);
    while TcpStream::connect(addr).is_err() {
        assert!(Instant::now() < deadline, "OPA does not answer");
        std::thread::yield_now();
    }
    Some(opa)
}

impl Opa {
    /// Takes over data.
    pub(super) fn load(&self, data: &Json) {
        for (name, document) in data.as_object().unwrap() {
            let (status, answer) = self.call("PUT", &format!("/v1/data/{name}"), &document.to_string());
            assert!(status == 204, "{answer}");
        }
    }

    /// Takes over a policy, or says why not.
    pub(super) fn accepts(&self, name: &str, policy: &str) -> Result<(), String> {
        match self.call("PUT", &format!("/v1/policies/{name}"), policy) {
            (200, _) => Ok(()),
            (_, answer) => Err(answer),
        }
    }

    /// Has no policies any more.
    pub(super) fn forget(&self) {
        for name in ["more", "place", "lib"] {
            self.call("DELETE", &format!("/v1/policies/{name}"), "");
        }
    }

    /// The document of a package, or the code of the error.
    pub(super) fn ask(&self, package: &[&str], input: &Json) -> Result<Option<Json>, String> {
        let (_, answer) = self.call("POST", &format!("/v1/data/{}", package.join("/")), &json!({"input": input}).to_string());
        let answer: Json = serde_json::from_str(&answer).unwrap();
        match answer["errors"][0]["code"].as_str() {
            Some(code) => Err(code.to_owned()),
            None => Ok(answer.get("result").cloned()),
        }
    }

    /// HTTP/1.0: one request a connection, and the answer ends where it ends.
    fn call(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.addr).unwrap();
        let length = body.len();
        write!(stream, "{method} {path} HTTP/1.0\r\nHost: opa\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }
}
