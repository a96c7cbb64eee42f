//! What a kubeconfig leads to, and who we are there, as the file says it now.

use std::path::{Path, PathBuf};

use reqwest::{Certificate, Client, Identity, Url};

use super::builder;
use crate::admission::kubeconfig::{Access, Credentials, KubeconfigError};

/// A way to one server.
#[derive(Debug)]
pub struct Way {
    /// Connections that are kept.
    pub http: Client,
    /// The server's address as the kubeconfig gives it, path included.
    pub url: Url,
    /// Sent with each request.
    pub credentials: Credentials,
}

/// Why there is no way. None is worth a retry.
#[derive(Debug, thiserror::Error)]
pub enum WayError {
    /// The kubeconfig cannot be used.
    #[error("cannot use the kubeconfig `{file}` of {server}")]
    Kubeconfig {
        /// The file.
        file: PathBuf,
        /// The server that it is for, such as `the policy engine`.
        server: &'static str,
        /// Why.
        source: KubeconfigError,
    },
    /// A certificate or key in it, or the HTTP client itself.
    #[error("cannot use the certificates that the kubeconfig `{file}` of {server} names")]
    Certificates {
        /// The file.
        file: PathBuf,
        /// The server that it is for, such as `the policy engine`.
        server: &'static str,
        /// Why.
        source: reqwest::Error,
    },
}

impl Way {
    /// Reads a kubeconfig and its certificates; speaks to nobody yet. `server` is what errors call the other side, such as `the policy
    /// engine`. Fails when the file, or what it names, cannot be used.
    pub fn load(file: &Path, server: &'static str) -> Result<Self, WayError> {
        let access = Access::read(file).map_err(|source| WayError::Kubeconfig { file: file.into(), server, source })?;
        let http = client(&access).map_err(|source| WayError::Certificates { file: file.into(), server, source })?;
        Ok(Self { http, url: access.server, credentials: access.credentials })
    }
}

fn client(access: &Access) -> Result<Client, reqwest::Error> {
    let mut builder = builder().tls_danger_accept_invalid_certs(access.insecure);
    if let Some(pem) = &access.authority {
        builder = builder.tls_certs_only(Certificate::from_pem_bundle(pem)?);
    }
    if let Some(pem) = &access.identity {
        builder = builder.identity(Identity::from_pem(pem)?);
    }
    builder.build()
}
