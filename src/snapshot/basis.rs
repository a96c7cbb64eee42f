//! What decisions rest on, beside the object: as long as it is the same, equal inputs have equal answers, whatever else is published. Of answers
//! that met unusual numbers (see [`crate::rego::Evaluated`]) that is so only until objects are looked at for no reason, which `--resync` sees to.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use imbl::ordmap::DiffItem;
use parking_lot::Mutex;
use plimsoll_contract::kind::Kind;

use super::Snapshot;
use super::reads::Reads;
use crate::rego::{Entry, Program, Value};
use crate::state::{Leaf, Members, Node, State, Tree};

/// The program, what the document at one path reads of the state, and which clusters there are: one version of all that.
///
/// Versions are told apart by a number that no other one in this process has.
#[derive(Clone, Debug)]
pub struct Basis {
    /// This version.
    pub version: u64,
    /// What the document reads.
    pub entry: Arc<Entry>,
}

/// The newest version, for the snapshots that come after it.
#[derive(Debug, Default)]
pub(super) struct Bases {
    last: Mutex<Option<Standing>>,
}

/// A version and what it is a version of.
#[derive(Clone, Debug)]
struct Standing {
    path: Vec<String>,
    program: Arc<Program>,
    revision: u64,
    /// The part of the state that is read, and nothing else of it.
    tree: Tree,
    reads: Arc<Reads>,
    fleet: Option<Fleet>,
    basis: Basis,
}

/// The fleet kind, and its objects.
#[derive(Clone, Debug)]
struct Fleet {
    kind: Kind,
    clusters: Members,
}

impl Basis {
    /// Whether two versions of what stands at one path below `data` have the same part that is read.
    pub fn is_same(&self, path: &[&str], one: &Leaf, other: &Leaf) -> bool {
        if one.same_json(other) {
            return true;
        }
        let [one, other] = [one, other].map(|leaf| Value::from_json(&leaf.json));
        matches!((one, other), (Ok(one), Ok(other)) if self.entry.same_part(path, &one, &other))
    }
}

impl Snapshot {
    /// Returns what the document at a path rests on: the same version as in an earlier snapshot, if nothing of it has changed since.
    pub fn basis(&self, path: &[String]) -> Basis {
        if let Some(basis) = self.known_basis(path) {
            return basis.clone();
        }
        let basis = self.bases.of(self, path);
        self.basis.get_or_init(|| (path.to_vec(), basis.clone()));
        basis
    }

    /// Returns the basis of decisions at `path` if it was made already.
    pub fn known_basis(&self, path: &[String]) -> Option<&Basis> {
        self.basis.get().filter(|(of, _)| of == path).map(|(_, basis)| basis)
    }
}

impl Bases {
    fn of(&self, snapshot: &Snapshot, path: &[String]) -> Basis {
        let mut last = self.last.lock();
        let known = last.as_ref().filter(|last| last.path == path && Arc::ptr_eq(&last.program, &snapshot.policies.program));
        let standing = match known {
            Some(known) => known.at(snapshot),
            None => Standing::new(snapshot, path),
        };
        let basis = standing.basis.clone();
        if last.as_ref().is_none_or(|last| last.revision <= snapshot.revision) {
            *last = Some(standing);
        }
        basis
    }
}

impl Standing {
    fn new(snapshot: &Snapshot, path: &[String]) -> Self {
        let program = snapshot.policies.program.clone();
        let entry = Arc::new(program.entry(path));
        let reads = Arc::new(Reads::new(entry.paths()));
        let (tree, fleet) = (reads.part(&snapshot.state.tree), Fleet::of(&snapshot.state));
        let basis = Basis { version: next(), entry };
        Self { path: path.to_vec(), program, revision: snapshot.revision, tree, reads, fleet, basis }
    }

    /// Returns the same program on another snapshot.
    fn at(&self, snapshot: &Snapshot) -> Self {
        let (tree, fleet) = (self.reads.part(&snapshot.state.tree), Fleet::of(&snapshot.state));
        let agrees = agrees(self.fleet.as_ref(), fleet.as_ref())
            && self.reads.agree_by(&self.tree, &tree, &mut |path, a, b| self.basis.is_same(path, a, b));
        let version = if agrees { self.basis.version } else { next() };
        let basis = Basis { version, ..self.basis.clone() };
        Self { revision: snapshot.revision, tree, fleet, basis, ..self.clone() }
    }
}

impl Fleet {
    fn of(state: &State) -> Option<Self> {
        let kind = state.fleet()?;
        Some(Self { kind: kind.clone(), clusters: state.objects_of(kind).cloned().unwrap_or_default() })
    }
}

/// Whether both have the same clusters, whatever is known of each.
fn agrees(one: Option<&Fleet>, other: Option<&Fleet>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => one.kind == other.kind && same_names(&one.clusters, &other.clusters),
        _ => false,
    }
}

fn same_names(one: &Members, other: &Members) -> bool {
    one.diff(other).all(|item| match item {
        DiffItem::Update { old: (_, Node::Branch(old)), new: (_, Node::Branch(new)) } => same_names(old, new),
        DiffItem::Update { old: (_, Node::Leaf(_)), new: (_, Node::Leaf(_)) } => true,
        DiffItem::Update { .. } | DiffItem::Add(..) | DiffItem::Remove(..) => false,
    })
}

fn next() -> u64 {
    static VERSION: AtomicU64 = AtomicU64::new(1);
    VERSION.fetch_add(1, Ordering::Relaxed)
}
