//! Sets of paths, as trees.

use std::collections::BTreeMap;

use super::{Part, Path, Step};
use crate::value::Value;

/// What is read of one document: paths, and what is read of the value at each. No path lies inside another one that is read whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathSet {
    tree: Tree,
}

/// What is read of a value and of what is inside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::depend) struct Tree {
    pub(in crate::depend) part: Option<Part>,
    pub(in crate::depend) keys: BTreeMap<Value, Self>,
    pub(in crate::depend) any: Option<Box<Self>>,
}

impl PathSet {
    /// The smallest set with all of these.
    pub fn of(paths: impl IntoIterator<Item = (Path, Part)>) -> Self {
        let mut tree = Tree::default();
        for (path, part) in paths {
            let at = path.into_iter().fold(&mut tree, Tree::below);
            at.part = at.part.max(Some(part));
        }
        tree.reduce();
        Self { tree }
    }

    /// Whether nothing is read.
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// All paths, with what is read of the values there: keys in OPA's order, then what is read of each key.
    pub fn paths(&self) -> Vec<(Path, Part)> {
        let mut found = Vec::new();
        self.tree.list(&mut Vec::new(), &mut found);
        found
    }

    /// Whether a change at a path can change what is read: of the value there, of what is inside it, or whether it is there. What it
    /// lies in is there before and after.
    /// (Projections are wider where numbers are written in an unusual way, see [`super::super::Reads::project`].)
    pub fn touches(&self, path: &[Value]) -> bool {
        let mut trees = vec![&self.tree];
        for (at, key) in path.iter().enumerate() {
            let part = if path.len() == at.saturating_add(1) { Part::Keys } else { Part::Whole };
            if trees.iter().any(|tree| tree.part >= Some(part)) {
                return true;
            }
            trees = trees.into_iter().flat_map(|tree| tree.at(key)).collect();
        }
        trees.iter().any(|tree| !tree.is_empty())
    }

    pub(in crate::depend) fn tree(&self) -> &Tree {
        &self.tree
    }
}

impl Tree {
    fn is_empty(&self) -> bool {
        self.part.is_none() && self.keys.is_empty() && self.any.is_none()
    }

    fn below(&mut self, step: Step) -> &mut Self {
        match step {
            Step::Key(key) => self.keys.entry(key).or_default(),
            Step::Any => self.any.get_or_insert_default(),
        }
    }

    /// What is read of the member of a key.
    pub(in crate::depend) fn at(&self, key: &Value) -> impl Iterator<Item = &Self> {
        self.keys.get(key).into_iter().chain(self.any.as_deref())
    }

    /// Drops what is included in something else.
    fn reduce(&mut self) {
        if self.part == Some(Part::Whole) {
            self.keys.clear();
            self.any = None;
        }
        self.keys.values_mut().for_each(Self::reduce);
        if let Some(any) = &mut self.any {
            any.reduce();
            self.keys.retain(|_, tree| !any.includes(tree));
        }
    }

    fn includes(&self, other: &Self) -> bool {
        let below = |key: &Value, tree: &Self| self.at(key).any(|here| here.includes(tree));
        self.part == Some(Part::Whole)
            || (self.part >= other.part
                && other.keys.iter().all(|(key, tree)| below(key, tree))
                && other.any.as_ref().is_none_or(|tree| self.any.as_ref().is_some_and(|any| any.includes(tree))))
    }

    fn list(&self, path: &mut Path, found: &mut Vec<(Path, Part)>) {
        found.extend(self.part.map(|part| (path.clone(), part)));
        let keys = self.keys.iter().map(|(key, tree)| (Step::Key(key.clone()), tree));
        for (step, tree) in keys.chain(self.any.as_deref().map(|tree| (Step::Any, tree))) {
            path.push(step);
            tree.list(path, found);
            path.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Path {
        let step = |name: &str| if name == "*" { Step::Any } else { Step::Key(Value::from(name)) };
        text.split('.').filter(|name| !name.is_empty()).map(step).collect()
    }

    fn set(paths: &[(&str, Part)]) -> PathSet {
        PathSet::of(paths.iter().map(|(text, part)| (path(text), *part)))
    }

    #[test]
    fn what_is_included_in_something_else_is_dropped() {
        let all = set(&[("a.b", Part::Whole), ("a.b.c", Part::Kind), ("x.*.y", Part::Whole), ("x.k.y", Part::Keys)]);
        assert_eq!(all.paths(), [(path("a.b"), Part::Whole), (path("x.*.y"), Part::Whole)]);
    }

    #[test]
    fn what_is_read_further_stays() {
        let all = set(&[("a", Part::Keys), ("a.b", Part::Whole), ("x.*.y", Part::Kind), ("x.k.y", Part::Scalar)]);
        assert_eq!(all.paths().len(), 4);
    }

    #[test]
    fn changes_touch_what_is_read() {
        let all = set(&[("a.b", Part::Whole), ("c", Part::Keys), ("d.*.e", Part::Kind)]);
        let touches = |names: &[&str]| all.touches(&names.iter().map(|name| Value::from(*name)).collect::<Vec<_>>());
        assert!(touches(&["a"]) && touches(&["a", "b", "x"]) && touches(&["c", "new"]) && touches(&["d", "x", "e"]));
        assert!(
            !touches(&["c", "old", "x"])
                && !touches(&["a", "c"])
                && !touches(&["d", "x", "f"])
                && !touches(&["e"])
                && !touches(&["d", "x", "e", "f"])
        );
    }
}
