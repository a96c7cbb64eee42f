//! Whether the API server has initializers at all: where it has none, no object ever waits, and nobody would notice.

use kube::Client;
use tokio::time::timeout;

use crate::backoff::Backoff;
use crate::cluster::Fault;
use crate::config::MirrorConfig;
use crate::health::Condition;

/// Where configurations of initializers are.
const API: &str = "admissionregistration.k8s.io/v1alpha1";
const RESOURCE: &str = "initializerconfigurations";

/// Asks the API server until it has initializers.
pub struct Served {
    /// The initializer's name.
    pub name: String,
    /// The API server.
    pub client: Client,
    /// How often it is asked.
    pub pace: MirrorConfig,
    /// Met once it has initializers.
    pub condition: Condition,
}

impl Served {
    /// Runs for ever.
    pub async fn run(self) {
        // One that has none now may be started anew with them.
        let mut backoff = Backoff::new(self.pace.retry * 2, self.pace.rediscover.max(self.pace.retry * 2));
        while let Some(reason) = self.missing().await {
            if self.condition.reason().as_ref() != Some(&reason) {
                tracing::warn!("{reason}");
            }
            self.condition.unmet(reason);
            backoff.wait().await;
        }
        self.condition.met();
        std::future::pending().await
    }

    /// Why no object waits for this initializer; nothing if some may.
    async fn missing(&self) -> Option<String> {
        let name = &self.name;
        match self.is_served().await {
            Ok(true) => None,
            Ok(false) => Some(format!(
                "the API server does not serve {API}/{RESOURCE}: no new object waits for `--initializer {name}`, and none is placed by it; \
                 use the webhooks of `plimsoll manifests`"
            )),
            Err(fault) => Some(format!("it is not known whether new objects wait for `--initializer {name}`: {fault}")),
        }
    }

    async fn is_served(&self) -> Result<bool, Fault> {
        let limit = self.pace.discovery_timeout;
        let asked = timeout(limit, self.client.list_api_group_resources(API)).await.map_err(|_| Fault::TimedOut(limit))?;
        match asked.map_err(Fault::from) {
            Ok(list) => Ok(list.resources.iter().any(|resource| resource.name == RESOURCE)),
            Err(fault) if fault.is_not_found() => Ok(false),
            Err(fault) => Err(fault),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value as Json, json};

    use super::*;
    use crate::health::Health;
    use crate::scripted::{Call, Scripted, call};

    fn answer(status: u16, body: &Json) -> Call {
        call(&["GET /apis/admissionregistration.k8s.io/v1alpha1 "], status, body)
    }

    fn resources(names: &[&str]) -> Call {
        let resource = |name: &&str| json!({ "name": name, "namespaced": false, "kind": "K", "singularName": "", "verbs": ["list", "watch"] });
        let resources: Vec<Json> = names.iter().map(resource).collect();
        answer(200, &json!({ "kind": "APIResourceList", "groupVersion": API, "resources": resources }))
    }

    async fn notes(calls: Vec<Call>) -> Vec<String> {
        let api = Scripted::start(calls).await;
        let health = Health::default();
        let condition = health.note("initializer", "not asked for yet");
        let pace = MirrorConfig { retry: Duration::from_secs(3600), ..MirrorConfig::default() };
        let served = Served { name: "a.b.c".into(), client: api.client(), pace, condition };
        let running = tokio::spawn(served.run());
        api.done().await;
        while health.notes() == ["initializer: not asked for yet"] {
            tokio::task::yield_now().await;
        }
        running.abort();
        health.notes()
    }

    #[tokio::test]
    async fn an_api_server_without_initializers_is_a_note() {
        let gone = json!({ "kind": "Status", "status": "Failure", "message": "not found", "reason": "NotFound", "code": 404 });
        for calls in [vec![answer(404, &gone)], vec![resources(&["mutatingadmissionpolicies"])]] {
            let notes = notes(calls).await;
            assert!(
                notes.len() == 1 && notes[0].contains("serve admissionregistration.k8s.io/v1alpha1/initializer"),
                "{notes:?}"
            );
            assert!(notes[0].contains("`--initializer a.b.c`"), "{notes:?}");
        }
        let refused = json!({ "kind": "Status", "status": "Failure", "message": "no", "reason": "Forbidden", "code": 403 });
        let unknown = notes(vec![answer(403, &refused)]).await;
        assert!(unknown[0].contains("it is not known whether"), "{unknown:?}");
        assert_eq!(notes(vec![resources(&["initializerconfigurations"])]).await, [""; 0]);
    }
}
