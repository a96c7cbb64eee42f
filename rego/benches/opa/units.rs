//! What the smallest steps cost: loops with and without each of them.

use super::case::{Case, Outcome};
use super::clock::{each, human};

/// How often a loop goes round.
const ROUNDS: u32 = 10_000;

/// A loop's body, what is added to which other body, and how often.
const UNITS: [(&str, &str, Option<usize>, f64); 6] = [
    ("element of a comprehension", "some x in data.items", None, 1.0),
    ("binding", "some x in data.items; y := x", Some(0), 1.0),
    ("reference step", "some x in data.items; y := x.a.b.c.d", Some(1), 4.0),
    ("comparison", "some x in data.items; x.name == \"item\"", Some(1), 1.0),
    ("call of a function", "some x in data.items; f(x.name)", Some(1), 1.0),
    ("call of a builtin", "some x in data.items; startswith(x.name, \"i\")", Some(1), 1.0),
];

/// Prints them, in nanoseconds.
pub(crate) fn print() -> Outcome<()> {
    println!();
    let mut times: Vec<f64> = Vec::new();
    for (name, body, without, steps) in UNITS {
        let ready = Case {
            name: name.to_owned(),
            texts: vec![("units.rego".to_owned(), format!("package units\n\nx := [1 | {body}]\n\nf(name) if name == \"item\""))],
            prepared: false,
            path: "data.units.x".to_owned(),
            data: format!(
                "{{\"items\": [{}]}}",
                vec![r#"{"name": "item", "a": {"b": {"c": {"d": 1}}}}"#; ROUNDS as usize].join(",")
            ),
            input: "{}".to_owned(),
        }
        .ready()?;
        let time = each(|| ready.evaluate())? / f64::from(ROUNDS);
        let less = without.and_then(|other| times.get(other)).copied().unwrap_or(0.0);
        times.push(time);
        println!("{name:<28} {:>12}", human((time - less) / steps));
    }
    Ok(())
}
