//! What a scenario file says.

use std::collections::BTreeMap;

use plimsoll::decision::{Config, Decision};
use plimsoll_contract::kind::{Kind, OnNoOpinion, Target};
use serde::Deserialize;
use serde_json::Value as Json;

use super::world::World;

/// An object's life under changing policies and clusters.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    /// Merged into a ReplicaSet `shop/web`.
    #[serde(default)]
    pub(crate) object: serde_json::Map<String, Json>,
    #[serde(default)]
    pub(crate) kind: KindOptions,
    #[serde(default)]
    pub(crate) config: ConfigOptions,
    steps: Vec<Step>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct KindOptions {
    /// No source declares anything.
    #[serde(default)]
    pub(crate) undeclared: bool,
    pub(crate) target: Option<String>,
    #[serde(default)]
    pub(crate) on_no_opinion: OnNoOpinion,
    #[serde(default)]
    pub(crate) keep_status: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ConfigOptions {
    placement_path: Option<String>,
    #[serde(default)]
    annotation_keys: Vec<String>,
    #[serde(default)]
    release_when_disarmed: bool,
    /// A source that never comes.
    #[serde(default)]
    pub(crate) require_source: Option<String>,
}

/// A change, and what is then decided.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Step {
    /// The developer's change of annotations; `null` removes.
    #[serde(default)]
    annotate: BTreeMap<String, Option<String>>,
    /// Module key to text; the whole set from here on.
    policies: Option<BTreeMap<String, String>>,
    /// Name to annotations; the whole fleet from here on.
    clusters: Option<BTreeMap<String, BTreeMap<String, String>>>,
    /// The engine forgets what it decided before.
    #[serde(default)]
    restart: bool,
    /// The patch is not written, as with `mode: suggest`.
    #[serde(default)]
    unwritten: bool,
    expect: Expect,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Expect {
    outcome: String,
    /// All annotations of the object, `plimsoll.io/applied` left out, once the patch is written.
    annotations: Option<BTreeMap<String, String>>,
    /// Whether the patch says anything.
    writes: Option<bool>,
    #[serde(default)]
    kept: bool,
    clusters: Option<Vec<String>>,
    /// Parts of the outcome's message.
    #[serde(default)]
    message: Vec<String>,
    /// Parts of warnings, one each.
    #[serde(default)]
    warnings: Vec<String>,
    rejected: Option<BTreeMap<String, String>>,
    /// The data API's document, `DIGEST` for that of the policy set; `null` for none.
    #[serde(default, deserialize_with = "present")]
    document: Option<Json>,
}

/// A `null` that is written is not one that is left out.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

impl Scenario {
    pub(crate) fn run(self, file: &str) {
        let mut world = World::new(&self);
        for (index, step) in self.steps.iter().enumerate() {
            let place = format!("{file}: {}, step {}", self.name, index + 1);
            step.change(&mut world);
            let decision = world.decide();
            step.expect.check(&decision, &place);
            if step.unwritten {
                continue;
            }
            world.write(&decision);
            if let Some(expected) = &step.expect.annotations {
                assert_eq!(&world.annotations(), expected, "{place}: annotations");
            }
            let again = world.decide();
            assert!(again.patch.is_empty(), "{place}: t04, the second decision writes {:?}", again.patch);
            assert_eq!(again.outcome, decision.outcome, "{place}: the second outcome");
            world.check_create(&decision, &place);
        }
    }

    pub(crate) fn config(&self) -> Config {
        let mut config = Config::default();
        if let Some(path) = &self.config.placement_path {
            config.placement_path = path.split('/').map(Into::into).collect();
        }
        config.annotation_keys = self.config.annotation_keys.iter().cloned().collect();
        config.release_when_disarmed = self.config.release_when_disarmed;
        config
    }

    pub(crate) fn configure(&self, kind: Kind) -> Kind {
        Kind {
            place: true,
            target: self.kind.target.clone().map(Target::from),
            on_no_opinion: self.kind.on_no_opinion,
            keep_status: self.kind.keep_status,
            ..kind
        }
    }
}

impl Step {
    fn change(&self, world: &mut World) {
        if let Some(policies) = &self.policies {
            world.policies(policies);
        }
        if let Some(clusters) = &self.clusters {
            world.clusters(clusters);
        }
        if self.restart {
            world.forget();
        }
        world.annotate(&self.annotate);
    }
}

impl Expect {
    fn check(&self, decision: &Decision, place: &str) {
        let message = decision.outcome.to_string();
        assert_eq!(decision.outcome.name(), self.outcome, "{place}: {message}");
        assert_eq!(decision.kept, self.kept, "{place}: kept");
        for part in &self.message {
            assert!(message.contains(part), "{place}: `{part}` is not in: {message}");
        }
        for part in &self.warnings {
            assert!(decision.warnings.iter().any(|warning| warning.contains(part)), "{place}: {:?}", decision.warnings);
        }
        if let Some(writes) = self.writes {
            assert_eq!(!decision.patch.is_empty(), writes, "{place}: writes {:?}", decision.patch);
        }
        if let Some(clusters) = &self.clusters {
            assert_eq!(*decision.clusters(), *clusters, "{place}: clusters");
        }
        if let Some(rejected) = &self.rejected {
            assert_eq!(&*decision.rejected(), rejected, "{place}: rejected");
        }
        if let Some(document) = &self.document {
            let policy = Some(&decision.last.policy).filter(|policy| !policy.is_empty());
            let text = serde_json::to_string(&decision.document()).unwrap();
            let text = policy.map_or(text.clone(), |policy| text.replace(&**policy, "DIGEST"));
            assert_eq!(&serde_json::from_str::<Json>(&text).unwrap(), document, "{place}: document");
        }
    }
}
