//! What is said about an object, as an Event; the object itself is named so that `kubectl describe` finds it.

use plimsoll_contract::kind::Gvr;
use plimsoll_contract::moves::Cause;

use super::row::Key;

/// Kubernetes' own limit for an Event's message.
const LONGEST: usize = 1024;

/// Normal or a reason to worry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// As intended.
    Normal,
    /// Somebody should look.
    Warning,
}

/// The reason of an Event; a closed set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A patch was written: the API server's answer shows the object as policy wants it.
    PlacementUpdated,
    /// Patches were written, and each was undone before it was stored.
    PlacementReverted,
    /// A patch would be written, were the mode `auto`.
    PlacementSuggested,
    /// A patch would be written, did the object not ask to be left alone.
    PlacementHeld,
    /// Policy has no opinion any more; the last placement is kept.
    PlacementKept,
    /// The same since the policies changed, and until they have stayed as they are for a while.
    PlacementKeptForNow,
    /// The same, and nothing shows that the placement was policy's own.
    PlacementUnproven,
    /// Policy would not admit the object now.
    PlacementDenied,
    /// Policy found no cluster.
    PlacementNowhere,
    /// No decision could be made.
    PlacementFailed,
    /// The brake is on: moves stand still until somebody releases them.
    BrakeOn,
    /// It is not any more.
    BrakeOff,
    /// A move went past the brake, because policy calls it urgent.
    BrakePassed,
    /// The policy ConfigMap is in force.
    PolicyAccepted,
    /// The policy ConfigMap keeps its whole set from being in force.
    PolicyRejected,
    /// It may contradict another one, or has for an object.
    PolicyConflict,
}

/// The object that is spoken of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    /// Group, version and resource.
    pub gvr: Gvr,
    /// The kind's name.
    pub kind: String,
    /// Empty for cluster-scoped objects.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.uid`; empty where it has to be looked up first.
    pub uid: String,
    /// The version that is spoken of; empty, too, then.
    pub resource_version: String,
}

/// One thing to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// About what.
    pub subject: Subject,
    /// What, for programs.
    pub reason: Reason,
    /// What, for people; at most 1 kB.
    pub message: String,
    /// Of a note on a change: what makes it.
    pub cause: Option<Cause>,
    /// Of a note on many objects at once: these. Each would have had its own.
    pub objects: Vec<Key>,
}

impl Note {
    /// A note; a long message is cut.
    pub fn new(subject: Subject, reason: Reason, message: String) -> Self {
        Self { subject, reason, message: cut(message), cause: None, objects: Vec::new() }
    }

    /// Returns the same note, with what makes the change that it tells of.
    #[must_use]
    pub fn because(self, cause: Option<Cause>) -> Self {
        Self { cause, ..self }
    }

    /// Returns the objects that have nothing said of them when this is not said.
    pub fn keys(self) -> Vec<Key> {
        if self.objects.is_empty() { vec![self.subject.key()] } else { self.objects }
    }
}

impl Subject {
    /// Returns its name.
    pub fn key(&self) -> Key {
        Key { gvr: self.gvr.clone(), namespace: self.namespace.clone(), name: self.name.clone() }
    }

    /// Returns a ConfigMap, of which no more is known than its name.
    pub fn config_map(namespace: &str, name: &str) -> Self {
        Self {
            gvr: Gvr { group: String::new(), version: "v1".into(), resource: "configmaps".into() },
            kind: "ConfigMap".into(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            uid: String::new(),
            resource_version: String::new(),
        }
    }
}

impl Level {
    /// As in Events.
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

impl Reason {
    /// As in Events.
    pub fn name(self) -> &'static str {
        match self {
            Self::PlacementUpdated => "PlacementUpdated",
            Self::PlacementReverted => "PlacementReverted",
            Self::PlacementSuggested => "PlacementSuggested",
            Self::PlacementHeld => "PlacementHeld",
            Self::PlacementKept | Self::PlacementKeptForNow => "PlacementKept",
            Self::PlacementUnproven => "PlacementUnproven",
            Self::PlacementDenied => "PlacementDenied",
            Self::PlacementNowhere => "PlacementNowhere",
            Self::PlacementFailed => "PlacementFailed",
            Self::BrakeOn => "BrakeOn",
            Self::BrakeOff => "BrakeOff",
            Self::BrakePassed => "BrakePassed",
            Self::PolicyAccepted => "PolicyAccepted",
            Self::PolicyRejected => "PolicyRejected",
            Self::PolicyConflict => "PolicyConflict",
        }
    }

    /// Whether it is said of a placed object: all but policies.
    pub fn is_about_placement(self) -> bool {
        !matches!(self, Self::PolicyAccepted | Self::PolicyRejected | Self::PolicyConflict)
    }

    /// Whether it only says what policy would have: where many objects have it of one cause, one note says so for all. What was done, and
    /// what somebody must look at, each object has for itself.
    pub fn is_opinion(self) -> bool {
        matches!(self, Self::PlacementSuggested | Self::PlacementHeld | Self::PlacementKept | Self::PlacementKeptForNow)
    }

    /// Returns the type of the Event.
    pub fn level(self) -> Level {
        match self {
            Self::PlacementUpdated
            | Self::PlacementSuggested
            | Self::PlacementHeld
            | Self::PlacementKept
            | Self::PlacementKeptForNow
            | Self::BrakeOff
            | Self::PolicyAccepted => Level::Normal,
            Self::PlacementReverted
            | Self::PlacementUnproven
            | Self::PlacementDenied
            | Self::PlacementNowhere
            | Self::PlacementFailed
            | Self::BrakeOn
            | Self::BrakePassed
            | Self::PolicyRejected
            | Self::PolicyConflict => Level::Warning,
        }
    }
}

fn cut(message: String) -> String {
    if message.len() <= LONGEST {
        return message;
    }
    let end = (0..=LONGEST - "…".len()).rev().find(|&end| message.is_char_boundary(end)).unwrap_or(0);
    format!("{}…", message.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t15_a_message_is_cut_to_what_an_event_may_hold() {
        for message in ["ü".repeat(2000), "x".repeat(1024), "x".repeat(1025)] {
            let was_short = message.len() <= LONGEST;
            let cut = cut(message);
            assert!(cut.len() <= LONGEST);
            assert_eq!(cut.ends_with('…'), !was_short);
        }
    }
}
