//! `metadata.initializers`: whose turn it is before anybody else sees a new object. Source: `apimachinery`
//! `pkg/apis/meta/v1/types.go` and `pkg/api/validation/objectmeta.go` of Kubernetes 1.7 to 1.13.
//!
//! ```text
//!   none ── initialized, for everybody
//!   pending: [a, b] ── a is asked, then b
//!   pending: [a, b], result ── refused; removed with the write that says so
//!   {} ── what a client sends to skip initialization; never stored
//! ```

use serde_json::{Value as Json, json};

use super::object;
use crate::status::FieldError;

/// The field, as messages name it.
const FIELD: &str = "metadata.initializers";
const COMPLETED: &str = "field is immutable once initialization has completed";

/// The initializers of an object; `None` once it is initialized.
pub fn of(object: &Json) -> Option<&Json> {
    object::field(object, "initializers").filter(|initializers| !initializers.is_null())
}

/// Names of those that have not answered yet, the one whose turn it is first.
pub fn pending(object: &Json) -> impl Iterator<Item = &str> {
    let pending = of(object).and_then(|initializers| initializers.get("pending")).and_then(Json::as_array);
    pending.into_iter().flatten().map(|one| one.get("name").and_then(Json::as_str).unwrap_or_default())
}

/// The refusal, a `Status`.
pub fn result(object: &Json) -> Option<&Json> {
    of(object).and_then(|initializers| initializers.get("result")).filter(|result| !result.is_null())
}

/// Neither anybody's turn nor a refusal.
pub fn is_explicitly_empty(object: &Json) -> bool {
    of(object).is_some() && pending(object).next().is_none() && result(object).is_none()
}

/// These are to be asked, in this order; without any the object is initialized.
pub fn assign<'a>(object: &mut Json, names: impl IntoIterator<Item = &'a str>) {
    let pending: Vec<Json> = names.into_iter().map(|name| json!({ "name": name })).collect();
    object::set(object, "initializers", (!pending.is_empty()).then(|| json!({ "pending": pending })));
}

/// The first one is done; after the last one the object is initialized.
pub fn remove_first(object: &mut Json) {
    let rest: Vec<String> = pending(object).skip(1).map(str::to_owned).collect();
    assign(object, rest.iter().map(String::as_str));
}

/// The object is refused.
pub fn refuse(object: &mut Json, status: Json) {
    let mut initializers = of(object).cloned().unwrap_or_else(|| json!({}));
    object::set_top(&mut initializers, "result", Some(status));
    object::set(object, "initializers", Some(initializers));
}

/// Whether a change is what an initializer may do when it is its turn: nothing, refuse, or take its own name off.
pub fn is_in_turn(old: &Json, new: &Json) -> bool {
    pending(new).eq(pending(old)) || pending(new).eq(pending(old).skip(1)) || result(new).is_some()
}

/// What is wrong with a change of the field from `old` to `new`. Names may be taken away, added and ordered anew by who may
/// `initialize`: administrators repair that way.
pub fn change(old: &Json, new: &Json) -> Option<FieldError> {
    match (of(old), of(new)) {
        (None, Some(new)) => Some(FieldError::invalid(FIELD, new.clone(), COMPLETED)),
        (Some(_), _) if result(old).is_some() && result(old) != result(new) => {
            let value = result(new).cloned().unwrap_or_default();
            Some(FieldError::invalid(format!("{FIELD}.result"), value, COMPLETED))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(initializers: Json) -> Json {
        json!({"metadata": {"name": "a", "initializers": initializers}})
    }

    #[test]
    fn whose_turn_it_is() {
        let names = |object: &Json| pending(object).map(str::to_owned).collect::<Vec<_>>();
        let mut value = object(json!({"pending": [{"name": "a.b.c"}, {"name": "d.e.f"}]}));
        assert_eq!(names(&value), ["a.b.c", "d.e.f"]);
        remove_first(&mut value);
        assert_eq!(names(&value), ["d.e.f"]);
        remove_first(&mut value);
        assert_eq!(value, json!({"metadata": {"name": "a"}}));
        for (initializers, empty) in [
            (json!({}), true),
            (json!({"pending": []}), true),
            (json!({"pending": null, "result": null}), true),
            (json!({"pending": [{"name": "a.b.c"}]}), false),
            (json!({"pending": [], "result": {"status": "Failure"}}), false),
            (Json::Null, false),
        ] {
            assert_eq!(is_explicitly_empty(&object(initializers.clone())), empty, "{initializers}");
        }
    }

    #[test]
    fn changes_go_one_way() {
        let (none, one) = (Json::Null, json!({"pending": [{"name": "a.b.c"}]}));
        let (other, refused) = (json!({"pending": [{"name": "x.y.z"}]}), json!({"pending": [], "result": {"status": "Failure"}}));
        let table = [
            (&none, &none, None),
            (&none, &one, Some("metadata.initializers")),
            (&one, &none, None),
            (&one, &other, None),
            (&one, &refused, None),
            (&refused, &refused, None),
            (&refused, &one, Some("metadata.initializers.result")),
            (&refused, &none, Some("metadata.initializers.result")),
        ];
        for (old, new, expected) in table {
            let fault = change(&object(old.clone()), &object(new.clone()));
            assert_eq!(fault.as_ref().map(|fault| fault.field.as_str()), expected, "{old} to {new}");
            assert!(fault.is_none_or(|fault| fault.message.ends_with(COMPLETED)));
        }
    }

    #[test]
    fn whose_turn_it_was_not() {
        let of = |names: &[&str]| {
            let mut value = object(Json::Null);
            assign(&mut value, names.iter().copied());
            value
        };
        let old = of(&["a", "b"]);
        for (new, expected) in
            [(vec!["a", "b"], true), (vec!["b"], true), (vec![], false), (vec!["a"], false), (vec!["b", "a"], false)]
        {
            assert_eq!(is_in_turn(&old, &of(&new)), expected, "{new:?}");
        }
        let mut refused = of(&[]);
        refuse(&mut refused, json!({"status": "Failure"}));
        assert!(is_in_turn(&old, &refused));
    }
}
