//! Makes the line of one hook.

use plimsoll_apiserver::admission::webhook::{FailurePolicy, ReinvocationPolicy, Spec, Webhook};

use crate::cli::predict::judge::Said;
use crate::cli::predict::known::Doubt;
use crate::cli::predict::line::{Certainty, Line, Phase};

/// How long a server waits for an initializer, in seconds.
const INITIALIZER_SECONDS: u64 = 5;

/// Returns the line of a hook: whether it is called, why, and what happens when it is down.
pub(super) fn line(phase: Phase, hook: &Webhook, said: Said, why: Vec<String>, refuses: bool) -> Line {
    let (called, certainty, depends_on) = match said {
        Said::Called => (Some(true), Certainty::Certain, Vec::new()),
        Said::NotCalled | Said::Refused => (Some(false), Certainty::Certain, Vec::new()),
        Said::Open { doubts, .. } => {
            let depends = doubts.iter().any(|doubt| matches!(doubt, Doubt::On(_)));
            let texts = doubts.into_iter().map(|(Doubt::On(text) | Doubt::Unknown(text))| text);
            (None, if depends { Certainty::Depends } else { Certainty::Unknown }, texts.collect())
        }
    };
    let is_willing =
        phase == Phase::Mutating && hook.spec.reinvocation_policy == ReinvocationPolicy::IfNeeded && called != Some(false);
    Line {
        phase,
        configuration: hook.configuration.clone(),
        hook: hook.spec.name.clone(),
        called,
        certainty,
        depends_on,
        why,
        refuses,
        if_down: if_down(phase, &hook.spec),
        again: is_willing.then_some("if a later hook changes the object"),
    }
}

fn if_down(phase: Phase, spec: &Spec) -> String {
    let is_open = spec.failure_policy == FailurePolicy::Ignore;
    match phase {
        Phase::Initializer if is_open => format!("passed over after {INITIALIZER_SECONDS} s"),
        Phase::Initializer => format!("refused after {INITIALIZER_SECONDS} s"),
        _ if is_open => format!("passed over after {} s", spec.timeout_seconds),
        _ => format!("refused after {} s", spec.timeout_seconds),
    }
}
