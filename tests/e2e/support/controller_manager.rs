//! A real kube-controller-manager: the deployment controller, each controller with an account of its own.

use std::path::Path;
use std::process::Command;

use super::assets::Assets;
use super::certificates::Authority;
use super::kubectl::Kubectl;
use super::ports;
use super::process::Process;

/// The running process.
#[derive(Debug)]
pub(crate) struct ControllerManager {
    _process: Process,
}

impl ControllerManager {
    /// Starts it on the API server that `kubectl` speaks to. `directory` is for its files.
    pub(crate) fn start(kubectl: &Kubectl, directory: &Path) -> Option<Self> {
        let assets = Assets::find()?;
        let serving = Authority::new("e2e-controllers").serving(&directory.join("controllers"));
        let file = |flag: &str, path: &Path| format!("{flag}={}", path.display());
        let mut command = Command::new(assets.binary("kube-controller-manager"));
        command
            .arg(file("--kubeconfig", kubectl.kubeconfig()))
            .arg(format!("--secure-port={}", ports::free()))
            .arg(file("--tls-cert-file", &serving.certificate))
            .arg(file("--tls-private-key-file", &serving.key))
            .args(["--bind-address=127.0.0.1", "--leader-elect=false", "--use-service-account-credentials=true"])
            .arg("--controllers=deployment-controller,replicaset-controller");
        Some(Self { _process: Process::start("kube-controller-manager", &mut command, &directory.join("controllers.log")) })
    }
}
