//! What rules read, compute and compare.

use crate::differential::chance::Chance;

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
    "object.get(input, \"spec\", {\"replicas\": 1}).replicas",
    "data.limits.eu",
    "data.limits[input.metadata.labels.region]",
    "limits.none",
    "limits[input.metadata.labels.region]",
    "count(input.spec.containers)",
    "helper(input)",
    "level(input.spec.replicas)",
    "fallback(input.metadata.labels.tier, \"x\")",
    "FLEET.tier(input)",
    "FLEET.ready[\"c1\"]",
    "FLEET.count_of_ready",
    "FLEET.by_region.eu",
    "data.lib.fleet.by_region[input.metadata.labels.region]",
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
    "level(c.spec.capacity)",
    "FLEET.tier(c)",
];

const WORDS: &[&str] =
    &["\"prod\"", "\"eu\"", "\"us\"", "\"gold\"", "2", "0", "-1", "1.5", "0.1", "null", "false", "true", "[]", "{}", "set()"];
const COMPARE: &[&str] = &["==", "!=", "<", ">=", ">", "<="];
const LISTS: &[&str] = &[
    "input.spec.regions",
    "input.spec.containers",
    "input.metadata.labels",
    "data.teams.gold",
    "data.fleet.clusters",
    "input.spec.none",
    "[1, 2, 3]",
    "{\"a\", \"eu\", \"prod\"}",
    "{\"eu\": 1, \"us\": 2}",
    "allowed",
    "FLEET.ready",
    "object.keys(data.fleet.clusters)",
    "[x | x := input.spec.regions[_]]",
    "{x | some x in input.spec.regions}",
    "[name | some name, _ in data.fleet.clusters]",
    "{c.spec.region | some c in data.fleet.clusters}",
    "{name: c.spec.capacity | some name, c in data.fleet.clusters}",
    "numbers.range(0, input.spec.replicas)",
    "split(input.metadata.labels.tier, \"o\")",
    "array.concat(input.spec.regions, [\"eu\"])",
    "{{\"eu\"}, {}, {\"eu\": 1}, set()}",
    "{x | some x in [{1}, {}, input.metadata, {input.kind}]}",
];

/// Calls of builtins; `A` and `B` are values, `L` is a list.
const CALLS: &[&str] = &[
    "lower(A)",
    "upper(A)",
    "trim_prefix(A, \"p\")",
    "trim(A, \"eu\")",
    "replace(A, \"o\", \"0\")",
    "concat(\"-\", L)",
    "contains(A, \"o\")",
    "indexof(A, \"o\")",
    "substring(A, 1, 2)",
    "split(A, \"o\")",
    "sprintf(\"%v/%v\", [A, B])",
    "sprintf(\"%d of %s\", [A, B])",
    "regex.match(\"^p.*d$\", A)",
    "regex.replace(A, \"[aeiou]\", \"_\")",
    "regex.split(\"o\", A)",
    "regex.find_n(\"[a-z]\", A, 2)",
    "glob.match(\"p*\", [], A)",
    "strings.any_prefix_match(A, [\"p\", \"e\"])",
    "strings.reverse(A)",
    "count(L)",
    "sum(L)",
    "product(L)",
    "max(L)",
    "min(L)",
    "sort(L)",
    "array.slice(L, 0, 1)",
    "array.reverse(L)",
    "to_number(A)",
    "abs(A)",
    "round(A)",
    "ceil(A)",
    "floor(A)",
    "format_int(A, 2)",
    "type_name(A)",
    "is_string(A)",
    "is_number(A)",
    "is_object(A)",
    "json.marshal(A)",
    "object.remove(input.metadata.labels, [\"tier\"])",
    "object.filter(input.metadata.labels, [\"tier\", \"team\"])",
    "object.union(input.metadata.labels, {\"tier\": A})",
    "object.union({\"a\": {\"b\": 1}}, {\"a\": {\"c\": A}})",
    "object.get(input.metadata.labels, A, B)",
    "object.get(data.limits, [A], B)",
    "json.remove(input.metadata, [\"labels/tier\"])",
    "json.filter(input, [\"spec/replicas\"])",
    "json.patch({\"a\": 1}, [{\"op\": \"add\", \"path\": \"/b\", \"value\": A}])",
    "union({{A}, {B}})",
    "intersection({{A, 1}, {B, 1}})",
    "{A, B} | {\"eu\"}",
    "{A, \"eu\"} & {B, \"eu\"}",
    "{A, 1} - {B}",
    "[A, B] == [B, A]",
    "[A] < [B]",
    "{A} >= {B}",
    "{\"k\": A} > {\"k\": B}",
    "max({A, B, {}})",
    "sort([A, B, set()])",
    "[x | some x in {y | some y in [A, B]}]",
    "[L[_] | some x in L; x != A]",
    "{L[_]: x | some x in [A]}",
    "{A, B} == {B, A}",
    "{\"k\": A} == {\"k\": B}",
    "count([1 | some x in L; x == A])",
    "count({x | x := L[_]})",
    "{k: [v | some v in L; v != A] | some k in [\"a\", \"b\"]}",
    "[[x, y] | some x in L; some y in [A, B]]",
    "(A + B) * 2",
    "A - B",
    "A / B",
    "A % B",
    "-1 * A",
    "A * 0.5",
    "A * 0.25 + B",
    "input.spec.replicas % 2",
    "input.spec.replicas / 4",
    "units.parse(A)",
    "semver.compare(\"1.2.3\", \"1.10.0\")",
    "[x | some _, x in L; [A, B][_] != x]",
    "[count(xs) | some _, x in L; xs := [y | some _, y in [A, x]; [B, x][_] != y]]",
];

pub(super) fn list(chance: &mut Chance) -> String {
    chance.pick(LISTS).to_owned()
}

/// A value of the object.
pub(super) fn value(chance: &mut Chance) -> String {
    match chance.below(10) {
        0 | 1 => chance.pick(WORDS).to_owned(),
        2 | 3 => call(chance),
        _ => chance.pick(OBJECT).to_owned(),
    }
}

fn call(chance: &mut Chance) -> String {
    let call = chance.pick(CALLS);
    let (a, b, list) = (operand(chance), operand(chance), chance.pick(LISTS));
    // The letters stand alone: nothing in a call looks like them.
    let put = |text: &str, letter: char, value: &str| {
        let alone = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '"' || c == '.');
        let chars: Vec<char> = text.chars().collect();
        let place = |(at, c): (usize, &char)| {
            let before = at.checked_sub(1).and_then(|at| chars.get(at).copied());
            let placed = *c == letter && alone(before) && alone(chars.get(at + 1).copied());
            if placed { value.to_owned() } else { c.to_string() }
        };
        chars.iter().enumerate().map(place).collect::<String>()
    };
    put(&put(&put(call, 'A', "\u{1}"), 'B', &b), 'L', list).replace('\u{1}', &a)
}

fn operand(chance: &mut Chance) -> String {
    if chance.one_in(4) { chance.pick(WORDS).to_owned() } else { chance.pick(OBJECT).to_owned() }
}

/// A value that a cluster `c` has.
pub(super) fn cluster(chance: &mut Chance) -> String {
    if chance.one_in(4) { value(chance) } else { chance.pick(CLUSTER).to_owned() }
}

pub(super) fn condition(chance: &mut Chance) -> String {
    let (a, b) = (value(chance), value(chance));
    // Alone, `not true` is no body to OPA (docs/regorus/known-differences.md).
    let a = if a == "true" { "(1 == 1)".to_owned() } else { a };
    match chance.below(17) {
        0 => a,
        1 | 2 => format!("not {a}"),
        3 => format!("not {a} == {b}"),
        4 => format!("startswith({a}, \"p\")"),
        5 => format!("not startswith({a}, \"p\")"),
        6 => format!("{b} in {}", list(chance)),
        7 => format!("not {b} in {}", list(chance)),
        8 => format!("count({}) > 1", list(chance)),
        9 => format!("not {a} {} {b}", chance.pick(COMPARE)),
        10 => format!("not weight[{b}]"),
        11 => format!("not allowed[{b}]"),
        12 => format!(
            "{a} == {b} with input as {{\"metadata\": {{\"labels\": {{\"tier\": \"prod\"}}}}, \"spec\": {{\"replicas\": 3}}}}"
        ),
        13 => format!("not {a} with input.metadata.labels as {{\"tier\": {b}}}"),
        14 => format!(
            "count(allowed) {} 1 with data.fleet.clusters as {{\"x\": {{\"status\": {{\"ready\": true}}}}}}",
            chance.pick(COMPARE)
        ),
        _ => format!("{a} {} {b}", chance.pick(COMPARE)),
    }
}

pub(super) fn cluster_condition(chance: &mut Chance) -> String {
    let (a, b) = (chance.pick(CLUSTER).to_owned(), cluster(chance));
    let grounded = |text: &str| text.replace("[_]", "[0]");
    match chance.below(11) {
        0 => a,
        1 => format!("not {}", grounded(&a)),
        2 => format!("not {} == {}", grounded(&a), grounded(&b)),
        3 => format!("not startswith({}, \"e\")", grounded(&a)),
        4 => format!("{} in c.spec.zones", grounded(&b)),
        5 => format!("not {} in c.spec.zones", grounded(&b)),
        6 => condition(chance),
        7 => format!("{a} * 2 {} {b}", chance.pick(COMPARE)),
        8 => format!("some zone in c.spec.zones; zone != {b}"),
        9 => format!("not weight[{}]", grounded(&b)),
        _ => format!("{a} {} {b}", chance.pick(COMPARE)),
    }
}
