//! Places in documents, each kept once.

use foldhash::HashMap;

use super::super::path::{Path, Step};
use super::super::reads::Root;

/// A place's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::depend) struct PlaceId(u32);

/// A place in a document.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::depend) enum Place {
    /// All of it.
    Root(Root),
    /// One step below a place.
    Below(PlaceId, Step),
}

/// All places.
#[derive(Debug, Default)]
pub(in crate::depend) struct Places {
    places: Vec<Place>,
    ids: HashMap<Place, PlaceId>,
}

impl Places {
    /// The number of a place.
    pub(in crate::depend) fn add(&mut self, place: Place) -> PlaceId {
        let next = PlaceId(u32::try_from(self.places.len()).unwrap_or(u32::MAX));
        let id = *self.ids.entry(place.clone()).or_insert(next);
        if id == next {
            self.places.push(place);
        }
        id
    }

    /// Its document, and the path to it.
    pub(in crate::depend) fn path(&self, mut id: PlaceId) -> (Root, Path) {
        let mut path = Vec::new();
        loop {
            match self.places.get(id.0 as usize) {
                Some(Place::Below(above, step)) => {
                    path.push(step.clone());
                    id = *above;
                }
                Some(Place::Root(root)) => {
                    path.reverse();
                    return (*root, path);
                }
                None => return (Root::Input, Vec::new()),
            }
        }
    }

    /// The document that it is in.
    pub(in crate::depend) fn root(&self, mut id: PlaceId) -> Root {
        loop {
            match self.places.get(id.0 as usize) {
                Some(Place::Below(above, _)) => id = *above,
                Some(Place::Root(root)) => return *root,
                None => return Root::Input,
            }
        }
    }

    /// How many steps lie above it.
    pub(in crate::depend) fn depth(&self, mut id: PlaceId) -> usize {
        let mut depth = 0_usize;
        while let Some(Place::Below(above, _)) = self.places.get(id.0 as usize) {
            (id, depth) = (*above, depth.saturating_add(1));
        }
        depth
    }
}
