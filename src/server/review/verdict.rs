//! A decision as a verdict on a review: the outcome table, column AdmissionReview; and the check of the final state.

use std::collections::BTreeMap;

use plimsoll_contract::annotations::APPLIED;
use plimsoll_contract::outcome::{Outcome, Unavailable};
use serde_json::Value as Json;

use super::culprit::{Culprit, Difference};
use super::patch;
use crate::decision::Decision;

/// What kubectl shows of one warning; the API server cuts longer ones.
const WARNING: usize = 256;
/// All warnings of one answer.
const WARNINGS: usize = 16;

/// What is answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Why not, unless it is allowed.
    pub denied: Option<Denial>,
    /// JSON Patch operations.
    pub patch: Vec<Json>,
    /// Shown to the user, at most 256 characters each.
    pub warnings: Vec<String>,
    /// For the API server's audit log.
    pub audit: BTreeMap<String, String>,
}

/// A denial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// HTTP status that the API server gives to its caller.
    pub code: u16,
    /// Kubernetes' name for the code.
    pub reason: &'static str,
    /// Why, for the user.
    pub message: String,
}

/// Policies or sources are not loaded: no verdict, the API server's failurePolicy decides (HTTP 503).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not ready: {0}")]
pub struct NotReady(pub String);

impl Denial {
    /// 409: what was decided on has changed, try again.
    pub fn conflict(message: String) -> Self {
        Self { code: 409, reason: "Conflict", message }
    }

    /// 403.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self { code: 403, reason: "Forbidden", message: message.into() }
    }
}

impl Verdict {
    /// Allowed, nothing changed, nothing said.
    pub fn untouched() -> Self {
        Self::default()
    }

    /// Denied.
    pub fn denied(denial: Denial) -> Self {
        Self { denied: Some(denial), ..Self::default() }
    }

    /// Says more.
    pub fn telling(mut self, reasons: &[String]) -> Self {
        let room = WARNINGS.saturating_sub(self.warnings.len());
        self.warnings.extend(reasons.iter().take(room).map(|reason| shorten(reason)));
        self
    }
}

/// The mutating endpoint's verdict.
pub fn mutate(object: &Json, decision: &Decision) -> Result<Verdict, NotReady> {
    let mut verdict = judged(decision)?;
    if verdict.denied.is_none() && writes(&decision.outcome) {
        verdict.patch = patch::operations(object, &decision.patch);
    }
    Ok(verdict)
}

/// The validating endpoint's verdict: denies an object that is not as decided. `culprit` says who may have left it so.
pub fn verify(object: &Json, decision: &Decision, culprit: impl FnOnce(Difference<'_>) -> Culprit) -> Result<Verdict, NotReady> {
    let mut verdict = judged(decision)?;
    if verdict.denied.is_none() && writes(&decision.outcome) {
        let told = |found| Denial::forbidden(tell(found, culprit(found)));
        verdict.denied = difference(object, decision).map(told);
    }
    Ok(verdict)
}

/// Whether the outcome leaves anything to write on an object that is admitted.
fn writes(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::NoOpinion | Outcome::Place | Outcome::Nowhere)
}

fn judged(decision: &Decision) -> Result<Verdict, NotReady> {
    let denied = match &decision.outcome {
        Outcome::Exempt | Outcome::Unarmed => return Ok(Verdict { audit: audit(decision), ..Verdict::default() }),
        Outcome::NoOpinion | Outcome::Place | Outcome::Nowhere => None,
        Outcome::Denied { .. } | Outcome::Undefined => Some(Denial::forbidden(decision.outcome.to_string())),
        Outcome::Unavailable { reason, message } => Some(unavailable(*reason, message)?),
    };
    Ok(Verdict { denied, patch: Vec::new(), warnings: warnings(decision), audit: audit(decision) })
}

fn unavailable(reason: Unavailable, message: &str) -> Result<Denial, NotReady> {
    let (code, reason) = match reason {
        Unavailable::NotReady => return Err(NotReady(message.to_owned())),
        Unavailable::Stale => (503, "ServiceUnavailable"),
        Unavailable::Failed => (500, "InternalError"),
        Unavailable::Invalid => (403, "Forbidden"),
    };
    Ok(Denial { code, reason, message: message.to_owned() })
}

fn warnings(decision: &Decision) -> Vec<String> {
    let nowhere = (decision.outcome == Outcome::Nowhere).then(|| {
        let mut text = "policy allows no cluster: this object will run nowhere".to_owned();
        let reasons: Vec<String> = decision.rejected().iter().map(|(name, why)| format!("{name}: {why}")).collect();
        if !reasons.is_empty() {
            text = format!("{text} ({})", reasons.join("; "));
        }
        text
    });
    let all = nowhere.into_iter().chain(decision.warnings.iter().cloned());
    all.take(WARNINGS).map(|warning| shorten(&warning)).collect()
}

/// At most 256 characters, without the control characters that an HTTP header cannot hold.
fn shorten(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    if text.chars().count() <= WARNING { clean.collect() } else { clean.take(WARNING - 1).chain(['…']).collect() }
}

fn audit(decision: &Decision) -> BTreeMap<String, String> {
    BTreeMap::from([
        ("outcome".to_owned(), decision.outcome.name().to_owned()),
        ("policy".to_owned(), decision.last.policy.to_string()),
        ("revision".to_owned(), decision.revision.to_string()),
    ])
}

/// The first managed key that is not as decided. The record of what we wrote is not compared: alone it places nothing.
fn difference<'a>(object: &'a Json, decision: &'a Decision) -> Option<Difference<'a>> {
    let found = |key: &str| object.pointer("/metadata/annotations")?.get(key)?.as_str();
    let differs = |(key, expected): &(&String, &Option<String>)| *key != APPLIED && found(key) != expected.as_deref();
    let (key, expected) = decision.patch.iter().find(differs)?;
    Some(Difference { key, expected: expected.as_deref(), found: found(key) })
}

fn tell(Difference { key, expected, found }: Difference<'_>, culprit: Culprit) -> String {
    let text = |value: Option<&str>| value.map_or("nothing".to_owned(), |value| format!("`{value}`"));
    let (expected, found, advice) = (text(expected), text(found), culprit.advice());
    format!("annotation `{key}` is not as policy decided: expected {expected}, found {found}; {advice}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::decision::Last;
    use crate::decision::testing::{answered, decided};

    fn decision(outcome: Outcome, patch: &[(&str, Option<&str>)]) -> Decision {
        Decision {
            patch: patch.iter().map(|(k, v)| ((*k).to_owned(), v.map(str::to_owned))).collect(),
            warnings: vec!["careful".into()],
            class: Some(answered(&json!({"rejected": {"eu": "not certified"}}), &[])),
            last: Last { policy: "sha256:1".into(), ..Last::default() },
            revision: 9,
            ..decided(outcome)
        }
    }

    fn unavailable(reason: Unavailable) -> Outcome {
        Outcome::Unavailable { reason, message: "why".into() }
    }

    fn later(_: Difference<'_>) -> Culprit {
        Culprit::Later
    }

    #[test]
    fn every_outcome_has_the_verdict_of_the_table() {
        let object = json!({"metadata": {}});
        let table = [
            (Outcome::Exempt, None, 0),
            (Outcome::Unarmed, None, 0),
            (Outcome::NoOpinion, None, 1),
            (Outcome::Place, None, 1),
            (Outcome::Nowhere, None, 1),
            (Outcome::Denied { errors: vec!["a".into(), "b".into()] }, Some((403, "reason(s): a; b")), 0),
            (Outcome::Undefined, Some((403, "policy decision is undefined")), 0),
            (unavailable(Unavailable::Invalid), Some((403, "why")), 0),
            (unavailable(Unavailable::Stale), Some((503, "why")), 0),
            (unavailable(Unavailable::Failed), Some((500, "why")), 0),
        ];
        for (outcome, denied, operations) in table {
            let verdict = mutate(&object, &decision(outcome.clone(), &[("k", Some("v"))])).unwrap();
            let found = verdict.denied.as_ref().map(|d| (d.code, d.message.as_str()));
            assert_eq!((found, verdict.patch.len()), (denied, operations), "{outcome:?}");
            assert_eq!(verdict.audit["outcome"], outcome.name());
            assert_eq!((verdict.audit["revision"].as_str(), verdict.audit["policy"].as_str()), ("9", "sha256:1"));
        }
        let not_ready = decision(unavailable(Unavailable::NotReady), &[]);
        assert_eq!(mutate(&object, &not_ready), Err(NotReady("why".into())));
        assert_eq!(verify(&object, &not_ready, later), Err(NotReady("why".into())));
    }

    #[test]
    fn t09_nowhere_is_said_with_reasons() {
        let verdict = mutate(&json!({"metadata": {}}), &decision(Outcome::Nowhere, &[])).unwrap();
        assert!(verdict.warnings[0].contains("nowhere (eu: not certified)"), "{:?}", verdict.warnings);
        assert_eq!(verdict.warnings[1], "careful");
    }

    #[test]
    fn warnings_are_short_and_fit_a_header() {
        let mut long = decision(Outcome::Place, &[]);
        long.warnings = vec![format!("a\nb{}", "ü".repeat(300))];
        let verdict = mutate(&json!({}), &long).unwrap();
        assert_eq!(verdict.warnings[0].chars().count(), WARNING);
        assert!(verdict.warnings[0].starts_with("a b") && verdict.warnings[0].ends_with('…'));
    }

    #[test]
    fn the_final_state_must_be_as_decided() {
        let object = json!({"metadata": {"annotations": {"k": "other", "gone": "1"}}});
        let message = |patch: &[(&str, Option<&str>)]| {
            let verdict = verify(&object, &decision(Outcome::Place, patch), later).unwrap();
            assert!(verdict.patch.is_empty(), "a validating answer has no patch");
            verdict.denied.map(|denied| denied.message)
        };
        let changed = message(&[("k", Some("v"))]).unwrap();
        for part in ["`k`", "expected `v`", "found `other`", "another webhook"] {
            assert!(changed.contains(part), "{changed}");
        }
        assert!(message(&[("gone", None)]).unwrap().contains("expected nothing, found `1`"));
        assert!(message(&[("new", Some("v"))]).unwrap().contains("found nothing"));
        assert_eq!(message(&[]), None);
        assert_eq!(message(&[(APPLIED, Some("{}"))]), None, "the record alone places nothing");
    }

    #[test]
    fn what_is_kept_is_compared_and_unarmed_objects_are_not() {
        let object = json!({"metadata": {"annotations": {"k": "old"}}});
        let kept = |patch| Decision { kept: true, ..decision(Outcome::NoOpinion, patch) };
        let is_denied = |decision: &Decision| verify(&object, decision, later).unwrap().denied.is_some();
        assert!(!is_denied(&kept(&[])));
        assert!(is_denied(&kept(&[("k", Some("stored"))])), "it was to be put back");
        assert!(!is_denied(&decision(Outcome::Unarmed, &[("k", None)])));
        assert!(is_denied(&decision(Outcome::NoOpinion, &[("k", None)])));
    }
}
