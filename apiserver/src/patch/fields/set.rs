//! Sets of fields. A set is a tree; a node that is a member is in the set, its parents need not be. Source:
//! `structured-merge-diff` `fieldpath/set.go`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use super::element::Element;

/// Fields of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Set {
    nodes: BTreeMap<Element, Node>,
}

/// One field, and what of the set lies below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Node {
    /// Whether the field itself is in the set.
    pub(crate) member: bool,
    /// Below it.
    pub(crate) children: Set,
}

/// Where a field is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path(pub(crate) Vec<Element>);

impl fmt::Display for Path {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|element| element.fmt(out))
    }
}

impl Node {
    /// A leaf of the set.
    pub(crate) fn leaf() -> Self {
        Self { member: true, children: Set::default() }
    }

    fn is_empty(&self) -> bool {
        !self.member && self.children.is_empty()
    }

    fn combined(&self, other: &Self, member: fn(bool, bool) -> bool, children: fn(&Set, &Set) -> Set) -> Self {
        Self { member: member(self.member, other.member), children: children(&self.children, &other.children) }
    }
}

static NOTHING: Set = Set { nodes: BTreeMap::new() };

impl Set {
    /// The set of these field paths: names only.
    pub(crate) fn of_fields<'a>(paths: impl IntoIterator<Item = &'a [&'a str]>) -> Self {
        let mut set = Self::default();
        for path in paths {
            let elements: Vec<Element> = path.iter().map(|name| Element::field(name)).collect();
            set.insert(&elements);
        }
        set
    }

    /// Whether nothing is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The field at `path`; not its parents. Nobody owns the whole object, so the empty path is nothing.
    pub(crate) fn insert(&mut self, path: &[Element]) {
        let Some((first, rest)) = path.split_first() else { return };
        let node = self.nodes.entry(first.clone()).or_default();
        match rest {
            [] => node.member = true,
            rest => node.children.insert(rest),
        }
    }

    /// Adds `node` to what is known of `element`.
    pub(crate) fn absorb(&mut self, element: Element, node: Node) {
        if node.is_empty() {
            return;
        }
        match self.nodes.entry(element) {
            Entry::Vacant(place) => {
                place.insert(node);
            }
            Entry::Occupied(mut present) => {
                let present = present.get_mut();
                present.member |= node.member;
                present.children.absorb_all(node.children);
            }
        }
    }

    /// Whether the child itself is in the set.
    pub(crate) fn has(&self, element: &Element) -> bool {
        self.nodes.get(element).is_some_and(|node| node.member)
    }

    /// Whether the field at `path` is in the set.
    pub(crate) fn has_path(&self, path: &[Element]) -> bool {
        match path.split_first() {
            None => false,
            Some((last, [])) => self.has(last),
            Some((first, rest)) => self.below(first).has_path(rest),
        }
    }

    /// What lies below a child.
    pub(crate) fn below(&self, element: &Element) -> &Self {
        self.nodes.get(element).map_or(&NOTHING, |node| &node.children)
    }

    /// Each child with its node.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (&Element, &Node)> {
        self.nodes.iter()
    }

    /// Takes in all of `other`.
    pub(crate) fn absorb_all(&mut self, other: Self) {
        if self.nodes.is_empty() {
            *self = other;
            return;
        }
        for (element, node) in other.nodes {
            self.absorb(element, node);
        }
    }

    /// What is in either.
    pub(crate) fn union(&self, other: &Self) -> Self {
        let mut union = self.clone();
        union.absorb_all(other.clone());
        union
    }

    /// What is in both.
    pub(crate) fn intersection(&self, other: &Self) -> Self {
        self.mapped(|element, node| {
            let other = other.nodes.get(element)?;
            Some(node.combined(other, |left, right| left && right, Self::intersection))
        })
    }

    /// What is in this one alone. A parent and its child are two: neither takes the other with it.
    pub(crate) fn difference(&self, other: &Self) -> Self {
        self.mapped(|element, node| match other.nodes.get(element) {
            None => Some(node.clone()),
            Some(other) => Some(node.combined(other, |left, right| left && !right, Self::difference)),
        })
    }

    fn mapped(&self, change: impl Fn(&Element, &Node) -> Option<Node>) -> Self {
        let changed = self.nodes.iter().filter_map(|(element, node)| Some((element.clone(), change(element, node)?)));
        Self { nodes: changed.filter(|(_, node)| !node.is_empty()).collect() }
    }

    /// Every field in the set, parents before what is below them, siblings together.
    pub(crate) fn paths(&self) -> Vec<Path> {
        let mut paths = Vec::new();
        self.collect_paths(&mut Vec::new(), &mut paths);
        paths
    }

    fn collect_paths(&self, prefix: &mut Vec<Element>, paths: &mut Vec<Path>) {
        for (element, _) in self.nodes.iter().filter(|(_, node)| node.member) {
            let mut path = prefix.clone();
            path.push(element.clone());
            paths.push(Path(path));
        }
        for (element, node) in &self.nodes {
            prefix.push(element.clone());
            node.children.collect_paths(prefix, paths);
            prefix.pop();
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Any set, small.
    pub(in crate::patch::fields) fn any_set() -> impl Strategy<Value = Set> {
        let element = prop_oneof![
            "[ab]".prop_map(Element::Field),
            "[ab]".prop_map(|name| Element::parse(&format!(r#"k:{{"name":"{name}"}}"#)).unwrap().unwrap()),
            (0i64..2).prop_map(|value| Element::parse(&format!("v:{value}")).unwrap().unwrap()),
        ];
        prop::collection::vec(prop::collection::vec(element, 1..4), 0..6).prop_map(|paths| {
            let mut set = Set::default();
            paths.iter().for_each(|path| set.insert(path));
            set
        })
    }

    fn set(paths: &[&[&str]]) -> Set {
        Set::of_fields(paths.iter().copied())
    }

    #[test]
    fn parents_and_children_are_apart() {
        let parent = set(&[&["a"]]);
        let child = set(&[&["a", "b"]]);
        assert_eq!(parent.difference(&child), parent);
        assert_eq!(child.difference(&parent), child);
        assert!(parent.intersection(&child).is_empty());
        let both = parent.union(&child);
        assert_eq!(both.paths().iter().map(ToString::to_string).collect::<Vec<_>>(), [".a", ".a.b"]);
    }

    #[test]
    fn paths_list_siblings_before_what_is_below_them() {
        let paths = set(&[&["a", "x"], &["b"], &["a"]]).paths();
        assert_eq!(paths.iter().map(ToString::to_string).collect::<Vec<_>>(), [".a", ".b", ".a.x"]);
    }

    proptest! {
        #[test]
        fn the_algebra_holds(a in any_set(), b in any_set(), c in any_set()) {
            prop_assert_eq!(a.union(&b), b.union(&a));
            prop_assert_eq!(a.union(&b).union(&c), a.union(&b.union(&c)));
            prop_assert_eq!(a.intersection(&b), b.intersection(&a));
            prop_assert_eq!(a.intersection(&b.union(&c)), a.intersection(&b).union(&a.intersection(&c)));
            prop_assert_eq!(a.difference(&b).union(&a.intersection(&b)), a.clone());
            prop_assert!(a.difference(&b).intersection(&b).is_empty());
            prop_assert_eq!(a.difference(&a), Set::default());
            prop_assert_eq!(a.union(&a), a.clone());
        }

        #[test]
        fn membership_follows_the_algebra(a in any_set(), b in any_set()) {
            let everything = a.union(&b);
            for Path(path) in everything.paths() {
                prop_assert!(everything.has_path(&path));
                prop_assert_eq!(a.intersection(&b).has_path(&path), a.has_path(&path) && b.has_path(&path));
                prop_assert_eq!(a.difference(&b).has_path(&path), a.has_path(&path) && !b.has_path(&path));
            }
        }
    }
}
