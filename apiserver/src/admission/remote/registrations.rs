//! What one read found, made ready to judge by.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::error::RefreshError;
use super::list::{Answers, Configuration, Kind};
use crate::admission::initializers::{self, Initializer};
use crate::admission::webhook::{self, Hooks, Webhook};

/// All configurations of one moment.
#[derive(Debug, Default)]
pub struct Registrations {
    /// Those of webhooks.
    pub hooks: Hooks,
    /// Those of initializers, in the order in which they are asked; of several with one name the first.
    pub initializers: Vec<Arc<Initializer>>,
    /// The resourceVersion up to which every change is in it.
    pub revision: String,
    /// What each configuration was made into.
    made: BTreeMap<(Kind, String), Made>,
}

/// What a text says.
#[derive(Clone, Debug)]
struct Made {
    text: Arc<str>,
    registered: Registered,
}

#[derive(Clone, Debug)]
enum Registered {
    Webhooks(Vec<Arc<Webhook>>),
    Initializers(Vec<Arc<Initializer>>),
}

impl Registrations {
    /// Reads answers. A configuration whose text is that of `last` is the same, compiled conditions included. Fails when anything cannot be read.
    pub(super) fn read(answers: Answers, last: &Self) -> Result<Self, RefreshError> {
        let (configurations, revision) = answers.read()?;
        let (mut read, mut seen) = (Self { revision, ..Self::default() }, BTreeSet::new());
        for configuration in configurations {
            let key = (configuration.kind, configuration.name.clone());
            let known = last.made.get(&key).filter(|made| *made.text == *configuration.text.get());
            let made = known.map_or_else(|| Made::of(&configuration), |made| Ok(made.clone()))?;
            match (&made.registered, configuration.kind) {
                (Registered::Webhooks(webhooks), kind) => read.hooks_of(kind).extend_from_slice(webhooks),
                (Registered::Initializers(all), _) => {
                    read.initializers.extend(all.iter().filter(|one| seen.insert(one.name.clone())).map(Arc::clone));
                }
            }
            read.made.insert(key, made);
        }
        Ok(read)
    }

    fn hooks_of(&mut self, kind: Kind) -> &mut Vec<Arc<Webhook>> {
        match kind {
            Kind::Mutating => &mut self.hooks.mutating,
            Kind::Validating => &mut self.hooks.validating,
            Kind::External | Kind::Initializers => &mut self.hooks.external,
        }
    }
}

impl Made {
    fn of(Configuration { kind, name, text }: &Configuration) -> Result<Self, RefreshError> {
        let bytes = text.get().as_bytes();
        let registered = match kind {
            Kind::Initializers => {
                let all = initializers::of_object(name, bytes).map_err(RefreshError::Initializers)?;
                Registered::Initializers(all.into_iter().map(Arc::new).collect())
            }
            _ => Registered::Webhooks(webhook::of_object(name.clone(), bytes).map_err(RefreshError::Webhooks)?),
        };
        Ok(Self { text: text.get().into(), registered })
    }
}
