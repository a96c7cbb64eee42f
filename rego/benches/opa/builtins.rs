//! Builtins, and what policies do with large values: each in a loop of its own over small values, and once over a large one.

use serde_json::{Map, Value as Json, json};

use super::case::Case;

/// A token of HS256 with the key `secret`.
const TOKEN: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJtZSJ9.tY5UTzGBi-lx3tE-p_ZIBnGQOEy03LMR98dXC-k32Kk";

/// Two cases for each line of `builtins.txt`.
pub(crate) fn cases() -> Vec<Case> {
    let inputs = [("small", json!((0..60).map(|n| item(n, 1)).collect::<Vec<_>>())), ("large", json!([item(7, 500)]))];
    let bodies = include_str!("builtins.txt").lines().filter(|line| !line.starts_with('#'));
    bodies.flat_map(|body| inputs.each_ref().map(|(size, items)| case(size, body, items))).collect()
}

fn case(size: &str, body: &str, items: &Json) -> Case {
    Case {
        name: format!("builtins {size} {body}"),
        texts: vec![("loop.rego".to_owned(), format!("package loop\n\nheld := count([1 | some x in input.items; {body}])\n"))],
        prepared: false,
        path: "data.loop".to_owned(),
        data: "{}".to_owned(),
        input: json!({"items": items, "jwt": TOKEN}).to_string(),
    }
}

/// Returns one member of `input.items`: an object with all that the expressions of `builtins.txt` read. `n` makes its values differ from
/// those of other members, and its texts, arrays and objects are `times` as large as those of a small one.
fn item(n: usize, times: usize) -> Json {
    let texts: Vec<_> = (0..times).map(|m| format!("the quick brown fox {} jumps over the lazy dog", n + m)).collect();
    let text = texts.join(" ");
    let mut object: Map<_, _> = (0..times * 2).map(|m| (format!("k{m}"), json!({"a": m, "b": [m, m.to_string()]}))).collect();
    object.extend([("a".to_owned(), json!(1)), ("b".to_owned(), json!({"c": n}))]);
    json!({
        "n": n * 17 + 3, "f": n as f64 * 1.37 + 0.25, "num": (n * 3).to_string(), "ns0": 1_700_000_000_000_000_000_u64,
        "t": text, "up": text.to_uppercase(), "hex": text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>(),
        "b64": "QUJD".repeat(15 * times), "js": Json::Object(object.clone()).to_string(), "o": object,
        "ns": (0..20 * times).map(|m| (m * 7_919 + n) % 100_003).collect::<Vec<_>>(), "small": vec![2; 4],
        "ss": (0..10 * times).map(|m| format!("s{}", (m * 7_919 + n) % 4_001)).collect::<Vec<_>>(),
        "q": (0..2 * times).map(|m| format!("a{m}={m}")).collect::<Vec<_>>().join("&"),
        "y": (0..times).map(|m| format!("k{m}:\n- x\n- y: {m}\n")).collect::<String>(),
        "host": format!("h{n}.example.org"), "ip": format!("10.1.2.{n}"), "cidr": format!("10.{n}.0.0/16"), "v": format!("1.{n}.3"),
        "url": format!("https://u:p@h{n}.example.org:8080/a/b?x=1#f"),
    })
}
