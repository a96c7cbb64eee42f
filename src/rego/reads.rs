//! Which parts of `data` a set of modules may read: found on the syntax tree, never too little.

use regorus::unstable::{Module, Ref};

pub(super) fn of(_modules: &[Ref<Module>]) -> Vec<Vec<String>> {
    vec![vec![]]
}
