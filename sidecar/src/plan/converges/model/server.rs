//! The model's API server.

use super::{KEY, Object, Way, World};
use crate::plan::answer::{Answer, Reverted};
use crate::plan::row::Patch;

impl World {
    pub(super) fn change(&mut self, number: usize, change: impl FnOnce(&mut Object)) {
        self.version += 1;
        if let Some(object) = &mut self.stored[number] {
            change(object);
            object.version = self.version;
        }
    }

    pub(super) fn set(&mut self, number: usize, value: u32) {
        self.change(number, |object| {
            object.value = value;
            object.content += 1;
        });
    }

    pub(super) fn delete_or_create(&mut self, number: usize) {
        self.version += 1;
        self.stored[number] = match self.stored[number] {
            Some(_) => None,
            None => Some(Object { uid: self.version as u32, version: self.version, content: 0, value: 0 }),
        };
    }

    /// As the API server and [`crate::write::apply`] do it together.
    pub(super) fn patch(&mut self, patch: &Patch, way: Way) -> Answer {
        let number: usize = patch.subject.name.parse().unwrap();
        let Some(object) = self.stored[number].clone() else { return Answer::Gone };
        let is_same = patch.subject.uid == object.uid.to_string() && patch.seen == Some(object.content.to_string());
        if object.version.to_string() != patch.subject.resource_version && !is_same {
            return Answer::Conflict { version: (number != 0).then(|| object.version.to_string()) };
        }
        let value: u32 = patch.annotations[KEY].as_ref().unwrap().parse().unwrap();
        if let Way::Undone { bumps } = way
            && object.value != value
        {
            if bumps {
                self.change(number, |object| object.content += 1);
            }
            return Answer::Reverted(Reverted { keys: vec![KEY.into()], managers: vec![] });
        }
        if object.value != value {
            self.set(number, value);
        }
        Answer::Patched { version: self.stored[number].as_ref().unwrap().version.to_string() }
    }
}
