//! All cells on one server at once, each with a webhook and an object of its own; those of `v1alpha1`, whose hooks cannot select
//! objects, one after the other.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::StreamExt;
use reqwest::Method;
use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep};

use super::super::e2e::Assets;
use super::authority::Authority;
use super::cells::{Cell, Kind, Version};
use super::engine::{Engine, UID, ok};
use super::faults::Fault;
use super::found::Found;
use super::judge::judge;
use super::world::{Answer, World};

const GROUP: &str = "/apis/admissionregistration.k8s.io";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const NAME: &str = "localhost";
/// Cells at once.
const AT_ONCE: usize = 24;
/// Where the two servers differ, as data.
const DIFFERENCES: &str = include_str!("differences.yaml");

impl Cell {
    pub(super) fn audit_id(&self) -> String {
        format!("chaos-cell-{}", self.number)
    }

    fn collection(&self) -> String {
        let kind = match (self.version, self.kind) {
            (Version::V1Alpha1, _) => "externaladmissionhookconfigurations",
            (_, Kind::Mutating) => "mutatingwebhookconfigurations",
            (_, Kind::Validating) => "validatingwebhookconfigurations",
        };
        format!("{GROUP}/{}/{kind}", self.version.name())
    }

    fn configuration(&self, url: &str, ca: &str) -> Json {
        let rules = json!([{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}]);
        let policy = if self.ignores { "Ignore" } else { "Fail" };
        let mut hook = json!({
            "name": self.webhook(), "failurePolicy": policy, "rules": rules,
            "clientConfig": {"url": url, "caBundle": STANDARD.encode(ca)},
        });
        let members = match self.version {
            Version::V1Alpha1 => {
                let service = json!({"namespace": "default", "name": self.service()});
                json!({"clientConfig": {"service": service, "caBundle": STANDARD.encode(ca)}})
            }
            version => json!({
                "sideEffects": "None", "timeoutSeconds": self.fault.timeout(), "admissionReviewVersions": [version.name()],
                "objectSelector": {"matchLabels": {"cell": self.number.to_string()}},
            }),
        };
        hook.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        let hooks = if self.version == Version::V1Alpha1 { "externalAdmissionHooks" } else { "webhooks" };
        json!({"metadata": {"name": format!("cell-{}", self.number)}, hooks: [hook]})
    }

    fn service(&self) -> String {
        format!("cell-{}", self.number)
    }

    fn map(&self, name: &str) -> Json {
        json!({"metadata": {"name": name, "labels": {"cell": self.number.to_string()}}, "data": {"k": "v"}})
    }
}

/// The webhook of a cell, and its configuration, which is in force when this returns on the embedded server.
async fn register(world: &World, cell: &Cell, authority: &Authority) -> Option<Engine> {
    let name = if cell.version == Version::V1Alpha1 { format!("{}.default.svc", cell.service()) } else { NAME.into() };
    let (hook, url) = cell.hook(authority, &name);
    if cell.version == Version::V1Alpha1 {
        let port: u16 = url.rsplit_once(':').unwrap().1.parse().unwrap();
        let spec = json!({"type": "ExternalName", "externalName": NAME, "ports": [{"port": 443, "targetPort": port}]});
        world.create("/api/v1/namespaces/default/services", &json!({"metadata": {"name": cell.service()}, "spec": spec})).await;
    }
    world.create(&cell.collection(), &cell.configuration(&url, &authority.pem())).await;
    hook
}

/// A webhook registered last that refuses is in force: so are all before it. Only kube-apiserver needs it.
async fn in_force(world: &World, authority: &Authority) {
    for (number, kind) in [(9001, Kind::Mutating), (9002, Kind::Validating)] {
        let marker = Cell { number, fault: Fault::Up, ignores: false, kind, version: Version::V1, dry_run: false };
        let refusal =
            json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "response": {"uid": UID, "allowed": false}});
        let hook = Engine::secured([ok(refusal)], authority.server(NAME, None));
        world.create(&marker.collection(), &marker.configuration(&hook.origin(), &authority.pem())).await;
        let end = Instant::now() + Duration::from_secs(60);
        while ask(world, &marker, "marker", "marker").await.code != 400 {
            assert!(Instant::now() < end, "the marker is never in force");
            let _ = world.ask(Method::DELETE, &format!("{MAPS}/marker"), &Json::Null, "setup").await;
            sleep(Duration::from_millis(50)).await;
        }
    }
}

async fn ask(world: &World, cell: &Cell, name: &str, audit_id: &str) -> Answer {
    let dry_run = if cell.dry_run { "?dryRun=All" } else { "" };
    world.ask(Method::POST, &format!("{MAPS}{dry_run}"), &cell.map(name), audit_id).await
}

/// The request that counts; where the kept connection is to be closed, after one that leaves it behind.
async fn try_cell(world: &World, cell: &Cell) -> Answer {
    if cell.fault == Fault::IdleReset {
        ask(world, cell, &format!("before-{}", cell.number), "before").await;
    }
    ask(world, cell, &format!("cell-{}", cell.number), &cell.audit_id()).await
}

/// What every cell came to.
async fn run(world: &World, cells: &[Cell]) -> Vec<(Cell, Found)> {
    let authority = Authority::new();
    let (alone, together): (Vec<&Cell>, Vec<&Cell>) = cells.iter().partition(|cell| cell.version == Version::V1Alpha1);
    let mut answers: BTreeMap<usize, Answer> = BTreeMap::new();
    let mut hooks = Vec::new();
    for cell in &together {
        hooks.push(register(world, cell, &authority).await);
    }
    if world.is_real() {
        in_force(world, &authority).await;
    }
    let asked = together.iter().map(|cell| async { (cell.number, try_cell(world, cell).await) });
    answers.extend(futures::stream::iter(asked).buffer_unordered(AT_ONCE).collect::<Vec<_>>().await);
    for cell in &alone {
        let _hook = register(world, cell, &authority).await;
        answers.insert(cell.number, try_cell(world, cell).await);
        let path = format!("{}/cell-{}", cell.collection(), cell.number);
        assert_eq!(world.ask(Method::DELETE, &path, &Json::Null, "setup").await.code, 200);
    }
    let (metrics, audited) = (world.metrics().await, world.audited());
    let found = |cell: &Cell| (*cell, Found::of(cell, &answers[&cell.number], &metrics, &audited));
    cells.iter().map(found).collect()
}

#[test]
fn each_fault_ends_as_its_failure_policy_says_in_every_generation() {
    let Some(assets) = Assets::find() else { return };
    let all = Cell::all();
    let (excluded, cells): (Vec<Cell>, Vec<Cell>) = all.iter().copied().partition(|cell| cell.excluded().is_some());
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    excluded.iter().filter_map(Cell::excluded).for_each(|rule| *rules.entry(rule).or_default() += 1);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let ours = runtime.block_on(run(&World::embedded(&assets), &cells));
    let real: Vec<Cell> = cells.iter().copied().filter(Cell::is_real).collect();
    let theirs = runtime.block_on(run(&World::real(&assets), &real));
    say(&format!(
        "chaos: {} cells, {} run, {} excluded by rule {rules:?}; {} run on kube-apiserver too",
        all.len(),
        cells.len(),
        excluded.len(),
        theirs.len()
    ));
    let wrong: Vec<String> = ours.iter().flat_map(|(cell, found)| judge(cell, found)).collect();
    assert!(wrong.is_empty(), "{} of the embedded server's traces are wrong:\n{}", wrong.len(), wrong.join("\n"));
    let known: BTreeMap<String, String> = yaml_serde::from_str(DIFFERENCES).unwrap();
    let ours: BTreeMap<usize, &Found> = ours.iter().map(|(cell, found)| (cell.number, found)).collect();
    let mut differences = BTreeMap::new();
    for (cell, theirs) in &theirs {
        let text = ours[&cell.number].differences(theirs);
        if !text.is_empty() {
            differences.insert(format!("{:?} {:?}", cell.fault, cell.kind), format!("{}\n{text}", cell.about()));
        }
    }
    let unknown: Vec<&String> = differences.iter().filter(|(key, _)| !known.contains_key(*key)).map(|(_, text)| text).collect();
    let gone: Vec<&String> = known.keys().filter(|key| !differences.contains_key(*key)).collect();
    assert!(
        unknown.is_empty() && gone.is_empty(),
        "unlisted differences (ours | theirs): {unknown:#?}\nlisted, and there is none: {gone:?}"
    );
}

fn say(text: &str) {
    writeln!(std::io::stderr(), "{text}").unwrap();
}

#[test]
fn the_matrix_is_whole() {
    let all = Cell::all();
    let run = all.iter().filter(|cell| cell.excluded().is_none()).count();
    assert_eq!((all.len(), run), (480, 348));
}
