//! Policies that make documents of the members of a fleet.

use super::Choices;

/// Rules that go through `data.m`, and through one another.
pub(super) fn written(choices: &mut Choices<'_>) -> [String; 3] {
    let (mut q, mut rules) = ("package q\n\n".to_owned(), Vec::new());
    for number in 0..=choices.below(4) {
        q += &rule(choices, number, &rules);
        rules.push(format!("r{number}"));
    }
    q += choices.of(&[
        "f(c) if c.b\n\n",
        "f(c) := c.b if c.u > 1 else := c.a if input.a != \"k\"\n\n",
        "default f(_) := false\n\nf(c) if c.b\n\n",
    ]);
    q += "f(c) if c.a == input.a\n\ng(c) := to_number(c.t)\n\nh(x) := [x]\n";
    let answer = match choices.below(7) {
        4 => format!("answer contains input.a if data.q.{}[input.n]\n", source(choices, &rules, "r0")),
        5 => format!("answer contains input.a if not data.q.{}[1]\n", source(choices, &rules, "r0")),
        0 => "answer := data.q\n".to_owned(),
        1 => format!("answer := [count(data.q.{0}), input.a]\n\nanswer := 0 if not data.q.{0}\n", source(choices, &rules, "r0")),
        2 => format!("answer contains [k, input.a] if some k, _ in data.q.{}\n", source(choices, &rules, "r0")),
        _ => format!("answer := data.q.{}\n", source(choices, &rules, "r0")),
    };
    [q, format!("package p\n\n{answer}"), "package t\n".to_owned()]
}

fn rule(choices: &mut Choices<'_>, number: usize, rules: &[String]) -> String {
    let (key, value) = (part(choices), part(choices));
    let collection = if choices.chance(3) { source(choices, rules, "data.m") } else { "data.m".to_owned() };
    let mut body = match choices.below(5) {
        0 => format!("some n, _ in {collection}; c := data.m[n]"),
        1 => format!("some n in {collection}; c := data.m[n]"),
        2 => format!("c := {collection}[n]"),
        _ => format!("some n, c in {collection}"),
    };
    if !choices.chance(4) {
        body += "; input.a != \"none\"";
    }
    if choices.chance(8) {
        body += choices.of(&["; is_number(n)", "; is_number(n)", "; is_string(n)"]);
    }
    for _ in 0..=choices.below(2) {
        body += &format!("; {}", condition(choices, rules));
    }
    match choices.below(12) {
        11 => {
            // Only who asks by numbers finds these.
            let test = choices.of(&["c.b", "not c.b", "c.a == input.a"]);
            format!("r{number} contains n if {{ some n, c in data.m; is_number(n); {test} }}\n\n")
        }
        10 => {
            let other = condition(choices, rules);
            let each = format!("some n, c in {collection}; {other}");
            format!(
                "r{number}.x := {{{key} | {body}}} if input.a != \"k\" else := [{value} | {each}]\n\nr{number}.y := {value} if {{ c := data.m.k; n := \"k\" }}\n\n"
            )
        }
        9 => format!("r{number} := x if {{ k := input.a; x := {{{key}: c.t | {body}; c.a = k}} }}\n\n"),
        0 => format!("r{number} := {{{key} | {body}}}\n\n"),
        1 => format!("r{number} := {{\"all\": {{{key}: {value} | {body}}}, \"a\": input.a}}\n\n"),
        2 => format!("r{number} := x if {{ x := {{{key} | {body}}}; input.a }}\n\n"),
        3 => format!("r{number} := [{value} | {body}]\n\n"),
        4 => format!("r{number} := count({{{key} | {body}}})\n\n"),
        5 => format!("r{number} contains n if {{ {body} }}\n\nr{number} contains input.n\n\n"),
        6 => format!("r{number}[n] := {value} if {{ {body} }}\n\n"),
        7 => format!("r{number}[{key}] := {value} if {{ {body} }}\n\n"),
        _ => format!("r{number} contains n if {{ {body} }}\n\n"),
    }
}

fn source(choices: &mut Choices<'_>, rules: &[String], other: &str) -> String {
    if rules.is_empty() { other.to_owned() } else { rules[choices.below(rules.len())].clone() }
}

fn part<'t>(choices: &mut Choices<'_>) -> &'t str {
    let all = [
        "n",
        "\"x\"",
        "c.a",
        "c.u",
        "g(c)",
        "h(c.u)",
        "h(g(c))",
        "[n, c.a]",
        "{\"cluster\": n, \"why\": c.a}",
        "c",
        "input.a",
        "{c.u}",
        "json.marshal(g(c))",
    ];
    choices.of(&all)
}

fn condition(choices: &mut Choices<'_>, rules: &[String]) -> String {
    let rule = source(choices, rules, "data.items");
    match choices.below(27) {
        0 => "c.a == input.a".to_owned(),
        1 => "not c.b".to_owned(),
        2 => "c.u > input.u".to_owned(),
        3 => "n != input.n".to_owned(),
        4 => format!("not {rule}[n]"),
        5 => format!("{rule}[n]"),
        6 => format!("count({rule}) > 1"),
        7 => format!("not {rule}[input.n]"),
        8 => "f(c)".to_owned(),
        9 => "not f(c)".to_owned(),
        10 => "every z in c.z { z != input.a }".to_owned(),
        11 => "data.m[n].a == input.a".to_owned(),
        12 => "data.m[input.n].b".to_owned(),
        13 => "some z in c.z; z == input.a".to_owned(),
        14 => "s := [z | some z in c.z; z != input.a]; count(s) > 0".to_owned(),
        15 => format!("some _, o in {rule}; o != c"),
        16 => "not h(c.t)[0] == input.a".to_owned(),
        17 => "input.l[_] == [k | some k, w in data.m; w.b]".to_owned(),
        18 => "not data.m[n].b".to_owned(),
        19 => format!("some k, _ in {rule}; k != n"),
        20 => "[c.a, _] = [input.a, c.u]".to_owned(),
        21 => format!("{rule}[1]"),
        22 => "data.m[1].b".to_owned(),
        23 => format!("{rule}[input.u]"),
        24 => "data.m[input.u].a == input.a".to_owned(),
        25 => format!("some k, _ in {rule}; is_string(k)"),
        _ => "f(input.x) with input.x as c".to_owned(),
    }
}
