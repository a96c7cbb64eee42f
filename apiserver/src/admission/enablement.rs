//! Which plugins run, and in which order: kube-apiserver's `--enable-admission-plugins`, `--disable-admission-plugins` and
//! `--admission-control`. Source: `apiserver` `pkg/server/options/admission.go`, `kubernetes` `pkg/kubeapiserver/options/admission.go`,
//! 1.36.3.
//!
//! Upstream takes the list of `--admission-control` as a set since 1.10; here it has the meaning that it had until then: exactly these
//! plugins, in this order, those that change objects before those that only judge.

use super::webhook::{MutatingWebhooks, ValidatingWebhooks};
use super::{Initializers, NamespaceLifecycle, policy_config_map, scheduling_policy};

const ENABLE: &str = "enable-admission-plugins";
const DISABLE: &str = "disable-admission-plugins";
const EXACTLY: &str = "admission-control";

/// A plugin that can be switched on and off. The escalation check of RBAC is none, as upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "their own names")]
pub enum Plugin {
    NamespaceLifecycle,
    Initializers,
    SchedulingPolicy,
    PolicyConfigMap,
    MutatingAdmissionWebhook,
    GenericAdmissionWebhook,
    ValidatingAdmissionWebhook,
}

/// The plugins that the command line names; by default all run that are configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Enablement {
    /// These run, or the server does not start; in no order.
    pub enable: Vec<String>,
    /// These do not run; in no order.
    pub disable: Vec<String>,
    /// Exactly these run, in this order.
    pub exactly: Option<Vec<String>>,
}

/// A command line that contradicts itself, in upstream's words.
#[derive(Debug, thiserror::Error)]
pub enum EnablementError {
    /// Two ways to say it.
    #[error("{EXACTLY} and {ENABLE}/{DISABLE} flags are mutually exclusive")]
    Exclusive,
    /// A name that no plugin has.
    #[error("{flag} plugin {name:?} is unknown: known are {}", Plugin::ALL.map(Plugin::name).join(", "))]
    Unknown {
        /// Where it stands.
        flag: &'static str,
        /// The name.
        name: String,
    },
    /// On and off.
    #[error("[{}] in {ENABLE} and {DISABLE} overlapped", .0.join(" "))]
    Overlapped(Vec<String>),
    /// Two places in the order.
    #[error("{EXACTLY} plugin {0:?} is there twice: leave one of them out, for the order counts")]
    Repeated(String),
    /// A plugin that was asked for.
    #[error("the admission plugin {:?} is asked for and cannot run: {why}", plugin.name())]
    Impossible {
        /// Which.
        plugin: Plugin,
        /// What it lacks.
        why: &'static str,
    },
}

impl Plugin {
    /// All of them, in the order in which they run by default.
    pub const ALL: [Self; 7] = [
        Self::NamespaceLifecycle,
        Self::Initializers,
        Self::SchedulingPolicy,
        Self::PolicyConfigMap,
        Self::MutatingAdmissionWebhook,
        Self::GenericAdmissionWebhook,
        Self::ValidatingAdmissionWebhook,
    ];

    /// Returns its name, as flags and metrics have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::NamespaceLifecycle => NamespaceLifecycle::NAME,
            Self::Initializers => Initializers::NAME,
            Self::SchedulingPolicy => scheduling_policy::NAME,
            Self::PolicyConfigMap => policy_config_map::NAME,
            Self::MutatingAdmissionWebhook => MutatingWebhooks::NAME,
            Self::GenericAdmissionWebhook => ValidatingWebhooks::EXTERNAL_NAME,
            Self::ValidatingAdmissionWebhook => ValidatingWebhooks::NAME,
        }
    }
}

impl Enablement {
    /// Returns the plugins that are on, in their order. Fails when a name is unknown, or what is said contradicts itself.
    pub fn plugins(&self) -> Result<Vec<Plugin>, EnablementError> {
        let (enabled, disabled) = (known(ENABLE, &self.enable)?, known(DISABLE, &self.disable)?);
        if let Some(exactly) = &self.exactly {
            if !enabled.is_empty() || !disabled.is_empty() {
                return Err(EnablementError::Exclusive);
            }
            return in_order(known(EXACTLY, exactly)?);
        }
        let both: Vec<String> =
            enabled.iter().filter(|plugin| disabled.contains(plugin)).map(|plugin| plugin.name().to_owned()).collect();
        if !both.is_empty() {
            return Err(EnablementError::Overlapped(both));
        }
        Ok(Plugin::ALL.into_iter().filter(|plugin| !disabled.contains(plugin)).collect())
    }

    /// Fails when the plugin was asked for by its name: `why` says what it lacks.
    pub fn can_do_without(&self, plugin: Plugin, why: &'static str) -> Result<(), EnablementError> {
        let mut named = self.enable.iter().chain(self.exactly.iter().flatten());
        match named.any(|name| name == plugin.name()) {
            true => Err(EnablementError::Impossible { plugin, why }),
            false => Ok(()),
        }
    }
}

/// The plugins of these names; an empty name is none.
fn known(flag: &'static str, names: &[String]) -> Result<Vec<Plugin>, EnablementError> {
    let find = |name: &String| {
        let unknown = || EnablementError::Unknown { flag, name: name.clone() };
        Plugin::ALL.into_iter().find(|plugin| plugin.name() == name).ok_or_else(unknown)
    };
    names.iter().filter(|name| !name.is_empty()).map(find).collect()
}

fn in_order(plugins: Vec<Plugin>) -> Result<Vec<Plugin>, EnablementError> {
    let is_repeated = |(index, plugin): &(usize, &Plugin)| plugins.iter().take(*index).any(|before| before == *plugin);
    match plugins.iter().enumerate().find(is_repeated) {
        Some((_, plugin)) => Err(EnablementError::Repeated(plugin.name().to_owned())),
        None => Ok(plugins),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(',').map(str::to_owned).collect()
    }

    fn enablement(enable: &str, disable: &str, exactly: Option<&str>) -> Enablement {
        Enablement { enable: names(enable), disable: names(disable), exactly: exactly.map(names) }
    }

    #[test]
    fn what_is_switched_off_does_not_run_and_a_list_is_its_own_order() {
        let all = "NamespaceLifecycle,Initializers,SchedulingPolicy,PolicyConfigMap,MutatingAdmissionWebhook,\
                   GenericAdmissionWebhook,ValidatingAdmissionWebhook";
        let table = [
            (enablement("", "", None), all),
            (enablement("ValidatingAdmissionWebhook,Initializers", "", None), all),
            (
                enablement("", "ValidatingAdmissionWebhook,NamespaceLifecycle,PolicyConfigMap", None),
                "Initializers,SchedulingPolicy,MutatingAdmissionWebhook,GenericAdmissionWebhook",
            ),
            (
                enablement("", "", Some("MutatingAdmissionWebhook,NamespaceLifecycle")),
                "MutatingAdmissionWebhook,NamespaceLifecycle",
            ),
            (enablement("", "", Some("")), ""),
        ];
        for (said, expected) in table {
            let plugins: Vec<&str> = said.plugins().unwrap().into_iter().map(Plugin::name).collect();
            assert_eq!(plugins.join(","), expected, "{said:?}");
        }
    }

    #[test]
    fn what_contradicts_itself_is_refused_in_upstreams_words() {
        let known = "is unknown: known are NamespaceLifecycle, Initializers, SchedulingPolicy, ";
        let table = [
            (enablement("AlwaysDeny", "", None), format!("enable-admission-plugins plugin \"AlwaysDeny\" {known}")),
            (enablement("", "initializers", None), format!("disable-admission-plugins plugin \"initializers\" {known}")),
            (enablement("", "", Some("ResourceQuota")), format!("admission-control plugin \"ResourceQuota\" {known}")),
            (enablement("", "Initializers", Some("Initializers")), "flags are mutually exclusive".to_owned()),
            (
                enablement("Initializers,SchedulingPolicy", "SchedulingPolicy,Initializers", None),
                "[Initializers SchedulingPolicy] in enable-admission-plugins and disable-admission-plugins overlapped".to_owned(),
            ),
            (enablement("", "", Some("Initializers,Initializers")), "\"Initializers\" is there twice".to_owned()),
        ];
        for (said, part) in table {
            let error = said.plugins().unwrap_err().to_string();
            assert!(error.contains(&part), "{part}: {error}");
        }
    }

    #[test]
    fn only_what_was_asked_for_by_name_must_be_able_to_run() {
        let policy = Plugin::SchedulingPolicy;
        for (said, fine) in [
            (enablement("", "", None), true),
            (enablement("Initializers", "", None), true),
            (enablement("SchedulingPolicy", "", None), false),
            (enablement("", "", Some("SchedulingPolicy")), false),
        ] {
            assert_eq!(said.can_do_without(policy, "it is not configured").is_ok(), fine, "{said:?}");
        }
        let error = enablement("SchedulingPolicy", "", None).can_do_without(policy, "it is not configured").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the admission plugin \"SchedulingPolicy\" is asked for and cannot run: it is not configured"
        );
    }
}
