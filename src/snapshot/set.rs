//! One named set: modules, the data beside them, and for a bundle which part of `data` is its own.

use std::sync::Arc;

use plimsoll_contract::policy::Diagnostic;
use serde_json::Value as Json;

use crate::rego::{Module, RegoVersion};
use crate::state::Incoming;

/// One named set: the directories' is `files`, a source's has its name, a bundle's is that of [`bundle_set`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicySet {
    /// The accepted modules.
    pub modules: Vec<Module>,
    /// The data that came with them.
    pub documents: Arc<[Document]>,
    /// What is known of the bundle, if the set is one.
    pub bundle: Option<Arc<Bundle>>,
    /// Some set of this name, possibly empty, was accepted.
    pub accepted: bool,
    /// Digest of the accepted modules.
    pub digest: String,
    /// Errors of the last set offered, if it was refused.
    pub errors: Vec<Diagnostic>,
    /// Why the set could not be read at all; before a first success this means not ready.
    pub unreadable: Option<String>,
    /// Why no older set from disk is in the place of one that was refused at the start.
    pub fallback: Option<String>,
    /// It is such an older one.
    pub restored: bool,
}

/// A document of base data that belongs to a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Below `data`; empty is all of it.
    pub path: Vec<String>,
    /// What stands there.
    pub value: Incoming,
    /// The file or key that it comes from, for messages.
    pub origin: String,
}

/// An activated bundle (OPA: the manifest).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    /// As configured; of a local bundle its path.
    pub name: String,
    /// Of the manifest; empty if it says none.
    pub revision: String,
    /// The paths below `data` that are the bundle's alone; `[""]` is everything.
    pub roots: Vec<String>,
    /// Of the answer that brought it.
    pub etag: String,
    /// How modules are read, by key, where the manifest says so.
    pub rego: Vec<(String, RegoVersion)>,
    /// The manifest as policies see it at `data.system.bundles`.
    pub manifest: Json,
}

/// A whole set, offered.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    /// Its modules.
    pub modules: Vec<Module>,
    /// Its data.
    pub documents: Vec<Document>,
    /// What it is, if it is a bundle.
    pub bundle: Option<Bundle>,
}

/// The name of a bundle's policy set; no source and no directory can have it.
pub fn bundle_set(name: &str) -> String {
    format!("bundle/{name}")
}

impl From<Vec<Module>> for Offer {
    fn from(modules: Vec<Module>) -> Self {
        Self { modules, ..Self::default() }
    }
}

impl Offer {
    /// The set that it would be.
    pub(super) fn accepted(self, digest: String) -> PolicySet {
        let Self { modules, documents, bundle } = self;
        PolicySet {
            modules,
            documents: documents.into(),
            bundle: bundle.map(Arc::new),
            accepted: true,
            digest,
            ..PolicySet::default()
        }
    }
}

impl PolicySet {
    /// Whether nothing but the words about it would change.
    pub(super) fn same(&self, offer: &Offer) -> bool {
        self.accepted
            && self.same_program(offer)
            && *self.documents == *offer.documents
            && self.bundle.as_deref() == offer.bundle.as_ref()
    }

    /// Whether it would compile to the same.
    pub(super) fn same_program(&self, offer: &Offer) -> bool {
        let rego = |bundle: Option<&Bundle>| bundle.map(|bundle| bundle.rego.clone()).unwrap_or_default();
        self.modules == offer.modules && rego(self.bundle.as_deref()) == rego(offer.bundle.as_ref())
    }
}
