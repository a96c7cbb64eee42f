//! Placement and admission policies as people write them, with chance in what they read, compare and leave out.

use super::chance::Chance;

/// Expressions that read the object; many are undefined for some inputs.
const OBJECT: &[&str] = &[
    "input.metadata.labels.tier",
    "input.metadata.labels.region",
    "input.metadata.labels[\"team\"]",
    "input.metadata.annotations.tier",
    "input.metadata.name",
    "input.spec.replicas",
    "input.spec.regions[0]",
    "input.spec.containers[0].cpu",
    "input.kind",
    "object.get(input, [\"metadata\", \"labels\", \"tier\"], \"none\")",
    "object.get(input.metadata, \"labels\", {})",
    "data.limits.eu",
    "data.limits[input.metadata.labels.region]",
    "data.limits.none",
    "count(input.spec.containers)",
    "helper(input)",
];

/// Expressions of a cluster `c`.
const CLUSTER: &[&str] = &[
    "c.metadata.labels.tier",
    "c.metadata.labels.region",
    "c.metadata.labels[input.metadata.labels.team]",
    "c.spec.region",
    "c.spec.capacity",
    "c.spec.zones[_]",
    "c.status.ready",
    "c.none",
    "capacity(c)",
    "object.get(c.metadata, \"labels\", {}).tier",
    "data.limits[c.spec.region]",
];

const WORDS: &[&str] = &["\"prod\"", "\"eu\"", "\"us\"", "\"gold\"", "2", "0", "null", "false", "true"];
const COMPARE: &[&str] = &["==", "!=", "<", ">=", ">"];
const LISTS: &[&str] = &[
    "input.spec.regions",
    "input.spec.containers",
    "input.metadata.labels",
    "data.teams.gold",
    "data.fleet.clusters",
    "input.spec.none",
    "[1, 2, 3]",
    "{\"a\", \"b\"}",
];

/// How many of the rules are helpers of the others.
pub(super) const HELPERS: usize = 3;

/// Rules of a package; helpers come first and are always there.
pub(super) fn rules(chance: &mut Chance) -> Vec<String> {
    let mut rules = vec![
        "default helper(_) := \"none\"\n\nhelper(object) := object.metadata.labels.tier".to_owned(),
        "capacity(cluster) := cluster.spec.capacity if cluster.status.ready\n\ncapacity(cluster) := 0 if not cluster.status.ready".to_owned(),
        "allowed contains name if {\n\tsome name, c in data.fleet.clusters\n\tc.status.ready\n}".to_owned(),
    ];
    let count = chance.below(6) + 4;
    (0..count).for_each(|at| rules.push(rule(chance, at)));
    rules
}

fn rule(chance: &mut Chance, at: usize) -> String {
    let name = format!("r{at}");
    match chance.below(20) {
        0 => format!("default {name} := false\n\n{name} if {{\n{}\n}}", body(chance)),
        1 => format!("{name} if not {}", condition(chance)),
        2 => format!("{name} := {} if {}", value(chance), condition(chance)),
        3 => format!("{name} := 1 if {} else := 2 if {} else := {}", condition(chance), condition(chance), value(chance)),
        4 => format!("{name} contains name if {{\n\tsome name, c in data.fleet.clusters\n{}\n}}", cluster_body(chance)),
        5 => {
            format!("{name} contains {} if {{\n\tsome _, c in data.fleet.clusters\n{}\n}}", cluster(chance), cluster_body(chance))
        }
        6 => format!(
            "{name}[name] := {} if {{\n\tsome name, c in data.fleet.clusters\n{}\n}}",
            cluster(chance),
            cluster_body(chance)
        ),
        7 => format!(
            "{name}[{}] := name if {{\n\tsome name, c in data.fleet.clusters\n{}\n}}",
            cluster(chance),
            cluster_body(chance)
        ),
        8 => format!(
            "{name}.clusters[name].weight := {} if {{\n\tsome name, c in data.fleet.clusters\n{}\n}}\n\n{name}.rebalance := {} if {}",
            cluster(chance),
            cluster_body(chance),
            value(chance),
            condition(chance)
        ),
        9 => format!("{name} if {{\n\tevery x in {} {{\n\t\tx != {}\n\t}}\n}}", chance.pick(LISTS), value(chance)),
        10 => format!(
            "{name} if {{\n\tevery k, c in data.fleet.clusters {{\n\t\tk != \"\"\n\t{}\n\t}}\n}}",
            cluster_condition(chance)
        ),
        11 => {
            format!("{name} := {{name: {} | some name, c in data.fleet.clusters; {}}}", inside(chance), cluster_condition(chance))
        }
        12 => format!("{name} := [{} | some c in data.fleet.clusters; {}]", inside(chance), cluster_condition(chance)),
        13 => format!("{name} := count({{x | some x in {}; x != {}}})", chance.pick(LISTS), value(chance)),
        14 => format!(
            "{name} contains message if {{\n{}\n\tmessage := sprintf(\"%v: %v\", [{}, {}])\n}}",
            body(chance),
            value(chance),
            value(chance)
        ),
        15 => format!("{name} := x if {{\n\tx := {} + {}\n}}", value(chance), value(chance)),
        16 => format!("{name} := max([n | some c in data.fleet.clusters; n := {}])", inside(chance)),
        17 => format!(
            "{name} contains c if {{\n\tsome c in {}\n\tnot {} in {}\n}}",
            chance.pick(LISTS),
            value(chance),
            chance.pick(LISTS)
        ),
        18 => format!("{name} := {} in {}", value(chance), chance.pick(LISTS)),
        _ => format!("{name} := {{\"a\": {}, \"b\": {}}}", value(chance), value(chance)),
    }
}

fn body(chance: &mut Chance) -> String {
    let count = chance.below(3) + 1;
    (0..count).map(|_| format!("\t{}", condition(chance))).collect::<Vec<_>>().join("\n")
}

fn cluster_body(chance: &mut Chance) -> String {
    let count = chance.below(2) + 1;
    (0..count).map(|_| format!("\t{}", cluster_condition(chance))).collect::<Vec<_>>().join("\n")
}

/// An expression of the object.
fn value(chance: &mut Chance) -> String {
    if chance.one_in(4) { chance.pick(WORDS).to_owned() } else { chance.pick(OBJECT).to_owned() }
}

fn cluster(chance: &mut Chance) -> String {
    if chance.one_in(5) { value(chance) } else { chance.pick(CLUSTER).to_owned() }
}

/// An expression in the head of a comprehension: to iterate there fails when there is nothing to iterate over
/// (docs/regorus/iteration-in-comprehension-heads.md), loudly.
fn inside(chance: &mut Chance) -> String {
    cluster(chance).replace("[_]", "[0]")
}

fn condition(chance: &mut Chance) -> String {
    let (a, b) = (chance.pick(OBJECT), value(chance));
    match chance.below(9) {
        0 => a.to_owned(),
        1 => format!("not {a}"),
        2 => format!("not {a} == {b}"),
        3 => format!("startswith({a}, \"p\")"),
        4 => format!("not startswith({a}, \"p\")"),
        5 => format!("{b} in {}", chance.pick(LISTS)),
        6 => format!("not {b} in {}", chance.pick(LISTS)),
        7 => "count(allowed) > 1".to_owned(),
        _ => format!("{a} {} {b}", chance.pick(COMPARE)),
    }
}

fn cluster_condition(chance: &mut Chance) -> String {
    let (a, b) = (chance.pick(CLUSTER).replace("[_]", "[0]"), cluster(chance).replace("[_]", "[0]"));
    match chance.below(9) {
        0 => a,
        1 => format!("not {a}"),
        2 => format!("not {a} == {b}"),
        3 => format!("not startswith({a}, \"e\")"),
        4 => format!("{b} in c.spec.zones"),
        5 => format!("not {b} in c.spec.zones"),
        6 => condition(chance),
        7 => format!("{a} * 2 {} {b}", chance.pick(COMPARE)),
        _ => format!("{a} {} {b}", chance.pick(COMPARE)),
    }
}
