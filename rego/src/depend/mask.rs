//! What is read, followed down a document: for who reads a text and keeps no more of it than is read.
//!
//! Where a mask leaves something out, [`Reads::project`] leaves it out, too: of what is kept it makes the same, unless a number that could be
//! written otherwise (`1.0`) was left out. Such a text is to be read as a whole.

use super::path::{Part, Tree};
use super::reads::Reads;
use crate::value::Value;

/// The parts of one value that are read, down to its members and items.
#[derive(Clone, Debug)]
pub struct Mask<'r> {
    /// At least one.
    trees: Vec<&'r Tree>,
}

impl Reads {
    /// Returns what is read of `input`.
    pub fn mask(&self) -> Mask<'_> {
        Mask { trees: vec![self.input.tree()] }
    }
}

impl<'r> Mask<'r> {
    /// Returns whether all of the value is read.
    pub fn is_whole(&self) -> bool {
        self.reads(Part::Whole)
    }

    /// Returns whether it is read which members an object has, or how many items an array.
    pub fn has_keys(&self) -> bool {
        self.reads(Part::Keys)
    }

    /// Returns what is read of the member of this name; `None` is nothing.
    pub fn member(&self, name: &str) -> Option<Self> {
        let name = Value::from(name);
        Self::of(self.trees.iter().flat_map(|tree| tree.at(&name)).collect())
    }

    /// Returns what is read of any item of an array, wherever it stands; `None` is nothing.
    pub fn item(&self) -> Option<Self> {
        Self::of(self.trees.iter().flat_map(|tree| tree.keys.values().chain(tree.any.as_deref())).collect())
    }

    fn of(trees: Vec<&'r Tree>) -> Option<Self> {
        (!trees.is_empty()).then_some(Self { trees })
    }

    fn reads(&self, part: Part) -> bool {
        self.trees.iter().any(|tree| tree.part >= Some(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::depend::{PathSet, Step};

    fn reads(paths: &[(&[&str], Part)]) -> Reads {
        let step = |name: &&str| match name.parse::<usize>() {
            _ if *name == "*" => Step::Any,
            Ok(index) => Step::Key(Value::from(index)),
            Err(_) => Step::Key(Value::from(*name)),
        };
        let input = PathSet::of(paths.iter().map(|(path, part)| (path.iter().map(step).collect(), *part)));
        Reads { input, ..Reads::default() }
    }

    #[test]
    fn it_leads_to_what_is_read() {
        let reads = reads(&[(&["a", "b"], Part::Whole), (&["a"], Part::Keys), (&["c", "*", "d"], Part::Scalar)]);
        let mask = reads.mask();
        let a = mask.member("a").unwrap();
        assert!(a.has_keys() && !a.is_whole() && a.member("b").unwrap().is_whole());
        assert!(a.member("other").is_none() && mask.member("other").is_none() && mask.item().unwrap().has_keys());
        let c = mask.member("c").unwrap();
        assert!(!c.has_keys() && c.member("any").unwrap().member("d").is_some() && c.item().unwrap().member("e").is_none());
    }

    #[test]
    fn an_item_is_read_as_one_at_any_index_is() {
        let reads = reads(&[(&["a", "0", "x"], Part::Whole), (&["a", "1", "y"], Part::Whole), (&["a", "*", "z"], Part::Whole)]);
        let item = reads.mask().member("a").unwrap().item().unwrap();
        assert!(["x", "y", "z"].into_iter().all(|name| item.member(name).unwrap().is_whole()));
    }
}
