//! What policies see of an object, for those who want to see it, too.

use serde_json::Value as Json;

use super::Case;
use crate::decision::normal_form::NormalForm;
use crate::decision::{Config, Sight, Subject, evaluate, exempt};
use crate::snapshot::Snapshot;

/// The input that the policy of a decision is asked with: the object in its normal form. Nothing where no policy is asked.
pub fn policy_input(snapshot: &Snapshot, subject: Subject<'_>, config: &Config) -> Option<Json> {
    let case = Case::of(snapshot, subject, config, &Sight::default());
    if exempt::exempt(subject, &snapshot.state, config).is_some() || !evaluate::armed(&snapshot.policies.program, config) {
        return None;
    }
    NormalForm::of(subject.object, case.kind, &case.allowed, &case.known()).ok().map(|form| form.object)
}
