//! The data of a bundle or a directory, put together of files: each stands where its folder is, objects are merged.

use serde_json::Value as Json;

use crate::state::{Incoming, Members, Node, opened};

/// Why a file's content cannot stand beside the others'.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DataError {
    /// At the root there are names, and nothing else can be.
    #[error("the root document must be an object")]
    NotAnObject,
    /// Two files have something here that is not an object in both.
    #[error(transparent)]
    Conflict(#[from] Conflict),
}

/// Two documents have something at one path that is not an object in both. Holds the names of the path, with slashes between them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("another file has data at `{0}` already")]
pub struct Conflict(pub String);

impl Conflict {
    /// Returns the same conflict as it is seen from an object above, in which the path begins with `name`.
    #[must_use]
    pub fn below(self, name: &str) -> Self {
        Self(format!("{name}/{}", self.0))
    }
}

/// Data below `data`, of files that were read one by one. Cloning is cheap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    /// An object that two files have a part of is a branch, however deep it is.
    members: Members,
}

impl Data {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the names at the root with what stands there.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.members.iter().map(|(name, node)| (name.as_ref(), node))
    }

    /// Returns what stands at a path, for a place there; `None` where nothing stands.
    pub fn at(&self, path: &[String]) -> Option<Incoming> {
        let root = Node::Branch(self.members.clone());
        let found =
            path.iter().enumerate().try_fold(root, |node, (depth, name)| members(&node, depth)?.get(name.as_str()).cloned());
        found.map(|node| Incoming::placed_at(&node, path.len()))
    }

    /// Returns all of it as one value. Fails when what was encoded here cannot be read, which never happens.
    pub fn decode(&self) -> Result<Json, serde_json::Error> {
        Node::Branch(self.members.clone()).decode()
    }

    /// Puts a file's content, read for the depth of its folder, where that is. Fails where both have something that is no object in
    /// both.
    pub fn insert(&mut self, path: &str, value: &Incoming) -> Result<(), DataError> {
        let folder = folder(path);
        let added = match folder.split_first() {
            None => value.members().ok_or(DataError::NotAnObject)?,
            Some((first, rest)) => {
                let wrap = |inner, name: &String| Node::Branch(Members::unit(name.as_str().into(), inner));
                Members::unit(first.as_str().into(), rest.iter().rev().fold(value.placed(folder.len()), wrap))
            }
        };
        Ok(merge(&mut self.members, added, 1)?)
    }
}

impl From<Members> for Data {
    fn from(members: Members) -> Self {
        Self { members }
    }
}

/// Returns the names before the last one of a file's path: where in `data` its content stands.
pub fn folder(path: &str) -> Vec<String> {
    let mut parts: Vec<_> = path.split('/').map(str::to_owned).collect();
    parts.pop();
    parts
}

/// The members of an object that stands so many names below `data`, kept whole or not.
pub fn members(node: &Node, depth: usize) -> Option<Members> {
    match node {
        Node::Branch(members) => Some(members.clone()),
        Node::Leaf(leaf) => opened(leaf, depth),
    }
}

/// Merges objects. Fails where both have something that is not an object in both, with the path to it.
fn merge(into: &mut Members, from: Members, depth: usize) -> Result<(), Conflict> {
    for (name, node) in from {
        let Some(old) = into.get_mut(name.as_ref()) else {
            into.insert(name, node);
            continue;
        };
        // Taken out: who else holds it is not asked for a copy.
        let (Some(mut both), Some(added)) = (members(old, depth), members(&node, depth)) else {
            return Err(Conflict(name.to_string()));
        };
        *old = Node::empty();
        merge(&mut both, added, depth + 1).map_err(|inner| inner.below(&name))?;
        *old = Node::Branch(both);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::management::bundles::BundleError;
    use crate::management::bundles::content::insert;

    fn read(files: &[(&str, Json)]) -> Result<Data, String> {
        let mut data = Data::default();
        for (path, value) in files {
            let value = Incoming::of(value, folder(path).len());
            data.insert(path, &value).map_err(|error| error.to_string())?;
        }
        Ok(data)
    }

    #[test]
    fn what_is_kept_whole_is_opened_for_what_another_file_has_in_it() {
        let deep = json!({"a": {"b": {"c": {"d": {"e": {"x": 1}}}}}, "o": {"apiVersion": "v1", "kind": "K"}});
        let files = [("data.json", deep), ("a/b/c/d/e/data.json", json!({"y": [2]})), ("o/metadata/data.json", json!({"n": 1}))];
        let data = read(&files).unwrap();
        let all = json!({
            "a": {"b": {"c": {"d": {"e": {"x": 1, "y": [2]}}}}},
            "o": {"apiVersion": "v1", "kind": "K", "metadata": {"n": 1}},
        });
        assert_eq!(data.decode().unwrap(), all);
        let root = data.at(&[]).unwrap();
        assert_eq!(root, Incoming::of(&all, 0), "as if it had been one file");
        assert_eq!(root.levels(), 7);
        for (path, expected) in
            [("a/b/c/d/e/y", Some(json!([2]))), ("o", Some(all["o"].clone())), ("o/kind/x", None), ("q", None)]
        {
            let path: Vec<_> = path.split('/').map(str::to_owned).collect();
            assert_eq!(data.at(&path), expected.map(|value| Incoming::of(&value, path.len())), "{path:?}");
        }
    }

    #[test]
    fn what_is_no_object_in_both_is_a_conflict_with_its_path() {
        let conflict = |first: Json, second: Json| read(&[("data.json", first), ("a/b/data.json", second)]).unwrap_err();
        assert!(conflict(json!({"a": {"b": {"c": 1}}}), json!({"c": 2})).contains("at `a/b/c`"));
        assert!(conflict(json!({"a": {"b": [1]}}), json!({})).contains("at `a/b`"));
        assert!(conflict(json!({"a": 1}), json!({})).contains("at `a`"));
        assert!(read(&[("data.json", json!([]))]).unwrap_err().contains("must be an object"));
    }

    fn any_value() -> impl Strategy<Value = Json> {
        let scalar =
            prop_oneof![Just(json!(1)), Just(json!([{"a": 1}])), Just(json!({"apiVersion": "v1", "kind": "K", "metadata": {}}))];
        let name = prop_oneof!["[ab]", Just("kind".to_owned()), Just("metadata".to_owned())];
        scalar.prop_recursive(6, 20, 3, move |inner| {
            prop::collection::btree_map(name.clone(), inner, 0..3).prop_map(|members| members.into_iter().collect::<Json>())
        })
    }

    proptest! {
        #[test]
        fn files_come_to_what_their_trees_come_to(
            files in prop::collection::vec((prop::collection::vec("[ab]", 0..6), any_value()), 1..5),
        ) {
            let (mut data, mut tree) = (Data::default(), serde_json::Map::new());
            for (folder, value) in &files {
                let path = [folder.as_slice(), &["data.json".to_owned()]].concat().join("/");
                let ours = data.insert(&path, &Incoming::of(value, folder.len())).map_err(|error| error.to_string());
                let theirs = insert(&mut tree, &path, value.clone()).map_err(|error| match error {
                    BundleError::Invalid { why, .. } => why.to_string(),
                    other => other.to_string(),
                });
                prop_assert_eq!(&ours, &theirs);
                if ours.is_err() {
                    return Ok(());
                }
            }
            let tree = Json::Object(tree);
            prop_assert_eq!(data.decode().unwrap(), tree.clone());
            prop_assert_eq!(data.at(&[]).unwrap().placed(0), Incoming::of(&tree, 0).placed(0));
            let below = tree.get("a").and_then(|a| a.get("b")).map(|value| Incoming::of(value, 2).placed(2));
            prop_assert_eq!(data.at(&["a".into(), "b".into()]).map(|found| found.placed(2)), below);
        }
    }
}
