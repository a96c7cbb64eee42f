//! Fields that are left out of the state: JSON pointers in which `*` stands for every element.

use plimsoll_contract::pointer;
use serde_json::Value as Json;

/// A pointer that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("prune: `{0}` is not a JSON pointer such as `/status/conditions`, in which `~` is written `~0`")]
pub struct InvalidPointer(String);

/// Pointers of a kind, taken apart once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prune {
    paths: Vec<Vec<String>>,
}

impl Prune {
    /// Reads pointers such as `/status/conditions/*/lastHeartbeatTime`; an error names the one that is none.
    pub fn new<S: AsRef<str>>(pointers: &[S]) -> Result<Self, InvalidPointer> {
        let paths = pointers.iter().map(|text| {
            let text = text.as_ref();
            pointer::names(text).ok_or_else(|| InvalidPointer(text.to_owned()))
        });
        Ok(Self { paths: paths.collect::<Result<_, InvalidPointer>>()? })
    }

    /// Removes the fields.
    pub fn apply(&self, document: &mut Json) {
        self.paths.iter().for_each(|path| remove(document, path));
    }
}

fn remove(at: &mut Json, path: &[String]) {
    let Some((name, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        return remove_here(at, name);
    }
    match at {
        Json::Object(members) if name == "*" => members.values_mut().for_each(|child| remove(child, rest)),
        Json::Array(elements) if name == "*" => elements.iter_mut().for_each(|child| remove(child, rest)),
        Json::Object(members) => {
            if let Some(child) = members.get_mut(name) {
                remove(child, rest);
            }
        }
        Json::Array(elements) => {
            if let Some(child) = name.parse::<usize>().ok().and_then(|i| elements.get_mut(i)) {
                remove(child, rest);
            }
        }
        _ => {}
    }
}

fn remove_here(at: &mut Json, name: &str) {
    match at {
        Json::Object(members) if name == "*" => members.clear(),
        Json::Array(elements) if name == "*" => elements.clear(),
        Json::Object(members) => drop(members.remove(name)),
        Json::Array(elements) => {
            if let Some(i) = name.parse().ok().filter(|i| *i < elements.len()) {
                elements.remove(i);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn t06_heartbeats_are_pruned_from_every_condition() {
        let prune = Prune::new(&["/status/conditions/*/lastHeartbeatTime", "/metadata/managedFields", "/a~1b/0"]).unwrap();
        let mut object = json!({
            "a/b": [1, 2],
            "metadata": {"name": "n", "managedFields": [1]},
            "status": {"conditions": [{"type": "Ready", "lastHeartbeatTime": "x"}, {"type": "Other"}, 3]},
        });
        prune.apply(&mut object);
        let expected = json!({
            "a/b": [2],
            "metadata": {"name": "n"},
            "status": {"conditions": [{"type": "Ready"}, {"type": "Other"}, 3]},
        });
        assert_eq!(object, expected);
    }

    #[test]
    fn what_is_no_pointer_is_refused_by_name() {
        for pointer in ["", "/", "status", "$.status", "/spec/x~2"] {
            let error = Prune::new(&[pointer]).unwrap_err().to_string();
            assert!(error.contains(&format!("`{pointer}`")), "{error}");
        }
    }

    #[test]
    fn a_path_that_leads_nowhere_removes_nothing() {
        let mut object = json!({"a": {"b": [1]}});
        Prune::new(&["/a/c/d", "/a/b/7", "/a/b/x", "/a/b/0/z", "/x/*"]).unwrap().apply(&mut object);
        assert_eq!(object, json!({"a": {"b": [1]}}));
    }
}
