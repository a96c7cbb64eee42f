//! What the sources replicated: a persistent tree of pruned bytes, and how fresh each source is.
//!
//! ```text
//!  NDJSON line ─► object (checked, pruned, encoded) ─► tree ◄─ write, patch ◄─ incoming ◄─ text (OPA's data API, bundles)
//!                                                       └─► json (reads), diff (what changed)
//! ```

mod diff;
pub mod exact;
pub mod incoming;
mod json;
mod leaf;
pub mod load;
pub mod object;
mod patch;
mod pointer;
mod prune;
mod seen;
mod share;
pub mod source;
pub mod tree;
mod write;

pub use diff::{Changed, same_json};
pub use incoming::Incoming;
pub(crate) use incoming::opened;
pub(crate) use json::{inside, reaches};
pub use pointer::Op;
pub(crate) use pointer::not_there;
pub use prune::{InvalidPointer, Prune};
pub use seen::{Seen, Versions};
pub use source::{KindState, SourceState};
pub use tree::{Found, Leaf, Members, Node, PatchOp, Tree, WriteError};
pub use write::MAX_DEPTH;

use std::sync::Arc;

use imbl::OrdMap;
use plimsoll_contract::annotations::SeenFleet;
use plimsoll_contract::kind::{Gvr, Kind};
use plimsoll_contract::source::ObjectName;

/// The first name of every replicated object's path.
pub const ROOT: &str = "kubernetes";

/// All replicated state at one revision. Cloning is cheap; nothing in it changes, but the ages (atomics) of its sources.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// `data`, without what policies define.
    pub tree: Tree,
    /// Declared sources by name.
    pub sources: OrdMap<String, Arc<SourceState>>,
}

/// Where clusters are, below `data`, as long as nobody says otherwise.
pub const FLEET_PATH: [&str; 2] = ["kubernetes", "clusters"];

impl State {
    /// Every declared kind.
    pub fn kinds(&self) -> impl Iterator<Item = &KindState> {
        self.sources.values().flat_map(|source| &source.kinds).map(Arc::as_ref)
    }

    /// The row of the table of kinds for a resource, from whichever source declared it.
    pub fn kind(&self, gvr: &Gvr) -> Option<&Kind> {
        self.kinds().map(|k| &k.kind).find(|k| k.gvr == *gvr)
    }

    /// The row for an object's apiVersion and kind.
    pub fn kind_of(&self, api_version: &str, kind: &str) -> Option<&Kind> {
        let mut kinds = self.kinds().map(|k| &k.kind);
        kinds.find(|k| k.kind == kind && k.gvr.api_version() == api_version)
    }

    /// Whether the source that declared a kind exempts a namespace from placement; what others say is of no account.
    pub fn exempts(&self, kind: &Kind, namespace: &str) -> bool {
        let mut sources = self.sources.values().filter(|source| source.position(&kind.gvr).is_some());
        sources.any(|source| source.exempt_namespaces.contains(namespace))
    }

    /// The fleet kind, if one is declared, or left by an older declaration.
    pub fn fleet(&self) -> Option<&Kind> {
        let left = self.sources.values().flat_map(|source| &source.left).map(Arc::as_ref);
        self.kinds().chain(left).map(|k| &k.kind).find(|k| k.fleet)
    }

    /// Returns where the objects of the fleet kind are, below `data`.
    pub fn fleet_path(&self) -> [&str; 2] {
        self.fleet().map_or(FLEET_PATH, |fleet| ["kubernetes", fleet.state_path()])
    }

    /// Returns the version of the fleet that this state holds; `None` without a fleet kind, or when its versions are not known.
    pub fn seen_fleet(&self) -> Option<SeenFleet> {
        let (name, source, kind) = self.fleet_of()?;
        Some(SeenFleet {
            source: name.into(),
            cluster: source.cluster.as_deref()?.into(),
            resource: kind.kind.gvr.clone(),
            changed: kind.changed.clone()?,
        })
    }

    /// The fleet kind with the source that replicates it.
    pub fn fleet_of(&self) -> Option<(&str, &SourceState, &KindState)> {
        let fleet = |source: &'_ Arc<SourceState>| source.kinds.iter().position(|kind| kind.kind.fleet);
        self.sources
            .iter()
            .find_map(|(name, source)| Some((name.as_str(), source.as_ref(), source.kinds.get(fleet(source)?)?.as_ref())))
    }

    /// All objects of a kind: by namespace if it lives in namespaces, else by name.
    pub fn objects_of(&self, kind: &Kind) -> Option<&Members> {
        self.tree.get(&[ROOT, kind.state_path()]).and_then(Node::branch)
    }

    /// One replicated object.
    pub fn object(&self, kind: &Kind, name: &ObjectName) -> Option<&Arc<Leaf>> {
        let mut members = self.objects_of(kind)?;
        if kind.namespaced {
            members = members.get(name.namespace.as_str())?.branch()?;
        }
        members.get(name.name.as_str())?.leaf()
    }

    /// Every replicated object of a kind, in the order of namespace and name.
    pub fn objects(&self, kind: &Kind) -> impl Iterator<Item = (ObjectName, &Arc<Leaf>)> {
        let namespaced = kind.namespaced;
        let members = self.objects_of(kind).into_iter().flat_map(OrdMap::iter);
        members.flat_map(move |(first, node)| {
            let inner = node.branch().filter(|_| namespaced).into_iter().flat_map(OrdMap::iter);
            let inner = inner.filter_map(move |(name, node)| Some((object_name(first, name), node.leaf()?)));
            let own = node.leaf().filter(|_| !namespaced).map(|leaf| (object_name("", first), leaf));
            inner.chain(own)
        })
    }

    /// The source that alone writes at a path, above it or below it, with the path it owns.
    pub fn owner(&self, path: &[String]) -> Option<(String, &str)> {
        self.owner_where(|owned| owned.iter().zip(path).all(|(a, b)| a == b))
    }

    /// The source that replicates into a path or below it, with the path it owns.
    pub fn owner_at_or_below(&self, path: &[String]) -> Option<(String, &str)> {
        self.owner_where(|owned| path.len() <= owned.len() && owned.iter().zip(path).all(|(a, b)| a == b))
    }

    fn owner_where(&self, fits: impl Fn(&[&str; 2]) -> bool) -> Option<(String, &str)> {
        self.sources.iter().find_map(|(name, source)| {
            let hit = source.held().map(|k| [ROOT, k.kind.state_path()]).find(&fits)?;
            Some((hit.join("/"), name.as_str()))
        })
    }
}

fn object_name(namespace: &str, name: &str) -> ObjectName {
    ObjectName { namespace: namespace.into(), name: name.into() }
}
