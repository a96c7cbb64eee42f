//! Which of the built-in versions and resources are served: kube-apiserver's `--runtime-config`. Source: `apiserver`
//! `pkg/server/resourceconfig/helpers.go` and `pkg/server/options/api_enablement.go`, `component-base`
//! `cli/flag/configuration_map.go`, 1.36.3.
//!
//! Here everything is on unless it is switched off. A resource that does not exist is refused, which upstream takes without a word.

use std::collections::{BTreeMap, BTreeSet};

use super::registry::Registry;
use super::resource::Resource;

/// Every version.
const ALL: &str = "api/all";
/// Versions by their maturity; what comes later counts.
const WIDE: [(&str, &str); 3] = [("api/ga", ""), ("api/beta", "beta"), ("api/alpha", "alpha")];

/// What is said of `api/all`, `api/ga`, `api/beta`, `api/alpha`, `group/version` and `group/version/resource`; of the core group `v1`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimeConfig(BTreeMap<String, String>);

/// Something that cannot be switched so, in upstream's words.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each says itself")]
pub enum RuntimeConfigError {
    #[error("invalid runtime-config with only {ALL}=false: say which versions are to be served, such as apps/v1=true")]
    Nothing,
    #[error("runtime-config invalid key {0}: give api/all, api/ga, api/beta, api/alpha, group/version or group/version/resource")]
    Key(String),
    #[error("unknown api groups {}: known are {}", unknown.join(","), known.join(", "))]
    Groups { unknown: Vec<String>, known: Vec<String> },
    #[error("group version {version} that has not been registered: known are {}", known.join(", "))]
    Version { version: String, known: Vec<String> },
    #[error("invalid key {key}: group/version/resource and resource is always lowercase plural, not {resource:?}")]
    Plural { key: String, resource: String },
    #[error("invalid key {key}: there is no such resource in that version")]
    Resource { key: String },
    #[error("invalid value {key}={value}: it is true or false")]
    Wide { key: String, value: String },
    #[error("invalid value of {key}: {value}, err: strconv.ParseBool: parsing {value:?}: invalid syntax")]
    Value { key: String, value: String },
}

impl RuntimeConfig {
    /// Reads `key=value`, several with commas between them; without a value it is `true`. Of one key the last value counts.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let pairs = texts.into_iter().flat_map(|text| text.split(',')).filter(|pair| !pair.is_empty());
        Self(
            pairs
                .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
                .map(|(key, value)| (of_core(key.trim()), value.trim().to_owned()))
                .collect(),
        )
    }

    /// Returns the rows of `registry`, of which only those that are left switched on are served. Fails when something is said that means
    /// nothing.
    pub fn apply(&self, registry: &Registry) -> Result<Registry, RuntimeConfigError> {
        self.check(registry)?;
        Ok(registry.serving(|row| self.serves(row)))
    }

    /// The narrower word counts: all, then by maturity, then the version, then the resource.
    fn serves(&self, row: &Resource) -> bool {
        let version = format!("{}/{}", row.group, row.version);
        let of_maturity = WIDE.iter().filter(|(_, stage)| is_of(&row.version, stage)).map(|(key, _)| (*key).to_owned());
        let resource = format!("{version}/{}", row.plural);
        let keys = [ALL.to_owned()].into_iter().chain(of_maturity).chain([version, resource]);
        keys.filter_map(|key| self.0.get(&key)).next_back().is_none_or(|value| boolean(value) == Some(true))
    }

    fn check(&self, registry: &Registry) -> Result<(), RuntimeConfigError> {
        if self.0.len() == 1 && self.0.get(ALL).is_some_and(|value| value == "false") {
            return Err(RuntimeConfigError::Nothing);
        }
        let is_wide = |key: &str| key == ALL || WIDE.iter().any(|(known, _)| *known == key);
        let (wide, narrow): (Vec<_>, Vec<_>) = self.0.iter().partition(|(key, _)| is_wide(key));
        self.check_groups(registry)?;
        let is_wrong = |(_, value): &(&String, &String)| !["true", "false"].contains(&value.as_str());
        if let Some((key, value)) = wide.into_iter().find(is_wrong) {
            return Err(RuntimeConfigError::Wide { key: key.clone(), value: value.clone() });
        }
        narrow.into_iter().try_for_each(|(key, value)| check_one(registry, key, value))
    }

    fn check_groups(&self, registry: &Registry) -> Result<(), RuntimeConfigError> {
        let known: BTreeSet<&str> = registry.served_or_not().map(|row| row.group.as_str()).collect();
        let mut unknown = Vec::new();
        for key in self.0.keys().filter(|key| *key != ALL && WIDE.iter().all(|(wide, _)| wide != key)) {
            let parts: Vec<&str> = key.split('/').collect();
            let [group, version, ..] = parts.as_slice() else { return Err(RuntimeConfigError::Key(key.clone())) };
            if parts.len() > 3 {
                return Err(RuntimeConfigError::Key(key.clone()));
            }
            if !known.contains(group) {
                unknown.push(format!("{group}/{version}"));
            }
        }
        let known = known.into_iter().filter(|group| !group.is_empty()).map(str::to_owned).collect();
        if unknown.is_empty() { Ok(()) } else { Err(RuntimeConfigError::Groups { unknown, known }) }
    }
}

/// The core group has no name; `v1` and `api/v1` are what people write for `/v1`. Source: `kubernetes`
/// `pkg/controlplane/apiserver/options/options.go`, which takes a resource behind it for the whole version.
fn of_core(key: &str) -> String {
    let plain = key.strip_prefix("api/").unwrap_or(key);
    if plain == "v1" || plain.starts_with("v1/") { format!("/{plain}") } else { key.to_owned() }
}

/// A version, or a resource, of a group that is known.
fn check_one(registry: &Registry, key: &str, value: &str) -> Result<(), RuntimeConfigError> {
    let mut parts = key.split('/');
    let (group, version) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let of_group = || registry.served_or_not().filter(|row| row.group == group);
    if !of_group().any(|row| row.version == version) {
        let known: BTreeSet<String> = of_group().map(|row| row.api_version()).collect();
        return Err(RuntimeConfigError::Version { version: format!("{group}/{version}"), known: known.into_iter().collect() });
    }
    if boolean(value).is_none() {
        return Err(RuntimeConfigError::Value { key: key.to_owned(), value: value.to_owned() });
    }
    match parts.next() {
        Some(resource) if resource.to_lowercase() != resource => {
            Err(RuntimeConfigError::Plural { key: key.to_owned(), resource: resource.to_owned() })
        }
        Some(resource) if !of_group().any(|row| row.version == version && row.plural == resource) => {
            Err(RuntimeConfigError::Resource { key: key.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Whether a version is of the form `v1`, or `v1` and then this word and a number.
fn is_of(version: &str, stage: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some(rest) = version.strip_prefix('v') else { return false };
    match stage {
        "" => is_number(rest),
        stage => rest.split_once(stage).is_some_and(|(major, minor)| is_number(major) && is_number(minor)),
    }
}

/// As Go's `strconv.ParseBool`; nothing is true.
fn boolean(value: &str) -> Option<bool> {
    match value {
        "" | "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGISTRATION: &str = "admissionregistration.k8s.io";

    #[test]
    fn the_narrower_word_counts_whatever_the_order() {
        let built_in = Registry::built_in().unwrap();
        // What is said, and which of v1, v1beta1 and v1alpha1 of admissionregistration.k8s.io are served then.
        let table = [
            ("", "v1 v1beta1 v1alpha1"),
            ("admissionregistration.k8s.io/v1alpha1=false", "v1 v1beta1"),
            ("admissionregistration.k8s.io/v1beta1=0, admissionregistration.k8s.io/v1alpha1=F", "v1"),
            ("api/alpha=false,api/beta=false", "v1"),
            ("api/ga=false", "v1beta1 v1alpha1"),
            ("admissionregistration.k8s.io/v1alpha1=true,api/all=false", "v1alpha1"),
            ("admissionregistration.k8s.io/v1alpha1,api/alpha=false", "v1 v1beta1 v1alpha1"),
            ("api/all=false,api/beta=true", "v1beta1"),
            ("api/all=true,api/beta=false,admissionregistration.k8s.io/v1beta1=true", "v1 v1beta1 v1alpha1"),
        ];
        for (said, expected) in table {
            let registry = RuntimeConfig::new([said]).apply(&built_in).unwrap();
            let group = registry.groups().iter().find(|group| group.name == REGISTRATION);
            assert_eq!(group.unwrap().versions.join(" "), expected, "{said}");
            assert_eq!(registry.served_or_not().count(), built_in.all().count(), "{said}");
        }
    }

    #[test]
    fn the_core_group_has_three_spellings() {
        for said in ["/v1=false", "v1=false", "api/v1=false", "v1/secrets=false,api/v1/configmaps=false"] {
            let registry = RuntimeConfig::new([said]).apply(&Registry::built_in().unwrap()).unwrap();
            let served = ["secrets", "configmaps", "pods"].map(|plural| registry.find("", "v1", plural).is_some());
            assert_eq!(served, [false, false, said.contains("secrets")], "{said}");
        }
    }

    #[test]
    fn what_is_off_is_named_by_no_path_and_still_stored_in_its_own_form() {
        let said = ["apps/v1/deployments=false", "admissionregistration.k8s.io/v1=false", "/v1/secrets=f"];
        let registry = RuntimeConfig::new(said).apply(&Registry::built_in().unwrap()).unwrap();
        let table = [
            ("apps", "v1", "deployments", false),
            ("apps", "v1", "replicasets", true),
            ("extensions", "v1beta1", "deployments", true),
            (REGISTRATION, "v1", "mutatingwebhookconfigurations", false),
            (REGISTRATION, "v1beta1", "mutatingwebhookconfigurations", true),
            ("", "v1", "secrets", false),
            ("", "v1", "configmaps", true),
        ];
        for (group, version, plural, served) in table {
            assert_eq!(registry.find(group, version, plural).is_some(), served, "{group}/{version}/{plural}");
        }
        assert_eq!(registry.stored("apps/deployments").unwrap().api_version(), "apps/v1");
        assert_eq!(registry.in_collection("apps/deployments").len(), 1);
        assert!(registry.by_kind("apps", "v1", "Deployment").is_none() && registry.known("apps", "v1", "Deployment").is_some());
        let custom = Resource { version: "v7".into(), ..Resource::clone(&registry.stored("apps/deployments").unwrap()) };
        assert!(registry.with_custom([custom]).find("apps", "v7", "deployments").is_none());
    }

    #[test]
    fn what_means_nothing_is_refused_in_upstreams_words() {
        let table = [
            ("api/all=false", "invalid runtime-config with only api/all=false"),
            ("api/all=no", "invalid value api/all=no"),
            ("api/beta", "invalid value api/beta="),
            ("apiall=false", "runtime-config invalid key apiall"),
            ("a/b/c/d=true", "runtime-config invalid key a/b/c/d"),
            ("api/v2=true,api/v1beta2=true", "unknown api groups api/v1beta2,api/v2: known are admissionregistration.k8s.io, "),
            ("api/legacy=true", "unknown api groups api/legacy"),
            ("apps/v2=true", "group version apps/v2 that has not been registered: known are apps/v1"),
            ("apps/v1=ture", "invalid value of apps/v1: ture, err: strconv.ParseBool: parsing \"ture\": invalid syntax"),
            ("apps/v1/Deployments=false", "resource is always lowercase plural, not \"Deployments\""),
            ("apps/v1/deployment=false", "invalid key apps/v1/deployment: there is no such resource"),
        ];
        for (said, part) in table {
            let error = RuntimeConfig::new([said]).apply(&Registry::built_in().unwrap()).unwrap_err().to_string();
            assert!(error.contains(part), "{said}: {error}");
        }
    }
}
