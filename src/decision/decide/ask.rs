//! How policy is asked: once for each class of objects.

use std::sync::Arc;

use plimsoll_contract::outcome::{Outcome, Unavailable};

use super::Case;
use crate::decision::class::{self, Class, Said};
use crate::decision::normal_form::NormalForm;
use crate::decision::outcome::{self, Fault, invalid};
use crate::decision::validate::Rules;
use crate::decision::{Decision, Sight, Subject, Way, evaluate, exempt, fleet};
use crate::rego::EvalError;

/// The result of the part of a decision that needs no policy.
pub(super) enum Classified {
    /// To its end.
    Decided(Box<Decision>),
    /// Policy is asked for the object in this form; the key of its class, if there is any.
    Asks(Box<NormalForm>, Option<Vec<u8>>),
}

impl Case<'_> {
    pub(super) fn classified(&self, subject: Subject<'_>, sight: &Sight) -> Classified {
        if exempt::exempt(subject, &self.snapshot.state, self.config).is_some() {
            return Classified::Decided(Box::new(self.untouched(Outcome::Exempt)));
        }
        if let Some(outcome) = sight.unavailable(self.snapshot) {
            return Classified::Decided(Box::new(self.untouched(outcome)));
        }
        let form = NormalForm::of(subject.object, self.kind, &self.allowed, &self.known());
        let armed = evaluate::armed(&self.snapshot.policies.program, self.config);
        let decision = match form {
            Ok(form) if armed => {
                let key = self.key(&form);
                return Classified::Asks(Box::new(form), key);
            }
            Ok(form) => self.disarmed(&form),
            Err(_) if !armed => self.untouched(Outcome::Unarmed),
            Err(error) => self.untouched(invalid(error.to_string())),
        };
        Classified::Decided(Box::new(sight.warned(decision)))
    }

    /// Returns the key of the object's class; `None` where answers are not kept.
    pub(super) fn key(&self, form: &NormalForm) -> Option<Vec<u8>> {
        let basis = self.config.classes.are_kept().then(|| self.snapshot.basis(&self.config.placement_path))?;
        class::key(&basis, form, (&self.allowed, self.target.as_ref(), self.name))
    }

    /// Asks policy, and keeps what it says for the object's class.
    pub(super) fn asked(&self, form: &NormalForm, key: Option<Vec<u8>>) -> Decision {
        match self.class(form) {
            Ok((class, met_unusual)) => {
                // What it says then may depend on what policy does not read.
                let (class, key) = (Arc::new(class), key.filter(|_| !met_unusual));
                let decision = self.classed(form, key.as_deref(), &class);
                if let Some(key) = key {
                    self.config.classes.keep(key, &class);
                }
                decision
            }
            // It is asked again next time: it may have been cut short.
            Err(error) => self.unplaced(form, Outcome::Unavailable { reason: Unavailable::Failed, message: error.to_string() }),
        }
    }

    pub(super) fn seen(&self, form: &NormalForm, key: &[u8], class: &Arc<Class>) -> Decision {
        Decision { cached: true, ..self.classed(form, Some(key), class) }
    }

    fn classed(&self, form: &NormalForm, key: Option<&[u8]>, class: &Arc<Class>) -> Decision {
        let decision = match class.answer.as_ref().map(|answer| &answer.ruling) {
            None => self.unplaced(form, Outcome::Undefined),
            Some(Ok(ruling)) => self.ruled(form, ruling),
            Some(Err(fault)) => self.unplaced(form, invalid(fault.message.clone())),
        };
        // Only the table asks who is told the same.
        let said = key.filter(|_| matches!(self.way, Way::Stored)).map(|key| Said::of(key, class));
        Decision { class: Some(class.clone()), said, ..decision }
    }

    /// Evaluates policy for the object, which stands for its class unless unusual numbers were met (see [`crate::rego::Evaluated`]). Fails where the evaluation does, and where the answer is none of JSON.
    fn class(&self, form: &NormalForm) -> Result<(Class, bool), EvalError> {
        let exists = |name: &str| fleet::exists(&self.snapshot.state, name).unwrap_or(true);
        let rules = Rules { allowed: &self.allowed, target: self.target.as_ref(), kind: self.name, exists: Some(&exists) };
        let (document, met_unusual) = evaluate::evaluate(self.snapshot, &form.object, self.config)?;
        let judged = |document| outcome::rule(document, rules).map_err(|fault| self.located(fault));
        let judged = document.as_ref().map(|document| (document, judged(document)));
        let class = Class::of(judged, self.config.classes.interners());
        class.map(|class| (class, met_unusual)).map_err(|error| EvalError::Failed {
            document: evaluate::name(&self.config.placement_path),
            message: format!("it cannot be written: {error}"),
        })
    }

    /// Adds the places of the rules that gave the value to the message.
    fn located(&self, fault: Fault) -> Fault {
        let path = &self.config.placement_path;
        let places = evaluate::places(&self.snapshot.policies.program, path, fault.rule, fault.key.as_deref());
        if places.is_empty() { fault } else { Fault { message: format!("{} (from {places})", fault.message), ..fault } }
    }
}
