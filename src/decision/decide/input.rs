//! What policies see of an object, for those who want to see it, too.

use serde_json::Value as Json;

use super::Case;
use crate::decision::normal_form::NormalForm;
use crate::decision::{Config, Sight, Subject, evaluate, exempt};
use crate::snapshot::Snapshot;

/// The input that the policy of a decision is asked with: the object in its normal form. Nothing where no policy is asked.
pub fn policy_input(snapshot: &Snapshot, subject: Subject<'_>, config: &Config) -> Option<Json> {
    let case = Case::of(snapshot, subject, config, &Sight::default());
    case.form(subject).map(|form| form.object)
}

/// The form in which policy is asked for an object, and the key of its class; `None` where it is not asked, or where answers are not kept.
pub(in crate::decision) fn asked(snapshot: &Snapshot, subject: Subject<'_>, config: &Config) -> Option<(NormalForm, Vec<u8>)> {
    let case = Case::of(snapshot, subject, config, &Sight::default());
    let form = case.form(subject)?;
    let key = case.key(&form)?;
    Some((form, key))
}

impl Case<'_> {
    /// The form in which policy is asked; `None` where it is not.
    fn form(&self, subject: Subject<'_>) -> Option<NormalForm> {
        let is_exempt = exempt::exempt(subject, &self.snapshot.state, self.config).is_some();
        if is_exempt || !evaluate::armed(&self.snapshot.policies.program, self.config) {
            return None;
        }
        NormalForm::of(subject.object, self.kind, &self.allowed, &self.known()).ok()
    }
}
