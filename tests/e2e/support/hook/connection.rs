//! One connection of an API server: reviews in, answers out.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value as Json, json};

use super::super::certificates::CertificateFiles;
use super::{Judge, Reply};

/// A thread that waits longer for an API server belongs to a test that is over.
const PATIENCE: Duration = Duration::from_secs(60);

type Stream = BufReader<StreamOwned<ServerConnection, TcpStream>>;

/// A POST: where it goes, and the review.
struct Question {
    path: String,
    review: Json,
}

pub(super) fn tls(files: &CertificateFiles) -> ServerConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let chain = vec![CertificateDer::from_pem_file(&files.certificate).unwrap()];
    let key = PrivateKeyDer::from_pem_file(&files.key).unwrap();
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    config.with_no_client_auth().with_single_cert(chain, key).unwrap()
}

/// Answers until the API server goes.
pub(super) fn serve(connection: TcpStream, config: Arc<ServerConfig>, judge: Judge) {
    connection.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut stream = BufReader::new(StreamOwned::new(ServerConnection::new(config).unwrap(), connection));
    while let Some(question) = read(&mut stream) {
        let (status, body) = match judge(&question.path, &question.review["request"]) {
            Reply::Now(response) => ("200 OK", review(&question, response)),
            Reply::After(time, response) if stays(&mut stream, time) => ("200 OK", review(&question, response)),
            Reply::NotFound => ("404 Not Found", String::new()),
            Reply::Never if stays(&mut stream, PATIENCE) => return,
            Reply::After(..) | Reply::Never => return,
        };
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
        if stream.get_mut().write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}

/// In the version of the question, with its uid.
fn review(question: &Question, mut response: Json) -> String {
    response["uid"] = question.review["request"]["uid"].clone();
    json!({"apiVersion": question.review["apiVersion"], "kind": "AdmissionReview", "response": response}).to_string()
}

/// Whether who asked is still there after this time.
fn stays(stream: &mut Stream, time: Duration) -> bool {
    stream.get_ref().get_ref().set_read_timeout(Some(time)).unwrap();
    let waited =
        matches!(stream.read(&mut [0]), Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut));
    stream.get_ref().get_ref().set_read_timeout(Some(PATIENCE)).unwrap();
    waited
}

fn read(stream: &mut impl BufRead) -> Option<Question> {
    let mut first = String::new();
    stream.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.split('?').next()?.to_owned();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.trim().parse().ok()?,
            None if line == "\r\n" => break,
            _ => (),
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(Question { path, review: serde_json::from_slice(&body).ok()? })
}
