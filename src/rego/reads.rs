//! Which parts of `data` a set of modules may read: found on the syntax tree, never too little.

use super::parse::ParsedModule;

pub(super) fn of(_modules: &[ParsedModule]) -> Vec<Vec<String>> {
    vec![vec![]]
}
