//! Rules around expressions.

use super::expressions::{cluster, cluster_condition, condition, list, value};
use super::syntax::Syntax;
use crate::differential::chance::Chance;

const EACH: &str = "some name, c in data.fleet.clusters";

fn statements(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Rules of the library that others read.
pub(super) fn library(syntax: Syntax) -> String {
    let ready = statements(&[EACH, "c.status.ready"]);
    [
        syntax.complete("tier(object)", "object.metadata.labels.tier", &[])
            + &syntax.or_else("\"small\"", &statements(&["object.spec.capacity < 2"]))
            + &syntax.or_else("\"unknown\"", &statements(&["not object.spec"])),
        syntax.complete("ready[name]", "c.spec.region", &ready),
        syntax.complete("count_of_ready", "count(ready)", &[]),
        syntax.contains("regions", "c.spec.region", &statements(&[EACH])),
        if syntax.v0 {
            syntax.complete("by_region[region]", "names", &statements(&["regions[region]", "names := {n | ready[n] == region}"]))
        } else {
            syntax.contains("by_region[c.spec.region]", "name", &statements(&[EACH]))
        },
        helpers(syntax),
    ]
    .join("\n\n")
}

/// Rules that the others of the package read.
pub(super) fn helpers(syntax: Syntax) -> String {
    let default = if syntax.v0 { "=" } else { ":=" };
    [
        format!("default helper(_) {default} \"none\""),
        syntax.complete("helper(object)", "object.metadata.labels.tier", &[]),
        syntax.complete("capacity(cluster)", "cluster.spec.capacity", &statements(&["cluster.status.ready"])),
        syntax.complete("capacity(cluster)", "0", &statements(&["not cluster.status.ready"])),
        syntax.complete("level(n)", "\"high\"", &statements(&["n > 3"]))
            + &syntax.or_else("\"middle\"", &statements(&["n > 1"]))
            + &syntax.or_else("\"low\"", &statements(&["is_number(n)"])),
        syntax.complete("fallback(x, y)", "x", &statements(&["x != \"\""])),
        syntax.complete("fallback(\"\", y)", "y", &[]),
        syntax.contains("allowed", "name", &statements(&[EACH, "c.status.ready"])),
        syntax.complete("weight[name]", "c.spec.capacity", &statements(&[EACH])),
    ]
    .join("\n\n")
}

/// One rule, or some that belong together.
pub(super) fn rule(chance: &mut Chance, syntax: Syntax, name: &str) -> String {
    let assign = if syntax.v0 { "=" } else { ":=" };
    match chance.below(29) {
        0 => format!("default {name} {assign} false\n\n{}", syntax.holds(name, &body(chance))),
        1 => syntax.holds(name, &[format!("not {}", condition(chance).trim_start_matches("not "))]),
        2 => syntax.complete(name, &value(chance), &body(chance)),
        3 => {
            syntax.complete(name, "1", &body(chance)) + &syntax.or_else("2", &body(chance)) + &syntax.or_else(&value(chance), &[])
        }
        4 | 5 => syntax.contains(name, "name", &each(chance)),
        6 => syntax.contains(name, &cluster(chance), &each(chance)),
        7 => syntax.complete(&format!("{name}[name]"), &cluster(chance), &each(chance)),
        8 => syntax.complete(&format!("{name}[{}]", cluster(chance)), "name", &each(chance)),
        9 if !syntax.v0 => format!(
            "{}\n\n{}",
            syntax.complete(&format!("{name}.clusters[name].weight"), &cluster(chance), &each(chance)),
            syntax.complete(&format!("{name}.rebalance"), &value(chance), &body(chance))
        ),
        10 => every(chance, syntax, name),
        11 => syntax.holds(
            name,
            &[format!("every k, c in data.fleet.clusters {{\n\t\tk != \"\"\n\t\t{}\n\t}}", cluster_condition(chance))],
        ),
        12 => format!("{name} {assign} {{name: {} | {EACH}; {}}}", cluster(chance), cluster_condition(chance)),
        13 => format!("{name} {assign} [{} | some c in data.fleet.clusters; {}]", cluster(chance), cluster_condition(chance)),
        14 => format!("{name} {assign} count({{x | some x in {}; x != {}}})", list(chance), value(chance)),
        15 | 16 => message(chance, syntax, name),
        17 => syntax.complete(name, "x", &[format!("x := {} + {}", value(chance), value(chance))]),
        18 => format!("{name} {assign} max([n | some c in data.fleet.clusters; n := {}])", cluster(chance)),
        19 => syntax.contains(
            name,
            "c",
            &[format!("some c in {}", list(chance)), format!("not {} in {}", value(chance), list(chance))],
        ),
        20 => syntax.complete(name, "x", &[format!("x := {} in {}", value(chance), list(chance))]),
        21 => function(chance, syntax, name),
        22 => nested(chance, syntax, name),
        23 => syntax.contains(name, "x", &[format!("x := {}[_]", list(chance)), format!("x != {}", value(chance))]),
        24 => syntax.complete(name, "v", &["v := weight[k]".to_owned(), format!("k == {}", value(chance))]),
        25 if !syntax.v0 => format!(
            "{}\n\n{}",
            syntax.contains(&format!("{name}[c.spec.region]"), "name", &each(chance)),
            syntax.contains(&format!("{name}_too.fixed"), &value(chance), &body(chance))
        ),
        26 => format!(
            "default {name} {assign} {{\"deny\": []}}\n\n{}",
            syntax.complete(name, &format!("{{\"deny\": [{}]}}", value(chance)), &body(chance))
        ),
        _ => format!("{name} {assign} {{\"a\": {}, \"b\": [{}, {{{}}}]}}", value(chance), value(chance), value(chance)),
    }
}

fn every(chance: &mut Chance, syntax: Syntax, name: &str) -> String {
    let test = match chance.below(3) {
        0 => format!("x != {}", value(chance)),
        1 => format!("x in {}", list(chance)),
        _ => format!("not x == {}", value(chance)),
    };
    syntax.holds(name, &[format!("every x in {} {{\n\t\t{test}\n\t}}", list(chance))])
}

fn message(chance: &mut Chance, syntax: Syntax, name: &str) -> String {
    let mut statements = body(chance);
    statements.push(format!("message := sprintf(\"%v: %s\", [{}, {}])", value(chance), value(chance)));
    syntax.contains(name, "message", &statements)
}

/// A function of several definitions, and what calls it.
fn function(chance: &mut Chance, syntax: Syntax, name: &str) -> String {
    let call = if chance.one_in(2) {
        syntax.complete(name, &format!("{name}_of({}, {})", value(chance), value(chance)), &[])
    } else {
        syntax.contains(name, "x", &[format!("some c in {}", list(chance)), format!("x := {name}_of(c, {})", value(chance))])
    };
    [
        syntax.complete(&format!("{name}_of(x, \"eu\")"), "x", &body(chance)),
        syntax.complete(&format!("{name}_of(x, y)"), "\"same\"", &["x == y".to_owned(), "y != \"eu\"".to_owned()])
            + &syntax.or_else("[x, y]", &body(chance).into_iter().chain(["y != \"eu\"".to_owned()]).collect::<Vec<_>>()),
        call,
    ]
    .join("\n\n")
}

fn nested(chance: &mut Chance, syntax: Syntax, name: &str) -> String {
    let assign = if syntax.v0 { "=" } else { ":=" };
    let (a, b) = (list(chance), list(chance));
    match chance.below(4) {
        0 => format!("{name} {assign} {{x: ys | some x in {a}; ys := [y | some y in {b}; y != x]}}"),
        1 => {
            format!("{name} {assign} [count(xs) | some c in data.fleet.clusters; xs := {{x | some x in {a}; x in c.spec.zones}}]")
        }
        2 => format!(
            "{name} {assign} {{r: names | some r in {a}; names := {{n | some n, c in data.fleet.clusters; c.spec.region == r}}}}"
        ),
        _ => format!("{name} {assign} [k | some k, v in {a}; not v in {b}; {}]", condition(chance)),
    }
}

fn body(chance: &mut Chance) -> Vec<String> {
    let count = chance.below(3) + 1;
    (0..count).map(|_| condition(chance)).collect()
}

fn each(chance: &mut Chance) -> Vec<String> {
    let count = chance.below(2) + 1;
    std::iter::once(EACH.to_owned()).chain((0..count).map(|_| cluster_condition(chance))).collect()
}
