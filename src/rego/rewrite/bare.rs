//! Bodies without braces: what is put before their statement needs braces around it.

use std::collections::BTreeSet;

use crate::rego::parse::Tokens;

/// Where what follows `if` begins: a statement that begins there is a body without braces, `if not …`.
pub(super) fn bare(text: &str) -> BTreeSet<usize> {
    let (mut starts, mut before, mut is_if) = (BTreeSet::new(), "", false);
    for token in Tokens::new(text) {
        if is_if {
            starts.insert(token.start);
        }
        is_if = token.text == "if" && before != ".";
        before = token.text;
    }
    starts
}
