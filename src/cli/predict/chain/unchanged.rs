//! Updates that change nothing: the embedded server asks no validating hook about them, kube-apiserver asks all the same.

use plimsoll_apiserver::admission::Operation;
use plimsoll_apiserver::expression::{Step, Use};
use serde_json::Value as Json;

use crate::cli::predict::facts::Facts;
use crate::cli::predict::judge::{Said, Verdict};
use crate::cli::predict::known::{Doubt, State};

/// Makes what is said uncertain, where the server may ask nobody. `object` is the state that validating hooks would see.
pub(super) fn doubted(facts: &Facts, object: State<'_>, verdict: Verdict) -> Verdict {
    let Verdict { said, mut why } = verdict;
    let asks = !facts.is_embedded || facts.request.operation != Operation::Update || changes(facts, object);
    let said = match said {
        said @ (Said::NotCalled | Said::Open { .. }) => said,
        said if asks => said,
        said => {
            why.push("this server asks no validating hook about an update that changes nothing".to_owned());
            let doubts = vec![Doubt::On("whether the update changes anything".to_owned())];
            Said::Open { doubts, may_refuse: said == Said::Refused }
        }
    };
    Verdict { said, why }
}

/// Whether something that is certain differs from what is stored.
fn changes(facts: &Facts, object: State<'_>) -> bool {
    match (object.object, facts.request.old.as_deref()) {
        (Some(new), Some(old)) => differs(new, Some(old), object, &mut Vec::new()),
        _ => true,
    }
}

fn differs(new: &Json, old: Option<&Json>, object: State<'_>, path: &mut Vec<Step>) -> bool {
    if Some(new) == old {
        return false;
    }
    if object.tells(path, Use::Value).is_ok() {
        return true;
    }
    new.as_object().into_iter().flatten().any(|(name, member)| {
        path.push(Step::Field(name.clone()));
        let differs = differs(member, old.and_then(|old| old.get(name)), object, path);
        path.pop();
        differs
    })
}
