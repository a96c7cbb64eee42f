//! Base documents and a part of the input that are deep: objects in arrays, arrays in objects, keys and texts that look like indices.

use serde_json::{Value as Json, json};

use super::super::chance::Chance;

/// What lies at the ends; written numbers are marked.
const NUMBERS: &[&str] = &["~1.0", "~1e0", "~10e-1", "~-0", "~-0.0", "~12345678901234567890", "~9007199254740993", "~2.50"];

/// `data.base` and `data.other`.
pub(super) fn add_to_data(chance: &mut Chance, data: &mut Json) {
    let mut a = json!({"s": leaf(chance), "b": {"c": leaf(chance), "d": {"e": leaf(chance)}}});
    if chance.one_in(3) {
        a["n"] = json!([leaf(chance), {"k": leaf(chance)}]);
    }
    if chance.one_in(4) {
        a["1"] = leaf(chance);
    }
    let mut base = json!({
        "a": a,
        "list": list(chance),
        "obj": {"1": leaf(chance), "k": leaf(chance)},
        "deep": [[leaf(chance), leaf(chance)], {"1": [leaf(chance), leaf(chance)]}],
        "numbers": [chance.below(3), chance.pick(NUMBERS), chance.pick(NUMBERS)],
    });
    if chance.one_in(3) {
        base["obj"][*chance.pick(&[&"0", &"1.0", &"-0", &"01", &"true"])] = leaf(chance);
    }
    if chance.one_in(2) {
        base["more"] = json!({"m": leaf(chance), "b2": {"c": leaf(chance)}});
    }
    data["base"] = base;
    data["other"] = json!({"b": leaf(chance), "more": {"x": leaf(chance)}});
}

fn list(chance: &mut Chance) -> Json {
    let mut list = vec![leaf(chance), json!([leaf(chance), leaf(chance)]), json!({"k": leaf(chance), "1": leaf(chance)})];
    list.truncate(chance.below(3) + 2);
    if chance.one_in(3) {
        list.swap(0, 1);
    }
    list.into()
}

/// `input.tree`.
pub(super) fn of_input(chance: &mut Chance) -> Json {
    let at = [json!(0), json!(1), json!("1"), json!("~1.0"), json!("0")][chance.below(5)].clone();
    let mut tree = json!({
        "k": leaf(chance),
        "key": chance.pick(&["b", "s", "list", "a"]),
        "at": at,
        "n": chance.pick(NUMBERS),
        "list": list(chance),
        "o": {"1": leaf(chance), "b": leaf(chance)},
    });
    if chance.one_in(3) {
        tree["obj"] = json!({"1": leaf(chance), "1.0": leaf(chance)});
    }
    if chance.one_in(6) {
        tree["k"] = json!({"b": leaf(chance)});
    }
    tree
}

fn leaf(chance: &mut Chance) -> Json {
    match chance.below(12) {
        0 | 1 => json!(1),
        2 => json!(2),
        3 => json!(chance.pick(NUMBERS)),
        4 => json!(false),
        5 => json!("1"),
        6 => json!("x"),
        _ => json!(chance.pick(&["b", "s", "prod", "eu"])),
    }
}
