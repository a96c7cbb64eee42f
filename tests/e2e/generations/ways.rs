//! Each generation set up, and the table tried through it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value as Json, json};

use super::objects::{Object, SETUP, table};
use super::{Outcomes, managed};
use crate::e2e::support::api::{Answer, Api, Request};
use crate::e2e::support::api_server::POLICY_NAMESPACE;
use crate::e2e::support::assets::Assets;
use crate::e2e::support::embedded::Embedded;
use crate::e2e::support::engine::SERVICE;
use crate::e2e::support::eventually::until;
use crate::e2e::support::http;
use crate::e2e::support::world::{Server, Started, World};

const REGISTRATION: &str = "/apis/admissionregistration.k8s.io";
const INITIALIZER: &str = "placement.example.com";
/// Nothing is placed here.
const EXEMPT: &str = "kube-public";

/// The annotations as they are stored, or the refusal.
pub(super) type Outcome = Result<Json, String>;

/// The embedded API server with an engine and a sidecar.
pub(super) struct Setting {
    api: Api,
    world: World,
    /// The engine is asked over OPA's v0 API, which knows no removals: the sidecar makes them afterwards.
    repairs_removals: bool,
}

/// A configuration, and where it is created.
pub(super) struct Registration {
    collection: String,
    object: Json,
}

/// The two versions of mutating webhooks.
pub(super) fn webhooks() -> Vec<(&'static str, Outcomes)> {
    let setting = Setting::webhooks().unwrap();
    let tried = |name, version| (name, setting.with(&mutating(&setting, version), || setting.tried()));
    vec![tried("webhook v1", "v1"), tried("webhook v1beta1", "v1beta1")]
}

/// The hook of the federation API server.
pub(super) fn scheduling_policy() -> Vec<(&'static str, Outcomes)> {
    let setting = Setting::of(World::start(Server::Embedded, &SETUP).unwrap()).over_v0();
    vec![("SchedulingPolicy", setting.tried())]
}

/// A sidecar that places objects before anybody sees them.
pub(super) fn initializer() -> Vec<(&'static str, Outcomes)> {
    let patient = |assets: &Assets| Embedded::kept_with(assets, &["--initializer-timeout=60s", "--unsafe-no-fsync"]);
    let mut world = World::prepare_on(Server::Embedded, &SETUP, |_| started(patient)).unwrap();
    world.engine.start();
    world.add_initializer(INITIALIZER);
    world.engine.await_ready();
    let setting = Setting::of(world).over_v0();
    let rule = json!({"apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["replicasets"]});
    let initializers = json!([{"name": INITIALIZER, "failurePolicy": "Fail", "rules": [rule]}]);
    let registration = Registration {
        collection: format!("{REGISTRATION}/v1alpha1/initializerconfigurations"),
        object: json!({"metadata": {"name": "plimsoll"}, "initializers": initializers}),
    };
    vec![("initializer", setting.with(&registration, || setting.tried()))]
}

fn started(server: impl FnOnce(&Assets) -> Embedded) -> Option<Started> {
    Assets::find().map(|assets| Started::Embedded(Box::new(server(&assets))))
}

/// Asked in this version, by a configuration of this version.
pub(super) fn mutating(setting: &Setting, version: &str) -> Registration {
    let mut hook = setting.hook();
    hook["clientConfig"]["service"]["path"] = "/mutate".into();
    hook["admissionReviewVersions"] = json!([version]);
    hook["sideEffects"] = "None".into();
    Registration {
        collection: format!("{REGISTRATION}/{version}/mutatingwebhookconfigurations"),
        object: json!({"metadata": {"name": "plimsoll"}, "webhooks": [hook]}),
    }
}

/// Without a path, which it has none for.
pub(super) fn external(setting: &Setting) -> Registration {
    Registration {
        collection: format!("{REGISTRATION}/v1alpha1/externaladmissionhookconfigurations"),
        object: json!({"metadata": {"name": "plimsoll"}, "externalAdmissionHooks": [setting.hook()]}),
    }
}

impl Setting {
    /// With a Service in front of the engine, and no hook yet. `None`: skipped.
    pub(super) fn webhooks() -> Option<Self> {
        let setting = Self::of(World::prepare_on(Server::Embedded, &SETUP, |_| started(Embedded::bare))?.run());
        let port: u16 = setting.world.engine.review_url().rsplit_once(':').unwrap().1.parse().unwrap();
        let spec = json!({"type": "ExternalName", "externalName": "localhost", "ports": [{"port": 443, "targetPort": port}]});
        let path = format!("/api/v1/namespaces/{POLICY_NAMESPACE}/services");
        setting.accepted(Method::POST, &path, &json!({"metadata": {"name": SERVICE}, "spec": spec}));
        Some(setting)
    }

    fn of(world: World) -> Self {
        Self { api: world.api(), world, repairs_removals: false }
    }

    fn over_v0(self) -> Self {
        Self { repairs_removals: true, ..self }
    }

    /// What the hooks of all versions have alike.
    fn hook(&self) -> Json {
        json!({
            "name": "placement.plimsoll.io", "failurePolicy": "Fail",
            "clientConfig": {
                "service": {"namespace": POLICY_NAMESPACE, "name": SERVICE},
                "caBundle": STANDARD.encode(std::fs::read(self.world.ca()).unwrap()),
            },
            "rules": [{"operations": ["CREATE"], "apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["replicasets"]}],
        })
    }

    /// While a configuration is there.
    pub(super) fn with<T>(&self, registration: &Registration, run: impl FnOnce() -> T) -> T {
        self.accepted(Method::POST, &registration.collection, &registration.object);
        let ran = run();
        self.accepted(Method::DELETE, &format!("{}/plimsoll", registration.collection), &Json::Null);
        ran
    }

    /// The whole table.
    pub(super) fn tried(&self) -> Outcomes {
        table().iter().map(|object| (object.name, self.create(object, &object.written(self)))).collect()
    }

    /// Creates an object, waits until it is as wanted if the sidecar is to repair it, and takes it away again.
    pub(super) fn create(&self, object: &Object, written: &Json) -> Outcome {
        let namespace = if object.exempt { EXEMPT } else { &self.world.namespace };
        let collection = format!("/apis/apps/v1/namespaces/{namespace}/replicasets");
        let answer = self.send(Method::POST, &collection, written);
        if !answer.accepted() {
            return Err(answer.message().to_owned());
        }
        let path = format!("{collection}/{}", object.name);
        let annotations = |body: &Json| body["metadata"]["annotations"].clone();
        let mut stored = annotations(&answer.body);
        if let (Some(wanted), true) = (&object.wanted, object.removes && self.repairs_removals) {
            let look = || annotations(&self.accepted(Method::GET, &path, &Json::Null));
            stored = until(&format!("{} is as policy wants it", object.name), look, |found| managed(found) == *wanted);
        }
        self.accepted(Method::DELETE, &path, &Json::Null);
        Ok(stored)
    }

    /// The annotations that the engine decides for an object of the namespace, the record with them.
    pub(super) fn decided(&self, object: &Json) -> Json {
        let mut object = object.clone();
        object["metadata"]["namespace"] = self.world.namespace.as_str().into();
        let url = format!("{}/v0/data/kubernetes/placement", self.world.engine.url());
        http::try_post(&url, &object).unwrap()["annotations"].take()
    }

    #[track_caller]
    fn accepted(&self, method: Method, path: &str, body: &Json) -> Json {
        let answer = self.send(method, path, body);
        assert!(answer.accepted(), "{path}: {answer:?}");
        answer.body
    }

    fn send(&self, method: Method, path: &str, body: &Json) -> Answer {
        self.api.call(&Request { method, path: path.into(), content_type: "application/json", body: body.clone() })
    }
}
