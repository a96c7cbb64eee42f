//! What the tests of the decision share.

use std::collections::BTreeSet;

use plimsoll_contract::kind::{Gvr, Kind};
use plimsoll_contract::source::Declare;

use super::Config;
use crate::snapshot::{Store, StoreOptions};
use crate::state::State;

/// A configuration that exempts namespace `ops`.
pub(crate) fn config() -> Config {
    Config { exempt_namespaces: ["ops".to_owned()].into(), ..Config::default() }
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
