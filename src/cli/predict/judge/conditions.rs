//! Evaluates match conditions: each by itself, if what it reads is certain, then all together.

use plimsoll_apiserver::admission::webhook::{COST_LIMIT, Condition, FailurePolicy, Webhook, variables};
use plimsoll_apiserver::expression::{Read, Step};
use plimsoll_apiserver::resources::Resource;

use super::{Said, Stage, Verdict, not_called};
use crate::cli::predict::known::{Doubt, of_read};

/// The result of one condition.
enum Truth {
    True,
    False(String),
    Error(String),
    Open(Doubt),
}

/// The results of the steps before the conditions: reasons and doubts.
pub(super) struct Open {
    pub(super) why: Vec<String>,
    pub(super) doubts: Vec<Doubt>,
}

/// Returns the verdict on a hook whose rules and selectors are judged already. One condition that is false decides. If none is and one
/// cannot be evaluated, the failure policy decides.
pub(super) fn conclude(hook: &Webhook, resource: &Resource, stage: &Stage<'_>, open: Open) -> Verdict {
    let Open { mut why, mut doubts } = open;
    let (mut errors, mut undecided) = (Vec::new(), Vec::new());
    for condition in &hook.conditions {
        match judge(condition, resource, stage) {
            Truth::False(text) => return not_called(text),
            Truth::Error(text) => errors.push(text),
            Truth::Open(doubt) => undecided.push(doubt),
            Truth::True => {}
        }
    }
    let fails_closed = hook.spec.failure_policy == FailurePolicy::Fail;
    if !errors.is_empty() && !fails_closed {
        return not_called(format!("{}: failurePolicy Ignore passes the hook over", errors.join("; ")));
    }
    let may_refuse = fails_closed && !(errors.is_empty() && undecided.is_empty());
    doubts.extend(undecided);
    why.extend(errors.iter().map(|error| format!("{error}: failurePolicy Fail refuses the request")));
    if !doubts.is_empty() {
        return Verdict { said: Said::Open { doubts, may_refuse }, why };
    }
    if !errors.is_empty() {
        return Verdict { said: Said::Refused, why };
    }
    why.extend(hook.conditions.iter().map(|condition| format!("condition `{}` is true", condition.name)));
    Verdict { said: Said::Called, why }
}

fn judge(condition: &Condition, resource: &Resource, stage: &Stage<'_>) -> Truth {
    let name = &condition.name;
    let expression = match &condition.expression {
        Ok(expression) => expression,
        Err(error) => return Truth::Open(Doubt::Unknown(format!("condition `{name}`: not evaluated here: {error}"))),
    };
    let is_converted = resource.api_version() != stage.request.resource.api_version();
    for read in expression.reads() {
        if let Err(doubt) = told(&read, is_converted, stage) {
            return Truth::Open(match doubt {
                Doubt::On(what) => Doubt::On(format!("{what} (condition `{name}` reads {})", of_read(&read))),
                Doubt::Unknown(why) => Doubt::Unknown(format!("{why} (condition `{name}` reads {})", of_read(&read))),
            });
        }
    }
    let (variables, mut budget) = (variables(resource, stage.request), COST_LIMIT);
    match expression.evaluate(&variables, None, &mut budget) {
        Ok(true) => Truth::True,
        Ok(false) => Truth::False(format!("condition `{name}` is false")),
        Err(error) => Truth::Error(format!("condition `{name}`: {error}")),
    }
}

/// Fails with the reason if what a condition reads is not certain. `is_converted`: the hook sees another version of the object than the
/// request has.
fn told(read: &Read, is_converted: bool, stage: &Stage<'_>) -> Result<(), Doubt> {
    let first = read.path.first().map(|step| if let Step::Field(name) = step { name.as_str() } else { "" });
    match (read.variable.as_str(), first) {
        ("object" | "oldObject", Some("metadata" | "apiVersion" | "kind")) => {}
        ("object" | "oldObject", _) if is_converted => {
            return Err(Doubt::Unknown("only the server converts the object into that version".to_owned()));
        }
        _ => {}
    }
    match (read.variable.as_str(), first) {
        ("object", _) => stage.object.tells(&read.path, read.by),
        ("oldObject", _) => stage.old.tells(&read.path, read.by),
        ("authorizer", _) => Err(Doubt::Unknown("only the server can ask its authorizer".to_owned())),
        ("request", None | Some("options")) => Err(Doubt::On("the options that the client sends".to_owned())),
        ("request", Some("userInfo")) if is_username(&read.path) && !stage.request.user.name.is_empty() => Ok(()),
        ("request", Some("userInfo")) => stage.facts.user.as_ref().copied().map_err(|why| Doubt::Unknown(why.to_string())),
        ("request", Some("name")) if stage.request.name.is_empty() => Err(Doubt::On("the name that the server draws".to_owned())),
        _ => Ok(()),
    }
}

/// Returns whether a path is `request.userInfo.username`, which `--as` may have set.
fn is_username(path: &[Step]) -> bool {
    matches!(path, [_, Step::Field(name)] if name == "username")
}
