//! Objects whose next initializer we are, by name; each in its latest version.

use std::collections::BTreeMap;

use plimsoll_contract::source::ObjectName;

use super::turn::Turn;
use crate::replicate::object::{Change, Object};
use crate::replicate::reflector::Step;

/// What is left to do.
#[derive(Debug, Default)]
pub(super) struct Waiting(BTreeMap<ObjectName, Turn>);

impl Waiting {
    /// Takes in what the API server told.
    pub(super) fn take(&mut self, step: Step, initializer: &str) {
        match step {
            Step::Page(objects) => objects.iter().for_each(|object| self.put(object, initializer)),
            Step::Change(Change::Put(object), _) => self.put(&object, initializer),
            Step::Change(Change::Remove(name), _) => drop(self.0.remove(&name)),
            // What is not in a list any more is found to be gone when its turn comes.
            Step::Begin(_) | Step::End | Step::Current(_) | Step::Trouble(_) => {}
        }
    }

    fn put(&mut self, object: &Object, initializer: &str) {
        match Turn::of(object, initializer) {
            Some(turn) => drop(self.0.insert(object.name.clone(), turn)),
            None => drop(self.0.remove(&object.name)),
        }
    }

    /// The next one; it is not waiting any more.
    pub(super) fn next(&mut self) -> Option<Turn> {
        self.0.pop_first().map(|(_, turn)| turn)
    }

    /// It is still to be done.
    pub(super) fn put_back(&mut self, turn: Turn) {
        self.0.insert(turn.name.clone(), turn);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::initialize::turn::tests::object;

    #[test]
    fn only_the_latest_version_waits() {
        let ours = object(json!({"pending": [{"name": "we.x.y"}]}));
        let name = ours.name.clone();
        let newer = Object { resource_version: "8".into(), ..ours.clone() };
        let done = object(json!(null));
        let change = |object: &Object| Step::Change(Change::Put(object.clone()), None);
        let table = [
            (vec![Step::Page(vec![ours.clone()])], Some("7")),
            (vec![Step::Page(vec![ours.clone()]), change(&newer)], Some("8")),
            (vec![change(&ours), change(&done)], None),
            (vec![change(&ours), Step::Change(Change::Remove(name), None)], None),
            (vec![change(&done)], None),
        ];
        for (steps, expected) in table {
            let mut waiting = Waiting::default();
            let told = format!("{steps:?}");
            steps.into_iter().for_each(|step| waiting.take(step, "we.x.y"));
            assert_eq!(waiting.is_empty(), expected.is_none(), "{told}");
            let turn = waiting.next();
            assert_eq!(turn.as_ref().map(|turn| turn.resource_version.as_str()), expected, "{told}");
            assert!(waiting.is_empty());
            if let Some(turn) = turn {
                waiting.put_back(turn);
                assert!(!waiting.is_empty());
            }
        }
    }
}
