//! A real kube-apiserver on a real etcd, on loopback.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use super::api::Api;
use super::assets::Assets;
use super::certificates::{Authority, CertificateFiles, signing_key};
use super::eventually::eventually;
use super::kubectl::{Failure, Kubectl};
use super::ports;
use super::process::Process;

/// Where Plimsoll and its policies live; what `deploy/` uses.
pub(crate) const POLICY_NAMESPACE: &str = "kube-federation-scheduling-policy";

const ADMIN_TOKEN: &str = "e2e-admin";

/// What stands between a request and the store, of one test's making.
const HOOKS: &str = "mutatingwebhookconfigurations,validatingwebhookconfigurations,validatingadmissionpolicies,\
                     validatingadmissionpolicybindings";

/// The running pair. Fields drop in this order: the API server before its etcd, both before their directory.
#[derive(Debug)]
pub(crate) struct ApiServer {
    process: Process,
    #[allow(dead_code, reason = "its end is what ends it; a benchmark asks for its size")]
    etcd: Process,
    authority: Authority,
    url: String,
    assets: Assets,
    directory: TempDir,
}

impl ApiServer {
    /// Starts both and returns when `/readyz` says ok, after about four seconds on an idle machine.
    pub(crate) fn start(assets: &Assets) -> Self {
        Self::start_durable(assets, false)
    }

    /// Says whether a write waits for the disk; tests have nothing to lose.
    pub(crate) fn start_durable(assets: &Assets, fsync: bool) -> Self {
        Self::launch(assets, fsync, &[])
    }

    /// With more arguments of kube-apiserver.
    #[allow(dead_code, reason = "benchmarks need none")]
    pub(crate) fn start_with(assets: &Assets, arguments: &[String]) -> Self {
        Self::launch(assets, false, arguments)
    }

    fn launch(assets: &Assets, fsync: bool, arguments: &[String]) -> Self {
        let directory = tempfile::Builder::new().prefix("plimsoll-e2e-").tempdir().unwrap();
        let authority = Authority::new("e2e-api-server");
        let serving = authority.serving(&directory.path().join("serving"));
        let etcd_url = format!("http://127.0.0.1:{}", ports::free());
        let port = ports::free();
        let etcd = start_etcd(assets, &etcd_url, directory.path(), fsync);
        let mut command = api_server(assets, &etcd_url, port, &serving, directory.path());
        let log = directory.path().join("kube-apiserver.log");
        let process = Process::start_tied("kube-apiserver", command.args(arguments), &log);
        let mut server =
            Self { process, etcd, authority, url: format!("https://127.0.0.1:{port}"), assets: assets.clone(), directory };
        let kubectl = server.admin();
        eventually("the API server is ready", || {
            assert!(server.process.alive(), "kube-apiserver ended:\n{}", server.process.log_tail(30));
            kubectl.try_run(&["get", "--raw=/readyz"])
        });
        server
    }

    /// Where it listens.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Resident bytes of both processes.
    #[allow(dead_code, reason = "for the benchmark")]
    pub(crate) fn resident(&self) -> u64 {
        self.process.resident() + self.etcd.resident()
    }

    /// Time on the processor of both processes.
    #[allow(dead_code, reason = "for the benchmark")]
    pub(crate) fn processor(&self) -> Duration {
        self.process.processor() + self.etcd.processor()
    }

    /// kubectl as cluster administrator.
    pub(crate) fn admin(&self) -> Kubectl {
        self.kubectl_as("admin", ADMIN_TOKEN)
    }

    /// Removes what scenarios leave behind: hooks first, so that nothing stands in the way. Namespaces stay, because no
    /// controller manager runs that could finish them.
    pub(super) fn clean(&self) -> Result<(), Failure> {
        let kubectl = self.admin();
        kubectl.try_run(&["delete", HOOKS, "--all"])?;
        let crds = kubectl.try_run(&["get", "crd", "-o", "name"])?;
        let custom = crds.lines().filter_map(|line| line.split_once('/')).map(|(_, name)| name);
        let kinds: Vec<&str> = ["replicasets.apps", "deployments.apps"].into_iter().chain(custom).collect();
        // What a finalizer holds keeps the server from being used again, not the test from ending.
        kubectl.try_run(&["delete", &kinds.join(","), "--all", "--all-namespaces", "--timeout=30s"])?;
        kubectl.try_run(&["delete", "configmaps,leases", "--all", "-n", POLICY_NAMESPACE])?;
        Ok(())
    }

    /// The API without kubectl, as cluster administrator, hence as anybody.
    #[allow(dead_code, reason = "benchmarks use kubectl")]
    pub(crate) fn api(&self) -> Api {
        self.api_as(ADMIN_TOKEN)
    }

    /// The API for the holder of a bearer token.
    #[allow(dead_code, reason = "benchmarks use kubectl")]
    pub(crate) fn api_as(&self, token: &str) -> Api {
        Api::new(&self.url, &self.authority.pem(), token)
    }

    /// kubectl, and a kubeconfig file, for the holder of a bearer token.
    pub(crate) fn kubectl_as(&self, name: &str, token: &str) -> Kubectl {
        let path = self.directory.path().join(format!("{name}.kubeconfig"));
        let ca = self.directory.path().join("ca.crt");
        std::fs::write(&ca, self.authority.pem()).unwrap();
        // JSON is YAML.
        let config = serde_json::json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "e2e",
            "clusters": [{"name": "e2e", "cluster": {"server": self.url, "certificate-authority": ca}}],
            "users": [{"name": name, "user": {"token": token}}],
            "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": name}}],
        });
        std::fs::write(&path, config.to_string()).unwrap();
        Kubectl::new(self.assets.binary("kubectl"), path)
    }
}

fn start_etcd(assets: &Assets, url: &str, directory: &Path, fsync: bool) -> Process {
    let peers = format!("http://127.0.0.1:{}", ports::free());
    let mut command = Command::new(assets.binary("etcd"));
    command
        .arg("--data-dir")
        .arg(directory.join("etcd"))
        .arg(format!("--listen-client-urls={url}"))
        .arg(format!("--advertise-client-urls={url}"))
        .arg(format!("--listen-peer-urls={peers}"))
        .args(["--log-level=warn"])
        .args((!fsync).then_some("--unsafe-no-fsync"));
    Process::start_tied("etcd", &command, &directory.join("etcd.log"))
}

fn api_server(assets: &Assets, etcd: &str, port: u16, serving: &CertificateFiles, directory: &Path) -> Command {
    let signing = signing_key(directory);
    let tokens = directory.join("tokens.csv");
    std::fs::write(&tokens, format!("{ADMIN_TOKEN},admin,1,\"system:masters\"\n")).unwrap();
    let file = |flag: &str, path: &Path| format!("{flag}={}", path.display());
    let mut command = Command::new(assets.binary("kube-apiserver"));
    command
        .args(["--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none"])
        .arg(format!("--etcd-servers={etcd}"))
        .arg(format!("--secure-port={port}"))
        .arg(file("--cert-dir", &directory.join("api-server")))
        .arg(file("--tls-cert-file", &serving.certificate))
        .arg(file("--tls-private-key-file", &serving.key))
        .arg(file("--service-account-key-file", &signing.certificate))
        .arg(file("--service-account-signing-key-file", &signing.key))
        .arg(file("--token-auth-file", &tokens))
        .args(["--service-account-issuer=https://kubernetes.default.svc", "--authorization-mode=RBAC"])
        .args(["--disable-admission-plugins=ServiceAccount", "--allow-privileged=true"]);
    command
}
