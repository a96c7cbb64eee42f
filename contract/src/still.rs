//! Where placements stand still: while the brake is on, and where somebody has paused them.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::kind::Gvr;

/// More namespaces than this are named as all of the fleet.
pub const MOST_NAMESPACES: usize = 1_000;
/// So are more kinds than this.
pub const MOST_KINDS: usize = 1_000;
/// And names of more bytes than this: what is told of them fits into a word that the engine takes.
const MOST_BYTES: usize = 96 << 10;

/// What stands still, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Still {
    /// The brake is on there: nothing moves but what is new, what its owner changed, and what was released.
    #[serde(skip_serializing_if = "Scopes::is_empty")]
    pub braked: Scopes,
    /// Somebody paused it: what is placed stays as it is, as under a hold.
    #[serde(skip_serializing_if = "Scopes::is_empty")]
    pub paused: Scopes,
}

/// A part of the fleet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Scopes {
    /// All of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fleet: bool,
    /// What is in these namespaces.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub namespaces: BTreeSet<String>,
    /// Objects of these kinds, as kubectl names them: `deployments.apps`, `pods`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub kinds: BTreeSet<String>,
}

/// One part of the fleet, as people write it: `fleet`, `namespace/shop`, `kind/deployments.apps`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// All of it.
    Fleet,
    /// What is in a namespace.
    Namespace(String),
    /// Objects of a kind.
    Kind(String),
}

/// It is not a part of the fleet.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` names no part of a fleet; write `fleet`, `namespace/NAME`, or `kind/RESOURCE.GROUP` such as `kind/deployments.apps`"
)]
pub struct NoScope(String);

/// How kubectl names a kind: `deployments.apps`, `pods`.
pub fn resource(kind: &Gvr) -> String {
    if kind.group.is_empty() { kind.resource.clone() } else { format!("{}.{}", kind.resource, kind.group) }
}

impl Still {
    /// Returns whether everything may move.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what stands still elsewhere.
    pub fn join(&mut self, other: &Self) {
        self.braked.join(&other.braked);
        self.paused.join(&other.paused);
    }

    /// Returns the same in few words: see [`Scopes::brief`].
    pub fn brief(self) -> Self {
        Self { braked: self.braked.brief(), paused: self.paused.brief() }
    }
}

impl Scopes {
    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        !self.fleet && self.namespaces.is_empty() && self.kinds.is_empty()
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        usize::from(self.fleet) + self.namespaces.len() + self.kinds.len()
    }

    /// Returns whether an object of this kind in this namespace is among them.
    pub fn cover(&self, kind: &Gvr, namespace: &str) -> bool {
        self.fleet || self.namespaces.contains(namespace) || (!self.kinds.is_empty() && self.kinds.contains(&resource(kind)))
    }

    /// Adds one.
    pub fn add(&mut self, scope: Scope) {
        match scope {
            Scope::Fleet => self.fleet = true,
            Scope::Namespace(name) => self.namespaces.extend([name]),
            Scope::Kind(name) => self.kinds.extend([name]),
        }
        if self.namespaces.len() > MOST_NAMESPACES {
            self.fleet = true;
            self.namespaces.clear();
        }
        if self.kinds.len() > MOST_KINDS {
            self.fleet = true;
            self.kinds.clear();
        }
    }

    /// Returns what covers the same, or more, in few words: beside all of the fleet no part of it is named. For who only asks what is
    /// covered; who takes parts away again needs them all.
    pub fn brief(self) -> Self {
        let bytes: usize = self.namespaces.iter().chain(&self.kinds).map(String::len).sum();
        let is_all = self.fleet || bytes > MOST_BYTES;
        if is_all { Self { fleet: true, ..Self::default() } } else { self }
    }

    /// Adds others.
    pub fn join(&mut self, other: &Self) {
        self.fleet |= other.fleet;
        self.namespaces.extend(other.namespaces.iter().cloned());
        self.kinds.extend(other.kinds.iter().cloned());
    }

    /// Takes one away.
    pub fn remove(&mut self, scope: &Scope) {
        match scope {
            Scope::Fleet => self.fleet = false,
            Scope::Namespace(name) => self.namespaces.retain(|known| known != name),
            Scope::Kind(name) => self.kinds.retain(|known| known != name),
        }
    }

    /// Reads them from lines or a list with commas; what names none is returned beside them.
    pub fn read(text: &str) -> (Self, Vec<NoScope>) {
        let (mut scopes, mut others) = (Self::default(), Vec::new());
        for word in text.split(['\n', ',']).map(str::trim).filter(|word| !word.is_empty()) {
            match word.parse() {
                Ok(scope) => scopes.add(scope),
                Err(other) => others.push(other),
            }
        }
        (scopes, others)
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fleet = self.fleet.then_some(Scope::Fleet).into_iter();
        let namespaces = self.namespaces.iter().cloned().map(Scope::Namespace);
        let kinds = self.kinds.iter().cloned().map(Scope::Kind);
        for (number, scope) in fleet.chain(namespaces).chain(kinds).enumerate() {
            write!(f, "{}{scope}", if number > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

impl FromStr for Scope {
    type Err = NoScope;

    fn from_str(word: &str) -> Result<Self, NoScope> {
        let is_name = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte))
        };
        match word.split_once('/') {
            None if word == "fleet" => Ok(Self::Fleet),
            Some(("namespace", name)) if is_name(name) => Ok(Self::Namespace(name.to_owned())),
            Some(("kind", name)) if is_name(name) => Ok(Self::Kind(name.to_owned())),
            _ => Err(NoScope(word.to_owned())),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fleet => f.write_str("fleet"),
            Self::Namespace(name) => write!(f, "namespace/{name}"),
            Self::Kind(name) => write!(f, "kind/{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gvr(text: &str) -> Gvr {
        Gvr::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn parts_of_a_fleet_are_read_as_they_are_written() {
        let (scopes, others) = Scopes::read("namespace/shop, kind/deployments.apps\n\nkind/pods,");
        assert_eq!((scopes.to_string().as_str(), others.len()), ("namespace/shop, kind/deployments.apps, kind/pods", 0));
        let (deployments, pods) = (gvr("apps/v1/deployments"), gvr("v1/pods"));
        assert!(scopes.cover(&deployments, "any") && scopes.cover(&pods, "") && scopes.cover(&gvr("v1/services"), "shop"));
        assert!(!scopes.cover(&gvr("v1/services"), "any") && !scopes.cover(&gvr("other/v1/deployments"), ""));
        assert!(Scopes::read("fleet").0.cover(&pods, "any"));
    }

    #[test]
    fn what_names_none_is_said() {
        for word in ["fleets", "namespace/", "namespace shop", "kind/Deployment", "cluster/c1", "namespace/a/b"] {
            let (scopes, others) = Scopes::read(word);
            assert!(scopes.is_empty() && others.len() == 1, "{word}");
            assert!(others[0].to_string().contains("kind/deployments.apps"), "{word}");
        }
    }

    #[test]
    fn too_many_namespaces_are_all_of_the_fleet() {
        let mut scopes = Scopes::default();
        (0..=MOST_NAMESPACES).for_each(|number| scopes.add(Scope::Namespace(number.to_string())));
        assert!(scopes.fleet && scopes.namespaces.is_empty());
    }

    #[test]
    fn too_many_kinds_are_all_of_the_fleet() {
        let mut scopes = Scopes::default();
        (0..MOST_KINDS).for_each(|number| scopes.add(Scope::Kind(number.to_string())));
        assert!(!scopes.fleet && scopes.kinds.len() == MOST_KINDS);
        scopes.add(Scope::Kind("more".into()));
        assert!(scopes.fleet && scopes.kinds.is_empty());
    }

    #[test]
    fn all_of_the_fleet_is_told_without_its_parts_which_are_there_when_it_is_resumed() {
        let (mut scopes, _) = Scopes::read("namespace/a, fleet, kind/pods");
        assert_eq!(scopes.clone().brief(), Scopes::read("fleet").0);
        scopes.remove(&Scope::Fleet);
        assert_eq!(scopes.clone().brief().to_string(), "namespace/a, kind/pods");
    }

    #[test]
    fn what_is_told_is_short_whatever_the_names() {
        let names = |length: usize| (0..MOST_KINDS).map(move |number| format!("{number:0length$}"));
        let scopes = |length| Scopes { fleet: false, namespaces: names(63).collect(), kinds: names(length).collect() };
        for (length, is_all) in [(30, false), (253, true)] {
            let still = Still { braked: scopes(length), paused: scopes(length) }.brief();
            assert_eq!((still.braked.fleet, still.paused.fleet), (is_all, is_all), "{length}");
            assert!(serde_json::to_string(&still).unwrap().len() < 250 << 10, "{length}");
        }
    }

    #[test]
    fn what_a_newer_version_says_beside_is_left_aside() {
        let word = r#"{"braked":{"fleet":true,"clusters":["c1"]},"paused":{"namespaces":["a"]},"frozen":{}}"#;
        let still: Still = serde_json::from_str(word).unwrap();
        assert_eq!(still, Still { braked: Scopes::read("fleet").0, paused: Scopes::read("namespace/a").0 });
    }
}
