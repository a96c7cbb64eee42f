//! What becomes of a placement that policy has no opinion about any more: it stays, or is let go.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plimsoll_contract::annotations::APPLIED;
use plimsoll_contract::kind::OnNoOpinion;
use plimsoll_contract::outcome::Outcome;

use super::Case;
use crate::decision::intent;
use crate::decision::normal_form::NormalForm;
use crate::decision::preferences::Preferences;
use crate::decision::retention::{self, Evidence, Retention, Stay};
use crate::decision::target::{Reader, reader};
use crate::decision::wanted::Wanted;
use crate::decision::{Decision, Retained, Unproven, Way};

impl Case<'_> {
    pub(super) fn no_opinion(&self, form: &NormalForm) -> Decision {
        match self.way {
            Way::Create => self.let_go(form),
            Way::Stored => self.retained(form, form),
            Way::Update(previous) => match previous.form(self.kind, &self.allowed, &self.remembered()) {
                Some(stored) if !stored.written.ours.is_empty() => self.retained(form, &stored),
                _ => self.let_go(form),
            },
        }
    }

    /// Keeps what the stored object has of ours, or lets go.
    fn retained(&self, form: &NormalForm, stored: &NormalForm) -> Decision {
        let on_no_opinion = self.kind.map_or(OnNoOpinion::default(), |kind| kind.on_no_opinion);
        let (policy, is_new) = (&self.snapshot.policies.digest, self.grace.is_some());
        let evidence = Evidence { memory: self.memory, keys: self.keys.as_deref(), policy, on_no_opinion, is_new };
        // An update lets go of the same as a sweep, or it would put back what the sweep takes off.
        let Stay { policy, proven, waits } = match evidence.retention(stored, form.digest()) {
            Retention::Stay(stay) if stay.proven || self.config.unproven == Unproven::Keep => stay,
            Retention::Stay(_) | Retention::Release => return self.let_go(form),
        };
        // What an update keeps was on the stored object already: it is the sweep's to report.
        let unproven = !proven && matches!(self.way, Way::Stored);
        let ours = &stored.written.ours;
        let value = |key: &String| Some((key.clone(), stored.current.get(key)?.clone()));
        let annotations: BTreeMap<String, String> = ours.keys().filter_map(value).collect();
        let is_recorded =
            stored.written.record.as_ref().is_some_and(|record| ours.keys().all(|key| record.keys.contains_key(key)));
        let record = stored.current.get(APPLIED).filter(|_| is_recorded).cloned().or_else(|| self.record_by(policy, form, ours));
        let wanted = retention::kept(&form.intent, stored, record);
        let patch = intent::difference(&form.current, &intent::borrowed(&wanted));
        let retained = Retained { clusters: self.clusters_of(&annotations), annotations };
        let decision = Decision { kept: true, unproven, patch, retained, ..self.unplaced(form, Outcome::NoOpinion) };
        if waits { self.waiting(decision) } else { decision }
    }

    /// Marks a decision to keep a placement as one that lasts only while the policies are new.
    pub(super) fn waiting(&self, mut decision: Decision) -> Decision {
        let Some(grace) = self.grace else { return decision };
        decision.warnings.push(format!(
            "policy has no opinion any more: the placement stays until the policies have been the same for {grace:?} \
             (--letting-go-after), and is let go then"
        ));
        Decision { letting_go: true, ..decision }
    }

    fn let_go(&self, form: &NormalForm) -> Decision {
        let last = retention::remembered(form, self.memory, self.decided(form));
        let none = BTreeMap::new();
        let patch = match self.record(form, &none) {
            Some(record) => intent::write(form, &Wanted::default(), Some(&record)),
            None => intent::release(form),
        };
        let unremoved = self.unremoved(form, (&none, &patch));
        Decision { patch, unremoved, last, ..self.unplaced(form, Outcome::NoOpinion) }
    }

    fn clusters_of(&self, annotations: &BTreeMap<String, String>) -> Arc<Vec<String>> {
        let spreads = annotations.iter().filter(|(key, _)| reader(key, self.target.as_ref()) == Reader::Preferences);
        let read = spreads.filter_map(|(_, value)| Preferences::parse(value).ok());
        let names: BTreeSet<String> = read.flat_map(|spread| spread.places().map(str::to_owned).collect::<Vec<_>>()).collect();
        Arc::new(names.into_iter().collect())
    }
}
