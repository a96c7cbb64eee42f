//! `audit.k8s.io/v1` `Policy`: at which level a request is written; the first rule that fits counts. Source: `apiserver`
//! `pkg/audit/policy/{reader,checker}.go`.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value as Json;

use super::event::Stage;
use super::trail::{ObjectRef, Subject};

/// How much is written of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Level {
    /// Nothing.
    None,
    /// Who asked for what, and what was answered.
    Metadata,
}

/// A level that is not written.
#[derive(Debug, thiserror::Error)]
#[error("level `{0}` is neither None nor Metadata: bodies hold secrets and are never written")]
pub struct LevelError(String);

impl TryFrom<String> for Level {
    type Error = LevelError;

    fn try_from(level: String) -> Result<Self, LevelError> {
        match level.as_str() {
            "None" => Ok(Self::None),
            "Metadata" => Ok(Self::Metadata),
            _ => Err(LevelError(level)),
        }
    }
}

/// The rules.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    api_version: String,
    kind: String,
    #[serde(default, rename = "metadata")]
    _metadata: Json,
    rules: Vec<Rule>,
    #[serde(default)]
    omit_stages: Vec<String>,
    /// Concerns bodies, which are never written.
    #[serde(default, rename = "omitManagedFields")]
    _omit_managed_fields: bool,
}

/// An empty list fits everything.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Rule {
    level: Level,
    #[serde(default)]
    users: Vec<String>,
    #[serde(default)]
    user_groups: Vec<String>,
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    resources: Vec<GroupResources>,
    #[serde(default)]
    namespaces: Vec<String>,
    #[serde(default, rename = "nonResourceURLs")]
    non_resource_urls: Vec<String>,
    #[serde(default)]
    omit_stages: Vec<String>,
    #[serde(default, rename = "omitManagedFields")]
    _omit_managed_fields: Option<bool>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GroupResources {
    #[serde(default)]
    group: String,
    #[serde(default)]
    resources: Vec<String>,
    #[serde(default)]
    resource_names: Vec<String>,
}

/// A policy that is refused.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The file.
    #[error("cannot read the audit policy `{file}`")]
    Read {
        /// Which.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Its content.
    #[error("the audit policy `{file}` is not valid")]
    Parse {
        /// Which.
        file: PathBuf,
        /// Why.
        source: yaml_serde::Error,
    },
    /// Another kind of file, or no rule.
    #[error("the audit policy `{file}` is not a Policy of audit.k8s.io/v1 with at least one rule")]
    Kind {
        /// Which.
        file: PathBuf,
    },
}

impl Policy {
    /// Returns the policy in a file. Fails when it cannot be read, is none, or wants levels that are not written.
    pub fn read(file: &Path) -> Result<Self, PolicyError> {
        let text = std::fs::read_to_string(file).map_err(|source| PolicyError::Read { file: file.into(), source })?;
        let policy: Self = yaml_serde::from_str(&text).map_err(|source| PolicyError::Parse { file: file.into(), source })?;
        let is_one = policy.kind == "Policy" && policy.api_version == "audit.k8s.io/v1" && !policy.rules.is_empty();
        if is_one { Ok(policy) } else { Err(PolicyError::Kind { file: file.into() }) }
    }

    /// Returns how much is written of a request at a stage.
    pub fn level(&self, subject: &Subject, stage: Stage) -> Level {
        let Some(rule) = self.rules.iter().find(|rule| rule.fits(subject)) else { return Level::None };
        let stage = format!("{stage:?}");
        let is_omitted = self.omit_stages.iter().chain(&rule.omit_stages).any(|omitted| *omitted == stage);
        if is_omitted { Level::None } else { rule.level }
    }
}

impl Rule {
    fn fits(&self, subject: &Subject) -> bool {
        let user = subject.user.as_ref();
        let any = |wanted: &[String], fits: &dyn Fn(&String) -> bool| wanted.is_empty() || wanted.iter().any(fits);
        any(&self.users, &|name| user.is_some_and(|user| user.name == *name))
            && any(&self.user_groups, &|group| user.is_some_and(|user| user.in_group(group)))
            && any(&self.verbs, &|verb| *verb == subject.verb)
            && self.is_about(subject)
    }

    /// Whether the rule is about what the request is about: a rule of paths fits no resource, and one of resources no path.
    fn is_about(&self, subject: &Subject) -> bool {
        let (paths, resources) = (&self.non_resource_urls, &self.resources);
        match (&subject.object, &subject.path) {
            (Some(object), _) if !resources.is_empty() || !self.namespaces.is_empty() => self.is_about_object(object),
            (_, Some(path)) if !paths.is_empty() => paths.iter().any(|wanted| fits_path(wanted, path)),
            _ => paths.is_empty() && resources.is_empty() && self.namespaces.is_empty(),
        }
    }

    fn is_about_object(&self, object: &ObjectRef) -> bool {
        let is_there = self.namespaces.is_empty() || self.namespaces.contains(&object.namespace);
        is_there && (self.resources.is_empty() || self.resources.iter().any(|wanted| wanted.fits(object)))
    }
}

impl GroupResources {
    fn fits(&self, object: &ObjectRef) -> bool {
        let full = match object.subresource.as_str() {
            "" => object.resource.clone(),
            subresource => format!("{}/{subresource}", object.resource),
        };
        let fits = |wanted: &String| {
            let of_all = wanted.strip_prefix("*/").is_some_and(|subresource| subresource == object.subresource);
            let all_of = wanted.strip_suffix("/*").is_some_and(|resource| resource == object.resource);
            *wanted == full || of_all || all_of || wanted == "*"
        };
        let is_named = self.resource_names.is_empty() || self.resource_names.contains(&object.name);
        self.group == object.api_group && is_named && (self.resources.is_empty() || self.resources.iter().any(fits))
    }
}

fn fits_path(wanted: &str, path: &str) -> bool {
    wanted == "*" || wanted == path || wanted.strip_suffix('*').is_some_and(|start| path.starts_with(start))
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;
    use crate::authn::User;

    const HEAD: &str = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

    fn policy(rules: &str) -> Result<Policy, PolicyError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("{HEAD}{rules}")).unwrap();
        Policy::read(file.path())
    }

    fn of_object(user: &str, verb: &str, resource: &str, subresource: &str) -> Subject {
        let [resource, namespace, name, subresource] = [resource, "shop", "web", subresource].map(str::to_owned);
        let object = ObjectRef { resource, namespace, name, subresource, ..ObjectRef::default() };
        let user = Some(User::authenticated(user, "", vec!["team".into()]));
        Subject { user, verb: verb.into(), object: Some(object), ..Subject::default() }
    }

    #[test]
    fn the_first_rule_that_fits_counts() {
        let pod = of_object("ann", "create", "pods", "");
        let log = of_object("ann", "get", "pods", "log");
        let path = Subject { verb: "get".into(), path: Some("/healthz/etcd".into()), ..Subject::default() };
        let table = [
            ("{level: Metadata}", [true, true, true]),
            ("{level: None, verbs: [get]}, {level: Metadata}", [true, false, false]),
            ("{level: Metadata, users: [ann]}", [true, true, false]),
            ("{level: Metadata, userGroups: [others]}", [false, false, false]),
            ("{level: Metadata, userGroups: [team]}", [true, true, false]),
            ("{level: Metadata, resources: [{resources: [pods]}]}", [true, false, false]),
            ("{level: Metadata, resources: [{resources: ['pods/*']}]}", [true, true, false]),
            ("{level: Metadata, resources: [{resources: ['*/log']}]}", [false, true, false]),
            ("{level: Metadata, resources: [{group: apps}]}", [false, false, false]),
            ("{level: Metadata, resources: [{resourceNames: [api]}]}", [false, false, false]),
            ("{level: Metadata, namespaces: [shop]}", [true, true, false]),
            ("{level: Metadata, nonResourceURLs: ['/healthz*']}", [false, false, true]),
            ("{level: Metadata, omitStages: [ResponseComplete]}", [false, false, false]),
        ];
        for (rules, expected) in table {
            let policy = policy(&format!("rules: [{rules}]\n")).unwrap();
            let written = [&pod, &log, &path].map(|subject| policy.level(subject, Stage::ResponseComplete) == Level::Metadata);
            assert_eq!(written, expected, "{rules}");
        }
    }

    #[test]
    fn t20_what_is_not_written_is_refused() {
        let table = [
            ("rules: [{level: RequestResponse}]\n", "RequestResponse"),
            ("rules: [{level: Metadata, user: ann}]\n", "`user`"),
            ("rules: []\n", "at least one rule"),
            ("", "rules"),
        ];
        for (rules, part) in table {
            let error = policy(rules).unwrap_err();
            let said = format!("{error}: {}", error.source().map(ToString::to_string).unwrap_or_default());
            assert!(said.contains(part), "{rules}: {said}");
        }
        assert!(Policy::read(Path::new("/none")).unwrap_err().to_string().contains("/none"));
    }
}
