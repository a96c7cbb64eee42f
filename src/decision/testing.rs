//! What the tests of the decision share.

use std::collections::BTreeSet;
use std::sync::Arc;

use plimsoll_contract::kind::Kind;

use super::Config;
use crate::state::{KindState, SourceState, State};

/// A configuration that exempts namespace `ops`.
pub(crate) fn config() -> Config {
    Config { exempt_namespaces: ["ops".to_owned()].into(), ..Config::default() }
}

/// The default keys and these.
pub(crate) fn allowed(keys: &[&str]) -> BTreeSet<String> {
    let annotation_keys = keys.iter().map(|key| (*key).to_owned()).collect();
    Config { annotation_keys, ..Config::default() }.allowed_keys(None)
}
