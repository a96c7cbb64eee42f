//! What developers keep in their files: objects without any annotation of ours.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::super::e2e::{REQUIRES_PCI, replica_set};
use super::chance::Chance;

/// One file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct File {
    pub(super) asks: bool,
    replicas: u64,
    label: u64,
    pub(super) way: Way,
}

/// How it is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// `kubectl apply`.
    ClientSide,
    /// `kubectl apply --server-side`.
    ServerSide,
    /// `kubectl replace`.
    Replace,
}

/// All of them, by object.
#[derive(Debug, Default)]
pub(super) struct Files {
    files: BTreeMap<String, File>,
    next: u32,
}

impl Files {
    /// A new one; mostly its object asks for PCI.
    pub(super) fn add(&mut self, chance: &mut Chance) -> String {
        let ways = [Way::ClientSide, Way::ServerSide, Way::Replace];
        let file = File { asks: !chance.one_in(5), replicas: 3, label: 0, way: ways[chance.below(3)] };
        let name = format!("web-{}", self.next);
        self.next += 1;
        self.files.insert(name.clone(), file);
        name
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.files.remove(name);
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// One of them, if there is any.
    pub(super) fn pick(&self, chance: &mut Chance) -> Option<String> {
        if self.files.is_empty() { None } else { self.files.keys().nth(chance.below(self.files.len())).cloned() }
    }

    /// Some change of what a file says.
    pub(super) fn edit(&mut self, name: &str, chance: &mut Chance) {
        let Some(file) = self.files.get_mut(name) else { return };
        match chance.below(3) {
            0 => file.asks = !file.asks,
            1 => file.replicas += 1,
            _ => file.label += 1,
        }
    }

    /// What it says now.
    pub(super) fn object(&self, name: &str) -> Option<(File, Json)> {
        let file = *self.files.get(name)?;
        let mut object = replica_set(name);
        object["spec"]["replicas"] = file.replicas.into();
        object["metadata"]["labels"]["release"] = format!("r{}", file.label).into();
        if file.asks {
            object["metadata"]["annotations"] = json!({REQUIRES_PCI: "true"});
        }
        Some((file, object))
    }
}
