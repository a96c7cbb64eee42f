//! What is computed once: documents of rules and answers of functions.

use std::collections::HashMap;
use std::sync::Arc;

use super::comprehension::Table;
use crate::ir::{GroupId, IndexedComprehension};
use crate::value::Value;

/// A document that is known: perhaps to be undefined.
type Known<'a> = Option<&'a Value>;

/// What was computed under one set of documents and functions; what `with` replaces has a cache of its own.
#[derive(Default)]
pub(super) struct Cache<'a> {
    documents: Vec<Option<Known<'a>>>,
    keyed: HashMap<(GroupId, Box<[Value]>), Known<'a>>,
    /// Comprehensions, by where they are in memory.
    tables: HashMap<usize, Arc<Table<'a>>>,
}

impl<'a> Cache<'a> {
    /// The whole document of a group, if it is known.
    pub(super) fn complete(&self, id: GroupId) -> Option<Known<'a>> {
        self.documents.get(id.index()).copied().flatten()
    }

    pub(super) fn set_complete(&mut self, id: GroupId, value: Known<'a>) {
        let index = id.index();
        if self.documents.len() <= index {
            self.documents.resize(index.saturating_add(1), None);
        }
        if let Some(place) = self.documents.get_mut(index) {
            *place = Some(value);
        }
    }

    /// What is known of a group for some keys, or operands.
    pub(super) fn keyed(&self, key: &(GroupId, Box<[Value]>)) -> Option<Known<'a>> {
        self.keyed.get(key).copied()
    }

    /// What a comprehension gives.
    pub(super) fn table(&self, comprehension: &IndexedComprehension) -> Option<Arc<Table<'a>>> {
        self.tables.get(&std::ptr::from_ref(comprehension).addr()).cloned()
    }

    pub(super) fn set_table(&mut self, comprehension: &IndexedComprehension, table: Table<'a>) -> Arc<Table<'a>> {
        let table = Arc::new(table);
        self.tables.insert(std::ptr::from_ref(comprehension).addr(), table.clone());
        table
    }

    pub(super) fn set_keyed(&mut self, key: (GroupId, Box<[Value]>), value: Known<'a>) {
        self.keyed.insert(key, value);
    }
}
