//! What the user reads when the hook refuses: which hook, which engine, what happened, what to do.

use reqwest::Url;

use super::NAME;
use super::decision::Decision;
use crate::admission::engine::{Ended, GaveUp};

/// Policy said no: federation v1's own text.
pub(super) fn denial(decision: &Decision) -> String {
    format!("reason(s): {}", decision.reasons())
}

/// There is no decision, hence no admission.
pub(super) fn failure(url: &Url, gave_up: &GaveUp) -> String {
    let GaveUp { attempts, ended, last } = gave_up;
    let cause = last.cause();
    let verb = if cause.is_answer() { "gave no decision" } else { "did not answer" };
    let when = match (ended, attempts) {
        (Ended::Final, _) => String::new(),
        (Ended::Attempts, attempts) => format!(" after {attempts} attempts"),
        (Ended::Deadline, 1) => " within the request's deadline (1 attempt)".into(),
        (Ended::Deadline, attempts) => format!(" within the request's deadline ({attempts} attempts)"),
    };
    format!("{NAME}: engine {url} {verb}{when}: {last}; {}", cause.advice())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::admission::engine::Fault;

    #[test]
    fn a_failure_names_the_hook_the_engine_the_cause_and_what_to_do() {
        let url = Url::parse("https://engine:8181/v0/data/kubernetes/placement").unwrap();
        let told = |attempts, ended, last| failure(&url, &GaveUp { attempts, ended, last });
        let slow = || Fault::TimedOut(Duration::from_secs(10));
        assert_eq!(
            told(5, Ended::Attempts, slow()),
            "SchedulingPolicy: engine https://engine:8181/v0/data/kubernetes/placement did not answer after 5 attempts: no \
             answer within 10s; look at the engine's log and load, then try again"
        );
        assert!(told(1, Ended::Deadline, slow()).contains("within the request's deadline (1 attempt): "));
        let undefined = told(1, Ended::Final, Fault::Undefined);
        assert!(undefined.contains("gave no decision: policy decision is undefined; load a policy"), "{undefined}");
    }
}
