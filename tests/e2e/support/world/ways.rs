//! Ways to the API server: a sidecar's through a proxy, or with credentials of the test's own; users' without kubectl.
#![allow(dead_code, reason = "for tests of what is out of sight")]

use std::path::Path;

use reqwest::Method;
use serde_json::Value as Json;

use super::super::api::{Api, Request};
use super::super::api_server::POLICY_NAMESPACE;
use super::super::deployment;
use super::super::eventually::eventually;
use super::super::fixtures::unique;
use super::super::proxy::Proxy;
use super::super::sidecar::Sidecar;
use super::{Server, Started, World};

/// Body of a request that has none.
const NOTHING: Json = Json::Null;

impl World {
    /// What is to stand between sidecars and the API server.
    pub(crate) fn proxy(&self) -> Proxy {
        Proxy::start(self.kubectl.kubeconfig())
    }

    /// One more sidecar of the same engine, whose way leads through `proxy`.
    pub(crate) fn add_sidecar_behind(&mut self, proxy: &Proxy) {
        let token = deployment::sidecar_token(&self.kubectl);
        let to = self.directory().join("proxied.kubeconfig");
        proxy.kubeconfig(&self.server.kubeconfig_as("sidecar", &token), &to);
        self.add_sidecar_with(&to);
    }

    /// One more sidecar of the same engine, with this kubeconfig.
    pub(crate) fn add_sidecar_with(&mut self, kubeconfig: &Path) {
        self.sidecars.push(Sidecar::start(&unique("sidecar"), &self.sync_config, kubeconfig));
    }

    /// One more sidecar of the same engine, which is the initializer of this name, too, and may initialize ReplicaSets.
    pub(crate) fn add_initializer(&mut self, name: &str) {
        let kubectl = &self.kubectl;
        kubectl.run(&["create", "clusterrole", "initialize", "--verb=initialize", "--resource=replicasets.apps"]);
        let account = format!("--serviceaccount={POLICY_NAMESPACE}:plimsoll");
        kubectl.run(&["create", "clusterrolebinding", "initialize", "--clusterrole=initialize", &account]);
        let kubeconfig = self.server.kubeconfig_as("sidecar", &deployment::sidecar_token(kubectl));
        let option = format!("--initializer={name}");
        self.sidecars.push(Sidecar::start_with(&unique("sidecar"), (&self.sync_config, &kubeconfig), &[&option]));
    }

    /// Gives the user `tenant` the usual rights in the test's namespace, where there are rights.
    #[track_caller]
    pub(crate) fn admit_tenant(&self) {
        if self.on == Server::Embedded {
            return;
        }
        let (kubectl, namespace) = (&self.kubectl, self.namespace.as_str());
        let resources = "--resource=replicasets.apps,replicasets.apps/scale,deployments.apps";
        kubectl.run(&["create", "role", "tenant", "-n", namespace, "--verb=get,list,create,update,patch,delete", resources]);
        kubectl.run(&["create", "rolebinding", "tenant", "-n", namespace, "--role=tenant", "--user=tenant"]);
        let question = ["auth", "can-i", "create", "replicasets.apps", "--as=tenant", "-n", namespace];
        eventually("the tenant has its rights", || kubectl.try_run(&question));
    }

    /// The API as administrator, hence as anybody.
    pub(crate) fn api(&self) -> Api {
        self.server.api()
    }

    /// The API of a kube-apiserver for the holder of a bearer token.
    pub(crate) fn api_as(&self, token: &str) -> Api {
        match &self.server {
            Started::Real(server) => server.api_as(token),
            Started::Own(server) => server.api_as(token),
            Started::Embedded(_) => panic!("the embedded API server knows one user"),
        }
    }

    /// A request for a ReplicaSet of the test's namespace; `name` with its query, empty for all.
    pub(crate) fn request(&self, method: Method, name: &str, content_type: &'static str, body: &Json) -> Request {
        let below = if name.is_empty() || name.starts_with('?') { name.to_owned() } else { format!("/{name}") };
        let path = format!("/apis/apps/v1/namespaces/{}/replicasets{below}", self.namespace);
        Request { method, path, content_type, body: body.clone() }
    }

    /// Asks for it to be created.
    pub(crate) fn creation(&self, object: &Json) -> Request {
        self.request(Method::POST, "", "application/json", object)
    }

    /// Asks for a merge patch.
    pub(crate) fn change(&self, name: &str, patch: &Json) -> Request {
        self.request(Method::PATCH, name, "application/merge-patch+json", patch)
    }

    /// Asks for one, or with an empty name for all.
    pub(crate) fn reading(&self, name: &str) -> Request {
        self.request(Method::GET, name, "application/json", &NOTHING)
    }

    /// Asks for its deletion.
    pub(crate) fn deletion(&self, name: &str) -> Request {
        self.request(Method::DELETE, name, "application/json", &NOTHING)
    }
}
