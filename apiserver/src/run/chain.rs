//! The admission chain, of the plugins that are on.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Options, StartError};
use crate::admission::configuration::Plugins;
use crate::admission::enablement::{Enablement, Plugin};
use crate::admission::escalation::Escalation;
use crate::admission::events::Events;
use crate::admission::metrics::Metrics;
use crate::admission::remote::Remote;
use crate::admission::scheduling_policy::{self, Config};
use crate::admission::webhook::plugin::Stages;
use crate::admission::webhook::{Calls, MutatingWebhooks, RemoteServices, Services, ValidatingWebhooks};
use crate::admission::{
    Chain, FailOpenCreation, Initializers, NamespaceLifecycle, PolicyConfigMap, REGISTRATION, SchedulingPolicy, engine,
};
use crate::authz::Authorizer;
use crate::resources::{Registry, crd};
use crate::server::{Initialization, InitializerSettings};
use crate::storage::Store;

/// What plugins are made of.
pub(super) struct Parts<'a> {
    pub(super) options: &'a Options,
    pub(super) registry: &'a Registry,
    pub(super) store: &'a Store,
    pub(super) remote: Option<&'a Remote>,
    pub(super) authorizer: &'a Arc<Authorizer>,
    pub(super) initialization: &'a Initialization,
    pub(super) metrics: &'a Metrics,
}

/// The plugins that are still to be put into the chain.
struct Made {
    policy: Option<SchedulingPolicy>,
    engine: Option<Arc<engine::Engine>>,
    webhooks: Arc<Calls>,
}

/// Returns the settings of initializers as the plugin lets them be: without it they are off. Fails when it was asked for and cannot run.
pub(super) fn initializers(
    settings: InitializerSettings,
    plugins: &[Plugin],
    said: &Enablement,
) -> Result<InitializerSettings, StartError> {
    if !settings.enabled {
        said.can_do_without(Plugin::Initializers, "leave out --without-initializers")?;
    }
    Ok(InitializerSettings { enabled: settings.enabled && plugins.contains(&Plugin::Initializers), ..settings })
}

/// Takes the manifests from a stage that does not run: its webhooks would not be asked.
pub(super) fn without_idle_manifests(stages: &mut Stages, plugins: &[Plugin]) {
    let of_plugins =
        [(Plugin::MutatingAdmissionWebhook, &mut stages.mutating), (Plugin::ValidatingAdmissionWebhook, &mut stages.validating)];
    for (plugin, stage) in of_plugins.into_iter().filter(|(plugin, _)| !plugins.contains(plugin)) {
        if let Some(folder) = stage.static_manifests_dir.take() {
            tracing::warn!(plugin = plugin.name(), folder = %folder.display(), "the plugin is off: its static webhooks are not asked");
        }
    }
}

/// Takes away the kinds whose objects would have no effect where another API server has the configurations, and tells of those that are stored.
pub(super) fn without_registration(registry: &Registry, store: &Store) -> Registry {
    let snapshot = store.snapshot();
    let kinds: BTreeSet<&str> =
        registry.served_or_not().filter(|row| row.group == REGISTRATION).map(|row| &*row.collection).collect();
    let stored = kinds.into_iter().flat_map(|collection| snapshot.list(collection, None, None)).count();
    if stored > 0 {
        tracing::warn!(
            stored,
            "configurations of admission in this server's store are not in force: another API server has them"
        );
    }
    registry.without_group(REGISTRATION)
}

/// Puts the plugins that are on into a chain, in their order. The escalation check is always there, before all others that only judge.
pub(super) fn chain(parts: &Parts<'_>, plugins: &[Plugin], configured: Plugins) -> Result<Chain, StartError> {
    let Parts { store, metrics, .. } = parts;
    configured.scheduling_policy.iter().try_for_each(|config| tell_unserved(config, parts))?;
    let policy = configured.scheduling_policy.map(|config| {
        let events = Events::new(Store::clone(store), Metrics::clone(metrics));
        SchedulingPolicy::new(&config, events, Metrics::clone(metrics))
    });
    let policy = policy.transpose()?;
    let authorizer = Arc::clone(parts.authorizer);
    let services = match parts.remote {
        Some(remote) => Services::Remote(Arc::new(RemoteServices::new(remote.peer()))),
        None => Services::Stored(Store::clone(store)),
    };
    let webhooks = Calls::new(Store::clone(store), services, authorizer, configured.webhooks, metrics.webhooks.clone());
    let webhooks = Arc::new(webhooks);
    let mut made = Made { engine: policy.as_ref().map(SchedulingPolicy::engine), policy, webhooks };
    let chain = Chain::new(Metrics::clone(metrics)).validating(Escalation(Arc::clone(parts.authorizer)));
    let chain = if parts.options.fail_open_creation { chain.validating(FailOpenCreation) } else { chain };
    plugins.iter().try_fold(chain, |chain, plugin| made.put(*plugin, chain, parts))
}

/// Warns of what the policy engine is to be asked about and is not served. Fails for what never can be.
fn tell_unserved(config: &Config, parts: &Parts<'_>) -> Result<(), StartError> {
    let snapshot = parts.store.snapshot();
    let defined = snapshot.list(crd::COLLECTION, None, None).map(|record| record.key.name.to_string()).collect();
    for name in scheduling_policy::unserved(config, parts.registry, &defined)? {
        tracing::warn!(
            resource = name,
            "`resources` of SchedulingPolicy names what is not served: nothing is asked about it until a CustomResourceDefinition defines it"
        );
    }
    Ok(())
}

impl Made {
    /// The chain with one more plugin; without it, if it is not configured and nobody has asked for it.
    fn put(&mut self, plugin: Plugin, chain: Chain, parts: &Parts<'_>) -> Result<Chain, StartError> {
        let Parts { options, store, initialization, metrics, .. } = parts;
        let (store, metrics) = (Store::clone(store), Metrics::clone(metrics));
        let webhooks = Arc::clone(&self.webhooks);
        let unconfigured = "configure SchedulingPolicy in --admission-control-config-file";
        Ok(match plugin {
            Plugin::NamespaceLifecycle => chain.mutating(NamespaceLifecycle::new(store)),
            Plugin::Initializers if !initialization.settings.enabled => chain,
            Plugin::Initializers => {
                let configurations = Arc::clone(&initialization.configurations);
                chain.mutating(Initializers::new(Arc::clone(parts.authorizer), configurations))
            }
            Plugin::SchedulingPolicy => match self.policy.take() {
                Some(policy) => chain.mutating(policy),
                None => options.plugins.can_do_without(plugin, unconfigured).map(|()| chain)?,
            },
            Plugin::PolicyConfigMap => match self.engine.take() {
                Some(engine) => chain.validating(PolicyConfigMap::new(store, engine, &options.policy_source, metrics)),
                None => options.plugins.can_do_without(plugin, unconfigured).map(|()| chain)?,
            },
            Plugin::MutatingAdmissionWebhook => chain.mutating(MutatingWebhooks::new(webhooks)),
            Plugin::GenericAdmissionWebhook => chain.validating(ValidatingWebhooks::external(webhooks)),
            Plugin::ValidatingAdmissionWebhook => chain.validating(ValidatingWebhooks::new(webhooks)),
        })
    }
}
