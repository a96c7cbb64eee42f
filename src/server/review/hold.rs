//! Who may opt an object out of repair, where the engine is told to ask: `--hold=groups:…`.

use plimsoll_contract::annotations::HOLD;
use serde_json::Value as Json;

use super::verdict::Denial;
use super::wire::UserInfo;
use crate::decision::{Hold, Previous, Writer};

/// Returns why a write may not set the hold; nothing if it does not set it, or may.
pub fn refused(hold: &Hold, writer: Writer, user: &UserInfo, new: &Json, old: Option<&Previous<'_>>) -> Option<Denial> {
    let Hold::Groups(groups) = hold else { return None };
    let held = new.pointer("/metadata/annotations").and_then(|annotations| annotations.get(HOLD)?.as_str());
    let was_held = old.is_some_and(|old| old.annotations().get(HOLD).is_some_and(|value| value == "true"));
    let sets = held == Some("true") && !was_held;
    if !sets || writer == Writer::Controller || user.groups.iter().any(|group| groups.contains(group)) {
        return None;
    }
    let groups: Vec<String> = groups.iter().map(|group| format!("`{group}`")).collect();
    Some(Denial::forbidden(format!(
        "annotation `{HOLD}` opts the object out of repair: only members of {} may set it",
        groups.join(", ")
    )))
}

/// Returns what is said of a value that holds nothing, where holds have an effect.
pub fn misspelt(hold: &Hold, object: &Json) -> Option<String> {
    let value = object.pointer("/metadata/annotations").and_then(|annotations| annotations.get(HOLD)?.as_str())?;
    let is_odd = *hold != Hold::Ignored && !matches!(value, "true" | "false");
    is_odd.then(|| format!("annotation `{HOLD}` holds nothing: it is `{value}`, and only `true` holds"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_that_holds_nothing_is_said() {
        let object = |value: &str| json!({"metadata": {"annotations": {HOLD: value}}});
        for (hold, value, expected) in
            [(Hold::Verb, "yes", true), (Hold::Verb, "true", false), (Hold::Verb, "false", false), (Hold::Ignored, "yes", false)]
        {
            assert_eq!(misspelt(&hold, &object(value)).is_some(), expected, "{hold:?} {value}");
        }
        assert_eq!(misspelt(&Hold::Verb, &json!({})), None);
    }

    #[test]
    fn only_members_set_it_and_anybody_releases_it() {
        let hold = Hold::Groups(["ops".to_owned()].into());
        let object = |value: Option<&str>| json!({"metadata": {"annotations": value.map(|value| json!({HOLD: value}))}});
        let (held, free) = (object(Some("true")), object(None));
        let user = |group: &str| UserInfo { username: "u".into(), groups: vec![group.into()] };
        let is_refused = |hold: &Hold, writer, group: &str, new: &Json, old: Option<&Json>| {
            let old = old.map(ToString::to_string);
            let old = old.as_ref().map(|old| Previous::read(old.as_bytes()).unwrap());
            refused(hold, writer, &user(group), new, old.as_ref()).is_some()
        };
        let table = [
            (Writer::Other, "dev", &held, None, true),
            (Writer::Other, "dev", &held, Some(&free), true),
            (Writer::Other, "dev", &held, Some(&held), false),
            (Writer::Other, "dev", &free, Some(&held), false),
            (Writer::Other, "ops", &held, None, false),
            (Writer::Controller, "dev", &held, None, false),
        ];
        for (writer, group, new, old, expected) in table {
            assert_eq!(is_refused(&hold, writer, group, new, old), expected, "{writer:?} {group} {new} {old:?}");
            for other in [Hold::Ignored, Hold::Verb, Hold::Anyone] {
                assert!(!is_refused(&other, writer, group, new, old));
            }
        }
    }
}
