//! What the tests of the decision share.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plimsoll_contract::annotations::AppliedKey;
use plimsoll_contract::kind::{Gvr, Kind};
use plimsoll_contract::outcome::Outcome;
use plimsoll_contract::source::Declare;

use serde_json::{Value as Json, json};

use super::class::Class;
use super::mac::{KeySource, RecordKeys};
use super::normal_form::NormalForm;
use super::normal_form::undo::sum_of;
use super::outcome::{Placed, Ruling};
use super::validate::Desired;
use super::{Config, Decision, Last, Retained};
use crate::snapshot::{Store, StoreOptions};
use crate::state::State;

/// A configuration that exempts namespace `ops`.
pub(crate) fn config() -> Config {
    Config { exempt_namespaces: ["ops".to_owned()].into(), ..Config::default() }
}

/// A decision with this outcome, and nothing else.
pub(crate) fn decided(outcome: Outcome) -> Decision {
    Decision {
        outcome,
        class: None,
        said: None,
        cached: false,
        stale: Vec::new(),
        retained: Retained::default(),
        patch: BTreeMap::new(),
        unremoved: None,
        kept: false,
        unproven: false,
        letting_go: false,
        urgent: false,
        warnings: Vec::new(),
        last: Last::default(),
        revision: 1,
    }
}

/// What policy answered, such that these annotations are to be written.
pub(crate) fn answered(document: &Json, annotations: &[(&str, &str)]) -> Arc<Class> {
    let keys = annotations.iter().map(|(key, value)| ((*key).to_owned(), Some((*value).to_owned()))).collect();
    let placed = Placed::of(Desired { keys, ..Desired::default() }).unwrap();
    let ruling = Ruling { outcome: Outcome::Place, placed: Some(placed), warnings: Box::default(), urgent: false };
    Arc::new(Class::of(Some((document, Ok(ruling))), &Arc::default()).unwrap())
}

/// The default keys and these.
pub(crate) fn allowed(keys: &[&str]) -> BTreeSet<String> {
    let annotation_keys = keys.iter().map(|key| (*key).to_owned()).collect();
    Config { annotation_keys, ..Config::default() }.allowed_keys(None)
}

/// A row of the table of kinds.
pub(crate) fn row(gvr: &str, kind: &str, change: impl FnOnce(&mut Kind)) -> Kind {
    let mut row = Kind::new(Gvr::try_from(gvr.to_owned()).unwrap(), kind);
    change(&mut row);
    row
}

/// The state of a source that has declared these kinds.
pub(crate) fn state_with(kinds: Vec<Kind>) -> State {
    let store = Store::new(StoreOptions::default()).unwrap();
    store.declare("test", Declare { kinds, ..Declare::default() }).unwrap();
    store.load().state.clone()
}

/// The same, with these objects mirrored.
pub(crate) fn state_of(kinds: Vec<Kind>, objects: &[Json]) -> State {
    let store = Store::new(StoreOptions::default()).unwrap();
    let declared = store.declare("test", Declare { kinds: kinds.clone(), ..Declare::default() }).unwrap();
    for kind in kinds {
        let header = json!({"session": declared.session, "kind": kind.gvr.to_string(), "mode": "replace"});
        let of_kind = objects.iter().filter(|object| object["kind"] == kind.kind.as_str());
        let body: String = std::iter::once(&header).chain(of_kind).map(|line| format!("{line}\n")).collect();
        store.sync("test", body.as_bytes()).unwrap();
    }
    store.load().state.clone()
}

/// The normal form of an object of no declared kind.
pub(crate) fn form(object: &Json) -> NormalForm {
    NormalForm::of(object, None, &allowed(&[]), &BTreeMap::new()).unwrap()
}

/// Keys that do not change.
#[derive(Debug)]
pub(crate) struct Fixed(pub(crate) Arc<RecordKeys>);

impl KeySource for Fixed {
    fn keys(&self) -> Arc<RecordKeys> {
        Arc::clone(&self.0)
    }
}

impl Fixed {
    /// One key: a letter, so often that it is long enough.
    pub(crate) fn of(letter: &str) -> Self {
        Self(Arc::new(RecordKeys::parse(letter.repeat(32).as_bytes()).unwrap()))
    }
}

/// An entry of a record: what was there, and what was written.
pub(crate) fn entry(was: Option<&str>, wrote: &str) -> AppliedKey {
    AppliedKey { was: was.map(Into::into), sum: sum_of(Some(wrote)) }
}
