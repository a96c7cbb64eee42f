//! Who is asked about everybody's writes begins by failing open: an initializer or webhook that is not registered yet may not say
//! `failurePolicy: Fail`; an update may, once it is. Source: "We only allow initializers/webhooks to be created as fail open", of the
//! design of dynamic admission configuration (2017), which no version of Kubernetes enforces. Off unless it is asked for.

use std::collections::HashMap;

use futures::future::{FutureExt as _, LocalBoxFuture, ready};
use serde_json::Value as Json;

use super::{Attributes, Operation, Validating, called, text};
use crate::status::Status;
use crate::status::field::{FieldError, Path};

const GROUP: &str = "admissionregistration.k8s.io";
/// By what it is called in the object: who is registered by each resource of the group.
const LISTS: [(&str, &str); 4] = [
    ("initializerconfigurations", "initializers"),
    ("externaladmissionhookconfigurations", "externalAdmissionHooks"),
    ("mutatingwebhookconfigurations", "webhooks"),
    ("validatingwebhookconfigurations", "webhooks"),
];
/// The only policy that a new one may have.
const IGNORE: &str = "Ignore";
const WHY: &str = "a new one must fail open; once it is stored, and answers, an update may set \"Fail\"";

/// The stage of admission that lets nothing new fail closed.
#[derive(Clone, Copy, Debug)]
pub struct FailOpenCreation;

impl Validating for FailOpenCreation {
    fn name(&self) -> &'static str {
        "FailOpenCreation"
    }

    fn validate<'a>(&'a self, request: &'a Attributes) -> LocalBoxFuture<'a, Result<Vec<String>, Status>> {
        ready(check(request).map(|()| Vec::new())).boxed_local()
    }
}

/// Fails with 422 and every new one that does not fail open.
fn check(request: &Attributes) -> Result<(), Status> {
    let resource = &request.resource;
    let list = LISTS.iter().find(|(plural, _)| resource.group == GROUP && resource.plural == *plural);
    let (Some((_, list)), Some(object)) = (list, &request.object) else { return Ok(()) };
    if request.operation == Operation::Delete {
        return Ok(());
    }
    let faults = fail_closed(list, object, request.old.as_deref());
    if faults.is_empty() { Ok(()) } else { Err(Status::invalid(resource, called(request), &faults)) }
}

/// Those of `object` that do not fail open and are none of `old`, by name. A name may be there more than once: then at most as many
/// may fail closed as are stored.
fn fail_closed(list: &str, object: &Json, old: Option<&Json>) -> Vec<FieldError> {
    let mut stored: HashMap<&str, usize> = HashMap::new();
    for one in old.map(|old| members(old, list)).unwrap_or_default() {
        *stored.entry(text(one, "/name")).or_default() += 1;
    }
    let mut faults = Vec::new();
    for (index, one) in members(object, list).iter().enumerate().filter(|(_, one)| text(one, "/failurePolicy") != IGNORE) {
        match stored.get_mut(text(one, "/name")) {
            Some(left @ 1..) => *left -= 1,
            _ => faults.push(refusal(&Path::ROOT.child(list).index(index), one)),
        }
    }
    faults
}

fn refusal(path: &Path<'_>, one: &Json) -> FieldError {
    let policy = one.get("failurePolicy").cloned().unwrap_or_default();
    FieldError::not_supported(path.child("failurePolicy").to_string(), policy, &[IGNORE]).explained(WHY)
}

fn members<'a>(object: &'a Json, list: &str) -> &'a [Json] {
    object.get(list).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::admission::testing::{attributes, resource};

    /// A list in short: `a` fails open, `A` fails closed, `?` says nothing.
    fn configuration(list: &str, short: &str) -> Json {
        let one = |letter: char| match letter {
            '?' => json!({"name": "?"}),
            letter => {
                let policy = if letter.is_uppercase() { "Fail" } else { "Ignore" };
                json!({"name": letter.to_lowercase().to_string(), "failurePolicy": policy})
            }
        };
        json!({"metadata": {"generateName": "c-"}, list: short.chars().map(one).collect::<Vec<_>>()})
    }

    #[test]
    fn what_is_new_fails_open() {
        let table: [(Option<&str>, &str, &[usize]); 16] = [
            (None, "", &[]),
            (None, "ab", &[]),
            (None, "A", &[0]),
            (None, "aBcD", &[1, 3]),
            (None, "a?", &[1]),
            (Some("a"), "A", &[]),
            (Some("A"), "A", &[]),
            (Some("A"), "AB", &[1]),
            (Some("a"), "Ab", &[]),
            (Some("ab"), "BA", &[]),
            // A rename, and one that takes the place of another.
            (Some("a"), "B", &[0]),
            (Some("Ab"), "aC", &[1]),
            // Two of one name.
            (Some("a"), "aA", &[]),
            (Some("a"), "AA", &[1]),
            (Some("aa"), "AA", &[]),
            (Some(""), "A", &[0]),
        ];
        for (old, new, expected) in table {
            let old = old.map(|old| configuration("webhooks", old));
            let faults = fail_closed("webhooks", &configuration("webhooks", new), old.as_ref());
            let fields: Vec<String> = faults.iter().map(|fault| fault.field.clone()).collect();
            let expected: Vec<String> = expected.iter().map(|index| format!("webhooks[{index}].failurePolicy")).collect();
            assert_eq!(fields, expected, "{old:?} {new}");
        }
    }

    #[test]
    fn it_is_about_registrations_alone_and_says_what_to_do() {
        let request = |group: &str, plural: &str, list: &str, operation| {
            let mut request = attributes(operation, configuration(list, "A"));
            request.resource = Arc::new(resource(group, "v1", "Configuration", plural));
            check(&request)
        };
        for (plural, list) in LISTS {
            let refused = request(GROUP, plural, list, Operation::Create).unwrap_err();
            assert_eq!((refused.code, refused.details.as_ref().map(|details| &*details.name)), (422, Some("c-")));
            let fault = format!("{list}[0].failurePolicy: Unsupported value: \"Fail\": supported values: \"Ignore\" ({WHY})");
            assert!(refused.message.ends_with(&fault), "{}", refused.message);
            assert!(request(GROUP, plural, list, Operation::Delete).is_ok());
            assert!(request("example.com", plural, list, Operation::Create).is_ok());
        }
        assert!(request(GROUP, "validatingadmissionpolicies", "webhooks", Operation::Create).is_ok());
    }
}
