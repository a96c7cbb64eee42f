//! Options that name the API server, and the credentials for it.

use std::path::PathBuf;

use kube::Client;
use plimsoll_sidecar::cluster::{Access, AccessError, connect};

/// The API server.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Kubeconfig {
    /// Credentials for the federation's API server; by default $KUBECONFIG, the Pod's ServiceAccount or ~/.kube/config.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_KUBECONFIG")]
    pub kubeconfig: Option<PathBuf>,
    /// A context of the kubeconfig, instead of its current one.
    #[arg(long, value_name = "NAME", env = "PLIMSOLL_CONTEXT")]
    pub context: Option<String>,
}

impl Kubeconfig {
    /// Returns a client, which has not sent anything yet. Fails when the kubeconfig cannot be used, or none is found.
    pub async fn client(&self) -> Result<Client, AccessError> {
        connect(&Access { kubeconfig: self.kubeconfig.clone(), context: self.context.clone() }).await
    }
}
