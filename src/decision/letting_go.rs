//! Policy has no opinion any more. An absent annotation means *every cluster* to some readers, so what was written is
//! taken back only if policy or the developer changed something; if only state changed, the last placement is kept.

use plimsoll_contract::kind::OnNoOpinion;

use super::Last;
use super::normal_form::NormalForm;

/// The last decision that placed the object: from memory, else as far as the object's own record tells. A record that
/// names the set in force (`policy`) beside a memory that does not is younger: admission wrote it, and the sweep has not
/// been there yet.
pub fn last_placed(form: &NormalForm, memory: Option<&Last>, policy: &str) -> Option<Last> {
    if form.written.ours.is_empty() {
        return None;
    }
    let record = form.written.record.as_ref();
    let is_younger = |last: &Last| last.policy != policy && record.is_some_and(|record| record.policy == policy);
    if let Some(last) = memory.filter(|last| last.placed && !is_younger(last)) {
        return Some(last.clone());
    }
    let record = record?;
    // Somebody changed what we wrote: whatever the intent was then, it is another one now.
    let intent = if form.written.superseded.is_empty() { form.digest.clone() } else { String::new() };
    Some(Last { policy: record.policy.clone(), intent, placed: true })
}

/// Whether an object that policy has no opinion about is let go.
pub fn lets_go(form: &NormalForm, last: Option<&Last>, policy: &str, on_no_opinion: OnNoOpinion) -> bool {
    match (on_no_opinion, last) {
        (OnNoOpinion::Release, _) | (OnNoOpinion::Keep, None) => true,
        (OnNoOpinion::Keep, Some(last)) => last.policy != policy || last.intent != form.digest,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use plimsoll_contract::annotations::{APPLIED, Applied, AppliedKey, digest};
    use serde_json::json;

    use super::*;

    /// An object on which policy set `p1` wrote `a` and `b`, of which somebody may have changed `b` since.
    fn written(changed: bool) -> NormalForm {
        let key = |text| AppliedKey { was: None, sum: digest(text) };
        let record =
            Applied { policy: "p1".into(), keys: BTreeMap::from([("a".into(), key("ours")), ("b".into(), key("ours"))]) };
        let b = if changed { "theirs" } else { "ours" };
        let annotations = json!({"a": "ours", "b": b, APPLIED: record.encode()});
        let object = json!({"apiVersion": "v1", "kind": "X", "metadata": {"name": "x", "annotations": annotations}});
        let allowed: BTreeSet<String> = ["a", "b"].map(Into::into).into();
        NormalForm::of(&object, None, &allowed).unwrap()
    }

    #[test]
    fn only_a_change_of_policy_or_intent_lets_go() {
        let form = written(false);
        let last = |policy: &str, intent: &str| Some(Last { policy: policy.into(), intent: intent.into(), placed: true });
        let not_placed = Some(Last { policy: "p1".into(), intent: "i0".into(), placed: false });
        let cases = [
            ("only state changed", last("p1", &form.digest), "p1", OnNoOpinion::Keep, false),
            ("policy changed", last("p1", &form.digest), "p2", OnNoOpinion::Keep, true),
            ("admission placed under the new policy", last("p0", &form.digest), "p1", OnNoOpinion::Keep, false),
            ("intent changed", last("p1", "another"), "p1", OnNoOpinion::Keep, true),
            ("the kind says so", last("p1", &form.digest), "p1", OnNoOpinion::Release, true),
            ("after a restart, same policy", None, "p1", OnNoOpinion::Keep, false),
            ("after a restart, new policy", None, "p2", OnNoOpinion::Keep, true),
            ("the memory is of no placement", not_placed, "p1", OnNoOpinion::Keep, false),
        ];
        for (name, memory, policy, on_no_opinion, expected) in cases {
            let last = last_placed(&form, memory.as_ref(), policy);
            assert_eq!(lets_go(&form, last.as_ref(), policy, on_no_opinion), expected, "{name}");
        }
    }

    #[test]
    fn after_a_restart_a_changed_key_tells_that_intent_changed() {
        let form = written(true);
        assert!(lets_go(&form, last_placed(&form, None, "p1").as_ref(), "p1", OnNoOpinion::Keep));
    }
}
