//! Policy has no opinion any more. An absent annotation means *every cluster* to some readers, so what was written is
//! taken back only if policy or the developer changed something; if only state changed, the last placement is kept.
//!
//! Undoing is always believed, keeping is earned: what an object says of itself is user-writable, so what is kept is taken from
//! elsewhere. A new object keeps nothing. A change of a stored object keeps what the stored one had. In a sweep the memory
//! of the decision, or the record's mac, shows that the placement was decided.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_contract::annotations::{APPLIED, Applied, AppliedKey};
use plimsoll_contract::kind::OnNoOpinion;

use super::mac::RecordKeys;
use super::normal_form::NormalForm;

/// What was last decided for an object, kept in memory by the placements table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Last {
    /// Digest of the policy set that decided.
    pub policy: String,
    /// Digest of the object's normal form, if it is a stored object's.
    pub intent: String,
    /// What a record of the decision says; empty if it placed nothing, or as the developer asked.
    pub keys: Arc<BTreeMap<String, AppliedKey>>,
    /// The object was seen with exactly that, and is not to be let go.
    pub written: bool,
}

/// What becomes of a placement that policy no longer has an opinion about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// There is none, or it is taken back.
    Release,
    /// It stays.
    Keep,
    /// It would stay, if anything showed that it was decided.
    Unproven,
}

/// How an object's placement is shown to be one that policy gave.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// What was last decided for it.
    pub memory: Option<&'a Last>,
    /// The keys that records are signed with.
    pub keys: Option<&'a RecordKeys>,
    /// Digest of the policy set in force.
    pub policy: &'a str,
    /// What the kind says.
    pub on_no_opinion: OnNoOpinion,
}

/// The last decision that placed an object.
struct Placed<'a> {
    policy: &'a str,
    intent: &'a str,
    proven: bool,
}

impl Evidence<'_> {
    /// Returns what becomes of the placement on `stored`, which is the object itself in a sweep and what it was before in an
    /// update, now that the developer asks for `intent` (a digest).
    pub fn retention(&self, stored: &NormalForm, intent: &str) -> Retention {
        let Some(placed) = self.placed(stored) else { return Retention::Release };
        let is_changed = placed.policy != self.policy || placed.intent != intent;
        match self.on_no_opinion {
            OnNoOpinion::Release => Retention::Release,
            OnNoOpinion::Keep if is_changed => Retention::Release,
            OnNoOpinion::Keep if placed.proven => Retention::Keep,
            OnNoOpinion::Keep => Retention::Unproven,
        }
    }

    /// Whether what was written on `stored`, if anything was, is shown to have been decided.
    pub fn is_proven(&self, stored: &NormalForm) -> bool {
        stored.written.ours.is_empty() || self.placed(stored).is_some_and(|placed| placed.proven)
    }

    /// From memory, else as far as the object's own record tells. A record is younger than the memory if admission wrote it and
    /// the sweep has not been there yet: it names the set in force where the memory does not, or its mac shows that the same
    /// was decided for the object as it is now.
    fn placed<'a>(&'a self, stored: &'a NormalForm) -> Option<Placed<'a>> {
        let written = &stored.written;
        if written.ours.is_empty() {
            return None;
        }
        let record = written.record.as_ref();
        let is_proven = |record: &Applied| self.keys.is_some_and(|keys| keys.verify(record, stored));
        let is_younger = |last: &Last| {
            let names_newer = |record: &Applied| last.policy != self.policy && record.policy == self.policy;
            record.is_some_and(|record| names_newer(record) || (last.intent != stored.digest() && is_proven(record)))
        };
        let decided = |last: &Last| written.ours.iter().all(|(key, entry)| last.keys.get(key) == Some(entry));
        if let Some(last) = self.memory.filter(|last| decided(last) && !is_younger(last)) {
            return Some(Placed { policy: &last.policy, intent: &last.intent, proven: true });
        }
        let record = record?;
        // Somebody changed what we wrote: whatever the intent was then, it is another one now.
        let intent = if written.superseded.is_empty() { stored.digest() } else { "" };
        Some(Placed { policy: &record.policy, intent, proven: is_proven(record) })
    }
}

/// Returns what is to be remembered after a decision that placed nothing.
pub fn remembered(form: &NormalForm, memory: Option<&Last>, decided: Last, lets_go: bool) -> Last {
    match memory.filter(|last| !last.keys.is_empty() && !form.written.ours.is_empty()) {
        Some(last) => Last { written: last.written && !lets_go, ..last.clone() },
        None => decided,
    }
}

/// Returns the annotations of an object that keeps what `stored` has of ours, with its record, whatever else it asks for.
pub fn kept(intent: &BTreeMap<String, String>, stored: &NormalForm, record: Option<String>) -> BTreeMap<String, String> {
    let mut wanted = intent.clone();
    for key in stored.written.ours.keys() {
        match stored.current.get(key) {
            Some(value) => wanted.insert(key.clone(), value.clone()),
            None => wanted.remove(key),
        };
    }
    wanted.extend(record.map(|record| (APPLIED.to_owned(), record)));
    wanted
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::annotations::digest;
    use serde_json::json;

    use super::*;
    use crate::decision::testing::{allowed, entry};

    const KEYS: &str = "0123456789abcdef0123456789abcdef";

    fn record() -> Applied {
        let keys = ["a", "b"].map(|key| (key.to_owned(), entry(None, "ours"))).into();
        Applied { kind: "X".into(), mac: None, policy: "p1".into(), keys, fleet: None }
    }

    fn form(b: &str, record: &Applied) -> NormalForm {
        let annotations = json!({"a": "ours", "b": b, APPLIED: record.encode()});
        let object = json!({"apiVersion": "v1", "kind": "X", "metadata": {"name": "x", "annotations": annotations}});
        NormalForm::of(&object, None, &allowed(&["a", "b"]), &BTreeMap::new()).unwrap()
    }

    /// An object on which policy set `p1` wrote `a` and `b`, of which somebody may have changed `b` since.
    fn written(changed: bool) -> NormalForm {
        form(if changed { "theirs" } else { "ours" }, &record())
    }

    fn memory(policy: &str, intent: &str) -> Option<Last> {
        Some(Last { policy: policy.into(), intent: intent.into(), keys: Arc::new(record().keys), written: true })
    }

    fn retention(form: &NormalForm, memory: Option<&Last>, policy: &str, keys: Option<&RecordKeys>) -> Retention {
        Evidence { memory, keys, policy, on_no_opinion: OnNoOpinion::Keep }.retention(form, form.digest())
    }

    #[test]
    fn only_a_change_of_policy_or_intent_lets_go_and_only_what_was_decided_is_kept() {
        let form = written(false);
        let other = memory("p1", form.digest()).map(|last| Last { keys: Arc::default(), ..last });
        let cases = [
            ("only state changed", memory("p1", form.digest()), "p1", Retention::Keep),
            ("policy changed", memory("p1", form.digest()), "p2", Retention::Release),
            ("admission placed under the new policy", memory("p0", form.digest()), "p1", Retention::Unproven),
            ("intent changed", memory("p1", "another"), "p1", Retention::Release),
            ("after a restart, same policy", None, "p1", Retention::Unproven),
            ("after a restart, new policy", None, "p2", Retention::Release),
            ("the memory is of another placement", other, "p1", Retention::Unproven),
        ];
        for (name, memory, policy, expected) in cases {
            assert_eq!(retention(&form, memory.as_ref(), policy, None), expected, "{name}");
        }
        let releases = Evidence { memory: None, keys: None, policy: "p1", on_no_opinion: OnNoOpinion::Release };
        assert_eq!(releases.retention(&form, form.digest()), Retention::Release);
    }

    #[test]
    fn after_a_restart_a_mac_shows_what_was_decided() {
        let keys = RecordKeys::parse(KEYS.as_bytes()).unwrap();
        let mac = keys.sign(&record(), &written(false));
        let signed = form("ours", &Applied { mac, ..record() });
        assert_eq!(retention(&signed, None, "p1", Some(&keys)), Retention::Keep);
        assert_eq!(retention(&signed, None, "p1", None), Retention::Unproven);
        let other = RecordKeys::parse(KEYS.to_uppercase().as_bytes()).unwrap();
        assert_eq!(retention(&signed, None, "p1", Some(&other)), Retention::Unproven);
    }

    #[test]
    fn a_mac_shows_that_admission_decided_after_what_is_remembered() {
        let keys = RecordKeys::parse(KEYS.as_bytes()).unwrap();
        let mac = keys.sign(&record(), &written(false));
        let signed = form("ours", &Applied { mac, ..record() });
        let last = memory("p1", "an earlier intent");
        assert_eq!(retention(&signed, last.as_ref(), "p1", Some(&keys)), Retention::Keep);
        assert_eq!(retention(&written(false), last.as_ref(), "p1", Some(&keys)), Retention::Release);
        assert_eq!(retention(&signed, last.as_ref(), "p2", Some(&keys)), Retention::Release, "policy changed since");
    }

    #[test]
    fn memory_or_a_mac_prove_what_was_decided_whatever_changed_since() {
        let (form, keys) = (written(false), RecordKeys::parse(KEYS.as_bytes()).unwrap());
        let signed = self::form("ours", &Applied { mac: keys.sign(&record(), &form), ..record() });
        let is_proven = |form: &NormalForm, memory: Option<Last>, keys: Option<&RecordKeys>| {
            let on_no_opinion = OnNoOpinion::Keep;
            Evidence { memory: memory.as_ref(), keys, policy: "p2", on_no_opinion }.is_proven(form)
        };
        assert!(is_proven(&form, memory("p1", "another"), None));
        assert!(is_proven(&signed, None, Some(&keys)));
        assert!(!is_proven(&form, None, Some(&keys)) && !is_proven(&signed, None, None));
    }

    #[test]
    fn after_a_restart_a_changed_key_tells_that_intent_changed() {
        assert_eq!(retention(&written(true), None, "p1", None), Retention::Release);
    }

    #[test]
    fn what_is_kept_is_what_the_stored_object_has() {
        let stored = written(false);
        let intent = BTreeMap::from([("mine".to_owned(), "1".to_owned())]);
        let kept = kept(&intent, &stored, Some("record".into()));
        assert_eq!((kept["a"].as_str(), kept["mine"].as_str(), kept[APPLIED].as_str()), ("ours", "1", "record"));
        assert_eq!(digest(&kept["b"]), record().keys["b"].sum);
    }

    #[test]
    fn what_is_let_go_is_remembered_until_it_is_gone() {
        let form = written(false);
        let last = memory("p1", form.digest());
        let after = remembered(&form, last.as_ref(), Last::default(), true);
        assert!(!after.written && after.policy == "p1" && !after.keys.is_empty());
        let object = json!({"apiVersion": "v1", "kind": "X", "metadata": {"name": "x"}});
        let bare = NormalForm::of(&object, None, &allowed(&["a"]), &BTreeMap::new()).unwrap();
        assert!(remembered(&bare, Some(&after), Last::default(), false).keys.is_empty());
    }
}
