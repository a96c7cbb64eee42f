//! Where a Service leads: a Service of the API server that has the configurations, as upstream's aggregator routes to them. Source:
//! `apiserver` `pkg/util/proxy/proxy.go`, `ResolveCluster`.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use serde_json::Value as Json;

use super::spec::Service;
use crate::admission::outbound::{GetError, Peer};
use crate::storage::{Key, Store};

/// Bytes of a Service of another API server.
const LIMIT: usize = 2 << 20;
/// So many Services of another API server are remembered.
const MOST: usize = 1_000;

/// Who has the Services.
#[derive(Clone, Debug)]
pub enum Services {
    /// This server.
    Stored(Store),
    /// The one that has the configurations too.
    Remote(Arc<RemoteServices>),
}

/// Services of another API server. Where one cannot be looked up, it is where it was: an outage must not open what a webhook with `Ignore` closes.
#[derive(Debug)]
pub struct RemoteServices {
    peer: Arc<Peer>,
    /// As they were found last.
    known: Mutex<HashMap<(String, String), Bytes>>,
}

/// Finds one Service, at each new connection.
#[derive(Clone, Debug)]
pub(super) struct Route {
    services: Services,
    service: Service,
}

/// Where the connection goes.
#[derive(Debug, PartialEq, Eq)]
enum Target {
    Address(IpAddr),
    /// And a port other than the Service's; 0 for the same.
    Name(String, u16),
}

/// Why there is no way to a Service.
#[derive(Debug, thiserror::Error)]
enum RouteError {
    #[error("service {0:?} not found")]
    Missing(String),
    #[error("service {0:?} cannot be looked up: {1}")]
    Lookup(String, GetError),
    #[error("cannot route to service with ClusterIP \"None\"")]
    Headless,
    #[error("no service port {port} found for service {name:?}")]
    Port { port: u16, name: String },
    #[error("service {0:?} has no address: make it of type ExternalName, or give it a clusterIP that can be reached")]
    NoAddress(String),
    #[error("unsupported service type {0:?}")]
    Type(String),
}

impl RemoteServices {
    /// Asks this API server.
    pub fn new(peer: Arc<Peer>) -> Self {
        Self { peer, known: Mutex::default() }
    }

    async fn find(&self, namespace: &str, name: &str) -> Result<Bytes, RouteError> {
        let key = (namespace.to_owned(), name.to_owned());
        match self.peer.get(&["api", "v1", "namespaces", namespace, "services", name], LIMIT).await {
            Ok(found) => {
                let mut known = self.known.lock();
                if known.len() >= MOST && !known.contains_key(&key) {
                    known.clear();
                }
                known.insert(key, found.clone());
                Ok(found)
            }
            Err(GetError::Answered { code: 404, .. }) => {
                self.known.lock().remove(&key);
                Err(RouteError::Missing(name.to_owned()))
            }
            Err(error) => self.known.lock().get(&key).cloned().ok_or_else(|| RouteError::Lookup(name.to_owned(), error)),
        }
    }
}

impl Route {
    pub(super) fn new(services: Services, service: Service) -> Self {
        Self { services, service }
    }

    /// The Service as it is now.
    async fn find(&self) -> Result<Json, RouteError> {
        let Service { namespace, name, .. } = &self.service;
        let body = match &self.services {
            Services::Stored(store) => {
                let key =
                    Key { collection: "core/services".into(), namespace: namespace.as_str().into(), name: name.as_str().into() };
                store.snapshot().get(&key).ok_or_else(|| RouteError::Missing(name.clone()))?.value.clone()
            }
            Services::Remote(remote) => remote.find(namespace, name).await?,
        };
        Ok(serde_json::from_slice(&body).unwrap_or_default())
    }

    async fn target(&self) -> Result<Target, RouteError> {
        let Service { name, port, .. } = &self.service;
        let object = self.find().await?;
        let text = |pointer| object.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
        let address = text("/spec/clusterIP");
        match text("/spec/type") {
            "ExternalName" => return Ok(Target::Name(text("/spec/externalName").to_owned(), self.target_port(&object))),
            "ClusterIP" if address == "None" => return Err(RouteError::Headless),
            "ClusterIP" | "LoadBalancer" | "NodePort" => {}
            other => return Err(RouteError::Type(other.to_owned())),
        }
        let ports = object.pointer("/spec/ports").and_then(Json::as_array).into_iter().flatten();
        let mut numbers = ports.filter_map(|one| one.get("port")?.as_u64());
        if !numbers.any(|number| number == u64::from(*port)) {
            return Err(RouteError::Port { port: *port, name: name.clone() });
        }
        address.parse().map(Target::Address).map_err(|_| RouteError::NoAddress(name.clone()))
    }
}

impl Route {
    /// No proxy stands between the server and a Service, so the `targetPort` of port 443, which URLs do not spell, is looked up here.
    fn target_port(&self, object: &Json) -> u16 {
        let ports = object.pointer("/spec/ports").and_then(Json::as_array).into_iter().flatten();
        let own = ports.into_iter().find(|one| one.get("port").and_then(Json::as_u64) == Some(u64::from(self.service.port)));
        let target = own.and_then(|one| one.get("targetPort")).and_then(Json::as_u64);
        target.and_then(|port| u16::try_from(port).ok()).unwrap_or_default()
    }
}

impl Resolve for Route {
    /// The port is that of the URL, where the URL spells one.
    fn resolve(&self, _: Name) -> Resolving {
        let route = self.clone();
        Box::pin(async move {
            let found: Vec<SocketAddr> = match route.target().await? {
                Target::Address(address) => vec![SocketAddr::new(address, 0)],
                Target::Name(name, port) => tokio::net::lookup_host((name.as_str(), port)).await?.collect(),
            };
            if found.is_empty() {
                return Err(io::Error::other("the name has no address").into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::admission::testing::{put, store};

    #[tokio::test]
    async fn a_service_leads_where_it_says() {
        let store = store();
        let services = [
            ("external", json!({"type": "ExternalName", "externalName": "localhost"})),
            ("cluster", json!({"type": "ClusterIP", "clusterIP": "127.0.0.9", "ports": [{"port": 443}]})),
            ("headless", json!({"type": "ClusterIP", "clusterIP": "None", "ports": [{"port": 443}]})),
            ("bare", json!({"type": "ClusterIP", "ports": [{"port": 443}]})),
        ];
        for (name, spec) in services {
            put(&store, "core/services", json!({"metadata": {"name": name, "namespace": "hooks"}, "spec": spec})).await;
        }
        let target = async |name: &str, port| {
            let service = Service { namespace: "hooks".into(), name: name.into(), path: String::new(), port };
            Route::new(Services::Stored(store.clone()), service).target().await.map_err(|error| error.to_string())
        };
        assert_eq!(target("external", 8443).await, Ok(Target::Name("localhost".into(), 0)));
        assert_eq!(target("cluster", 443).await, Ok(Target::Address([127, 0, 0, 9].into())));
        for (name, port, why) in [
            ("cluster", 80, "no service port 80 found for service \"cluster\""),
            ("headless", 443, "cannot route to service with ClusterIP \"None\""),
            ("none", 443, "service \"none\" not found"),
        ] {
            assert_eq!(target(name, port).await, Err(why.to_owned()));
        }
        assert!(target("bare", 443).await.unwrap_err().contains("has no address"));
    }
}
