//! Which definitions have the same constant for a value (opa `v1/ast/index.go`, `agreeOnValue`).

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::ordered::Ordered;
use crate::compile::terms::is_ground;
use crate::ir::{Agreement, Entry};
use crate::syntax::tree::Head;

/// The values that were met so far.
#[derive(Default)]
pub(super) struct Agreements<'t>(BTreeMap<Ordered<'t>, usize>);

impl<'t> Agreements<'t> {
    /// What a head agrees on.
    pub(super) fn of(&mut self, head: &'t Head) -> Agreement {
        if !is_complete(head) {
            return Agreement::Never;
        }
        match &head.value {
            None => Agreement::Always,
            Some(value) if is_ground(value) => {
                let next = self.0.len();
                Agreement::Value(*self.0.entry(Ordered(Cow::Borrowed(value))).or_insert(next))
            }
            Some(_) => Agreement::Never,
        }
    }
}

/// A complete document, or a function (opa `v1/ast/policy.go`, `DocKind`).
pub(super) fn is_complete(head: &Head) -> bool {
    head.key.is_none() && head.reference.iter().skip(1).all(is_ground)
}

/// Whether all agree.
pub(super) fn all<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> bool {
    entries.into_iter().fold(Agreement::Always, |all, entry| all.and(entry.agreement)) != Agreement::Never
}
