//! The references that an index is built on, each once (opa `v1/ast/index.go`, `refTable`).

use foldhash::HashMap;

use crate::ir::{IndexReference, ReferenceNumber};

/// The number of a module, and the first byte of a text in it.
pub(super) type At = (usize, u32);

/// A reference, and where it is first written; an operand is written nowhere.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub(super) reference: IndexReference,
    pub(super) at: Option<At>,
}

/// References by number, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct References {
    list: Vec<Located>,
    numbers: HashMap<IndexReference, ReferenceNumber>,
}

impl References {
    /// The number of a reference.
    pub(super) fn intern(&mut self, located: Located) -> ReferenceNumber {
        if let Some(number) = self.numbers.get(&located.reference) {
            return *number;
        }
        let number = self.list.len();
        self.numbers.insert(located.reference.clone(), number);
        self.list.push(located);
        number
    }

    /// A reference.
    pub(super) fn get(&self, number: ReferenceNumber) -> Option<&Located> {
        self.list.get(number)
    }

    /// All of them.
    pub(super) fn into_list(self) -> Vec<IndexReference> {
        self.list.into_iter().map(|located| located.reference).collect()
    }
}
