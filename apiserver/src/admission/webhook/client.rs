//! The caller: one HTTP exchange with a webhook, by URL or Service, over TLS, with the credentials that the administrator has for it. Source: `apiserver` `pkg/util/webhook/client.go`;
//! what holds for every way out is in [`outbound`].

mod answer;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use parking_lot::Mutex;
use reqwest::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use reqwest::{Certificate, Client, Identity, Url};
use tokio::time::timeout;

use self::answer::{answered, is_success};
use super::error::CallFault;
use super::services::{Route, Services};
use super::spec::{ClientConfig, Service};
use crate::admission::kubeconfig::{AuthInfo, Credentials, Users};
use crate::admission::outbound::{self, ReadError, innermost};
use crate::names::dns_label;

/// Largest answer. Upstream has no limit.
pub const ANSWER_LIMIT: usize = 4 << 20;
/// Clients that are kept, as upstream.
const CLIENTS: usize = 200;
/// Idle connections that are kept for each webhook, as upstream.
const IDLE: usize = 25;
const AGENT: &str = "kube-apiserver-admission";
/// What a deadline that passed is called, in Go's words: clients look for them.
const LATE: &str = "context deadline exceeded";

/// Calls webhooks; those with an equal `clientConfig` share connections.
#[derive(Debug)]
pub struct Caller {
    services: Services,
    users: Users,
    clients: Mutex<Clients>,
}

#[derive(Debug, Default)]
struct Clients {
    known: HashMap<ClientConfig, Known>,
    clock: u64,
}

#[derive(Clone, Debug)]
struct Known {
    target: Target,
    used: u64,
}

/// A webhook's address, and the connections to it.
#[derive(Clone, Debug)]
struct Target {
    http: Client,
    url: Url,
    credentials: Credentials,
}

/// Why a webhook cannot be called at all.
#[derive(Debug, thiserror::Error)]
enum SetupError {
    #[error("webhook configuration must have either service or URL")]
    Nowhere,
    #[error("the service {0:?} is none: its namespace and name must be DNS labels")]
    Service(String),
    #[error("Unparsable URL: {0}")]
    Url(String),
    #[error("unable to load root certificates: {0}")]
    Roots(String),
    #[error("unable to load the client certificate for {server}: {why}")]
    Identity { server: String, why: String },
    #[error("the HTTP client cannot be made: {0}")]
    Http(String),
}

impl Caller {
    /// `users` says who the server is to whom.
    pub fn new(services: Services, users: Users) -> Self {
        Self { services, users, clients: Mutex::default() }
    }

    /// Posts a review and gives the answer's body, which takes at most `limit`.
    pub async fn post(&self, config: &ClientConfig, review: Bytes, limit: Duration) -> Result<Bytes, CallFault> {
        let Target { http, mut url, credentials } = self.target(config).map_err(|error| CallFault::Client(error.to_string()))?;
        url.set_query(Some(&format!("timeout={}s", whole_seconds(limit))));
        let failed = |why: String| CallFault::Exchange { url: url.to_string(), why };
        let exchange = async {
            let request = http.post(url.clone()).header(CONTENT_TYPE, "application/json").header(ACCEPT, "application/json, */*");
            let request = credentials.authenticate(request.header(USER_AGENT, AGENT).body(review)).await;
            let request = request.map_err(|error| CallFault::Client(error.to_string()))?;
            let answer = request.send().await.map_err(|error| failed(innermost(&error)))?;
            let status = answer.status();
            let body = outbound::read(answer, ANSWER_LIMIT).await.map_err(|error| match error {
                ReadError::TooLarge(most) => failed(format!("the answer is larger than {most} bytes")),
                ReadError::Broken(error) => failed(innermost(&error)),
            })?;
            if is_success(status) { Ok(body) } else { Err(answered(status, &body)) }
        };
        timeout(limit, exchange).await.unwrap_or_else(|_| Err(failed(LATE.to_owned())))
    }

    fn target(&self, config: &ClientConfig) -> Result<Target, SetupError> {
        if let Some(target) = self.clients.lock().find(config) {
            return Ok(target);
        }
        // Reading certificates takes a while; nobody else waits for it.
        let target = self.connect(config)?;
        self.clients.lock().keep(config, &target);
        Ok(target)
    }

    /// Speaks to nobody yet.
    fn connect(&self, config: &ClientConfig) -> Result<Target, SetupError> {
        let mut builder = outbound::builder().pool_max_idle_per_host(IDLE).https_only(true);
        let text = match (&config.service, &config.url) {
            (Some(service), _) => {
                check(service)?;
                builder = builder.dns_resolver(Arc::new(Route::new(self.services.clone(), service.clone())));
                address(service)
            }
            (None, Some(url)) => url.clone(),
            (None, None) => return Err(SetupError::Nowhere),
        };
        let url = Url::parse(&text).map_err(|error| SetupError::Url(error.to_string()))?;
        if !config.ca_bundle.is_empty() {
            builder = builder.tls_certs_only(roots(&config.ca_bundle)?);
        }
        let user = self.user(config, &url);
        if let Some(pem) = user.and_then(|user| user.identity.as_ref()) {
            let refused = |error| SetupError::Identity { server: url.authority().to_owned(), why: innermost(&error) };
            builder = builder.identity(Identity::from_pem(pem).map_err(refused)?);
        }
        let credentials = user.map_or(Credentials::None, |user| user.credentials.clone());
        let http = builder.build().map_err(|error| SetupError::Http(innermost(&error)))?;
        Ok(Target { http, url, credentials })
    }

    /// Who the server is to a webhook: a Service is known by its name, whatever port leads to it here.
    fn user(&self, config: &ClientConfig, url: &Url) -> Option<&AuthInfo> {
        match &config.service {
            Some(Service { namespace, name, port, .. }) => self.users.of(&format!("{name}.{namespace}.svc"), *port),
            None => self.users.of(url.host_str()?, url.port_or_known_default()?),
        }
    }
}

impl Clients {
    fn find(&mut self, config: &ClientConfig) -> Option<Target> {
        self.clock += 1;
        let known = self.known.get_mut(config)?;
        known.used = self.clock;
        Some(known.target.clone())
    }

    /// In the place of the one that was not used for the longest time.
    fn keep(&mut self, config: &ClientConfig, target: &Target) {
        if self.known.len() >= CLIENTS {
            let oldest = self.known.iter().min_by_key(|(_, known)| known.used).map(|(config, _)| config.clone());
            oldest.and_then(|oldest| self.known.remove(&oldest));
        }
        self.known.insert(config.clone(), Known { target: target.clone(), used: self.clock });
    }
}

/// The API server wants no more than some name; anything else than a name would lead elsewhere.
fn check(Service { namespace, name, .. }: &Service) -> Result<(), SetupError> {
    let is_name = |text: &str| dns_label(text).is_empty();
    if is_name(namespace) && is_name(name) { Ok(()) } else { Err(SetupError::Service(format!("{namespace}/{name}"))) }
}

/// The name that a Service's certificate must have, its port and path.
fn address(service: &Service) -> String {
    let Service { namespace, name, path, port } = service;
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("https://{name}.{namespace}.svc:{port}{slash}{path}")
}

fn roots(bundle: &str) -> Result<Vec<Certificate>, SetupError> {
    let refused = |why: String| SetupError::Roots(why);
    let pem = STANDARD.decode(bundle).map_err(|error| refused(error.to_string()))?;
    let roots = Certificate::from_pem_bundle(&pem).map_err(|error| refused(innermost(&error)))?;
    if roots.is_empty() { Err(refused("caBundle holds no PEM certificate".to_owned())) } else { Ok(roots) }
}

/// Rounded up, as the webhook is told.
fn whole_seconds(limit: Duration) -> u64 {
    limit.as_secs() + u64::from(limit.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::testing::store;

    fn config(url: &str, ca_bundle: &str) -> ClientConfig {
        ClientConfig { url: Some(url.into()), service: None, ca_bundle: ca_bundle.into() }
    }

    #[test]
    fn timeouts_are_told_in_whole_seconds() {
        for (milliseconds, expected) in [(10_000, 10), (9_001, 10), (1, 1), (0, 0)] {
            assert_eq!(whole_seconds(Duration::from_millis(milliseconds)), expected);
        }
    }

    #[test]
    fn a_service_has_a_name_of_its_own() {
        let service = |path: &str| Service { namespace: "ns".into(), name: "svc".into(), path: path.into(), port: 443 };
        assert_eq!(address(&service("")), "https://svc.ns.svc:443/");
        assert_eq!(address(&service("/a/b")), "https://svc.ns.svc:443/a/b");
    }

    #[test]
    fn equal_addresses_share_a_client_and_there_are_never_too_many() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let caller = Caller::new(Services::Stored(store()), Users::default());
        for number in 0..CLIENTS + 50 {
            let config = config(&format!("https://localhost:{}/", 1 + number % 60_000), "");
            caller.target(&config).unwrap();
            caller.target(&config).unwrap();
        }
        assert_eq!(caller.clients.lock().known.len(), CLIENTS);
    }

    #[test]
    fn what_is_no_name_leads_nowhere() {
        let caller = Caller::new(Services::Stored(store()), Users::default());
        for (namespace, name) in
            [("hooks", "10.0.0.9:8443/x"), ("hooks", "y/proxy/admin"), ("../../x", "y"), ("a.b", "c"), ("", "c")]
        {
            let service = Service { namespace: namespace.into(), name: name.into(), path: String::new(), port: 443 };
            let config = ClientConfig { url: None, service: Some(service), ca_bundle: String::new() };
            let error = caller.target(&config).unwrap_err().to_string();
            assert!(error.contains("must be DNS labels"), "{error}");
        }
    }

    #[test]
    fn bad_certificates_are_a_failed_call() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let caller = Caller::new(Services::Stored(store()), Users::default());
        for bundle in ["bm8gcGVt", "!"] {
            let error = caller.target(&config("https://localhost", bundle)).unwrap_err().to_string();
            assert!(error.starts_with("unable to load root certificates"), "{error}");
        }
    }
}
