//! Another API server that is asked for what it has.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;
use bytes::Bytes;
use reqwest::header::{ACCEPT, USER_AGENT};
use reqwest::{StatusCode, Url};

use super::{ReadError, Way, WayError, innermost, read};
use crate::admission::engine::said;
use crate::admission::kubeconfig::TokenError;

const AGENT: &str = "plimsoll-admission";
/// How errors about its kubeconfig name this server.
const SERVER: &str = "the API server with the configurations of admission";

/// The API server of a kubeconfig.
#[derive(Debug)]
pub struct Peer {
    kubeconfig: PathBuf,
    way: ArcSwap<Way>,
}

/// Why something was not got. What it says may be shown to anybody: nothing of an answer's body is in it.
#[derive(Debug, thiserror::Error)]
pub enum GetError {
    /// No answer.
    #[error("GET {path}: {why}")]
    Exchange {
        /// The path of the request, without the server.
        path: String,
        /// The innermost cause, such as a refused connection.
        why: String,
    },
    /// An answer other than 200.
    #[error("GET {path}: the API server answered {code}")]
    Answered {
        /// The path of the request, without the server.
        path: String,
        /// The HTTP status code.
        code: u16,
        /// The sentence of the answer, for the log alone.
        message: String,
    },
    /// Our credentials; the cause names a file, for the log alone.
    #[error("the credentials for the API server cannot be read")]
    Credentials(#[from] TokenError),
}

impl Peer {
    /// Reads a kubeconfig and its certificates; speaks to nobody yet. Fails when the file, or what it names, cannot be used.
    pub fn load(kubeconfig: &Path) -> Result<Self, WayError> {
        let way = ArcSwap::from_pointee(Way::load(kubeconfig, SERVER)?);
        Ok(Self { kubeconfig: kubeconfig.into(), way })
    }

    /// Reads the kubeconfig and its certificates again: others renew them. Fails when they cannot be used; then the way stays as it was.
    pub fn reload(&self) -> Result<(), WayError> {
        self.way.store(Arc::new(Way::load(&self.kubeconfig, SERVER)?));
        Ok(())
    }

    /// Gets what is at a path, given as its segments, in at most so many bytes. Fails with any answer but 200, and without one.
    pub async fn get(&self, segments: &[&str], most: usize) -> Result<Bytes, GetError> {
        let (way, path) = (self.way.load_full(), segments.join("/"));
        let failed = |why: String| GetError::Exchange { path: path.clone(), why };
        let request = way.http.get(below(&way.url, segments)).header(ACCEPT, "application/json").header(USER_AGENT, AGENT);
        let request = way.credentials.authenticate(request).await?;
        let answer = request.send().await.map_err(|error| failed(innermost(&error)))?;
        let status = answer.status();
        let body = read(answer, most).await.map_err(|error| match error {
            ReadError::TooLarge(most) => failed(format!("the answer is larger than {most} bytes")),
            ReadError::Broken(error) => failed(innermost(&error)),
        })?;
        match status {
            StatusCode::OK => Ok(body),
            status => Err(GetError::Answered { path, code: status.as_u16(), message: said(&body) }),
        }
    }
}

/// Segments below a server's own path; none of them can be two.
fn below(server: &Url, segments: &[&str]) -> Url {
    let mut url = server.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_stays_one() {
        let url = |server: &str, segments: &[&str]| below(&Url::parse(server).unwrap(), segments).to_string();
        assert_eq!(url("https://h:1", &["api", "v1"]), "https://h:1/api/v1");
        assert_eq!(url("https://h:1/k8s/c-1/", &["api", "a/../b?c#d"]), "https://h:1/k8s/c-1/api/a%2F..%2Fb%3Fc%23d");
    }
}
