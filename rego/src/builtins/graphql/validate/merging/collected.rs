//! The fields of a selection by their names in the response, and the fragments in it.

use std::collections::HashMap;

use super::super::super::ast::{Field, Spread};

/// In the order in which names come first.
#[derive(Default)]
pub(super) struct Collected<'a> {
    pub(super) fields: Vec<(&'a str, Vec<&'a Field<'a>>)>,
    places: HashMap<&'a str, usize>,
    pub(super) spreads: Vec<&'a Spread<'a>>,
}

impl<'a> Collected<'a> {
    pub(super) fn push(&mut self, field: &'a Field<'a>) {
        let name = field.response_name();
        let place = *self.places.entry(name).or_insert(self.fields.len());
        match self.fields.get_mut(place) {
            Some((_, fields)) => fields.push(field),
            None => self.fields.push((name, vec![field])),
        }
    }

    /// The fields of a name.
    pub(super) fn named(&self, name: &str) -> &[&'a Field<'a>] {
        self.places.get(name).and_then(|place| self.fields.get(*place)).map_or(&[], |(_, fields)| fields)
    }

    /// Whether both have the very same fields, or none.
    pub(super) fn has_same_fields(&self, other: &Self) -> bool {
        let ids = |collected: &Self| -> Vec<usize> {
            collected.fields.iter().flat_map(|(_, fields)| fields.iter().map(|field| field.id)).collect()
        };
        self.fields.len() == other.fields.len() && ids(self) == ids(other)
    }
}
