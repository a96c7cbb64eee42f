//! A total order of JSON values, in which 1 and 1.0 are one. Source: `structured-merge-diff` `value.Compare`.

use std::cmp::Ordering;

use serde_json::{Number, Value as Json};

/// A value that can be looked up: numbers before strings, booleans, lists, objects, null.
#[derive(Clone, Debug)]
pub(crate) struct Ordered(pub(super) Json);

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.0, &other.0)
    }
}

/// Whether both are one value.
pub(super) fn same(left: &Json, right: &Json) -> bool {
    compare(left, right).is_eq()
}

fn compare(left: &Json, right: &Json) -> Ordering {
    match (left, right) {
        (Json::Number(left), Json::Number(right)) => numbers(left, right),
        (Json::String(left), Json::String(right)) => left.cmp(right),
        (Json::Bool(left), Json::Bool(right)) => left.cmp(right),
        (Json::Array(left), Json::Array(right)) => {
            all(left.iter().zip(right).map(|(l, r)| compare(l, r)), left.len(), right.len())
        }
        (Json::Object(left), Json::Object(right)) => {
            let fields = left.iter().zip(right).map(|((left, l), (right, r))| left.cmp(right).then_with(|| compare(l, r)));
            all(fields, left.len(), right.len())
        }
        _ => rank(left).cmp(&rank(right)),
    }
}

fn all(mut members: impl Iterator<Item = Ordering>, left: usize, right: usize) -> Ordering {
    members.find(|order| order.is_ne()).unwrap_or_else(|| left.cmp(&right))
}

fn rank(value: &Json) -> u8 {
    match value {
        Json::Number(_) => 0,
        Json::String(_) => 1,
        Json::Bool(_) => 2,
        Json::Array(_) => 3,
        Json::Object(_) => 4,
        Json::Null => 5,
    }
}

/// As floats; integers that are one float are told apart exactly, so that the order stays total.
fn numbers(left: &Number, right: &Number) -> Ordering {
    let key = |number: &Number| {
        let float = number.as_f64().unwrap_or(f64::MAX) + 0.0;
        (float, number.as_i128().unwrap_or(float as i128))
    };
    let ((left_float, left_exact), (right_float, right_exact)) = (key(left), key(right));
    left_float.total_cmp(&right_float).then(left_exact.cmp(&right_exact))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::patch::testing::any_json;

    #[test]
    fn values_of_different_types_have_their_ranks() {
        let sorted =
            [json!(-1.5), json!(2), json!("a"), json!(false), json!(true), json!([]), json!([1]), json!({}), json!(null)];
        for pair in sorted.windows(2) {
            assert_eq!(compare(&pair[0], &pair[1]), Ordering::Less, "{} {}", pair[0], pair[1]);
        }
        assert!(same(&json!({"a": 1}), &json!({"a": 1.0})) && same(&json!(0.0), &json!(-0.0)));
        assert!(!same(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992_u64)));
    }

    proptest! {
        #[test]
        fn the_order_is_total(a in any_json(), b in any_json(), c in any_json()) {
            prop_assert_eq!(compare(&a, &b), compare(&b, &a).reverse());
            if compare(&a, &b).is_le() && compare(&b, &c).is_le() {
                prop_assert!(compare(&a, &c).is_le());
            }
        }
    }
}
