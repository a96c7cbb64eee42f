//! The API servers that a scenario can run on.

use std::path::Path;

use super::api::Api;
use super::api_server::ApiServer;
use super::assets::Assets;
use super::embedded::Embedded;
use super::kubectl::Kubectl;
use super::pool::{self, Lent};

/// Which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    /// kube-apiserver and etcd; the engine is asked through webhooks.
    Real,
    /// `plimsoll dev`'s; the engine is asked by SchedulingPolicy.
    Embedded,
}

/// A running one.
#[derive(Debug)]
pub(crate) enum Started {
    Real(Box<Lent>),
    /// A real one that a test started for itself.
    #[allow(dead_code, reason = "benchmarks start theirs otherwise")]
    Own(Box<ApiServer>),
    Embedded(Box<Embedded>),
}

impl Started {
    /// `None` when the test is to be skipped. The embedded one will ask the engine at `engine`.
    pub(crate) fn start(on: Server, engine: &str) -> Option<Self> {
        match on {
            Server::Real => pool::api_server().map(|lent| Self::Real(Box::new(lent))),
            Server::Embedded => Assets::find().map(|assets| Self::Embedded(Box::new(Embedded::hooked(&assets, engine)))),
        }
    }

    /// kubectl as cluster administrator.
    pub(crate) fn admin(&self) -> Kubectl {
        match self {
            Self::Real(server) => server.admin(),
            Self::Own(server) => server.admin(),
            Self::Embedded(server) => server.admin(),
        }
    }

    /// The API without kubectl, as cluster administrator, hence as anybody.
    #[allow(dead_code, reason = "benchmarks use kubectl")]
    pub(crate) fn api(&self) -> Api {
        match self {
            Self::Real(server) => server.api(),
            Self::Own(server) => server.api(),
            Self::Embedded(server) => server.api(),
        }
    }

    /// The kubeconfig of the holder of a bearer token.
    pub(crate) fn kubeconfig_as(&self, name: &str, token: &str) -> Box<Path> {
        let kubectl = match self {
            Self::Real(server) => server.kubectl_as(name, token),
            Self::Own(server) => server.kubectl_as(name, token),
            Self::Embedded(server) => server.kubectl_as(name, token),
        };
        kubectl.kubeconfig().into()
    }
}
