use super::*;
use crate::program::{Program, Text};

const SHIPPED: [&str; 6] = [
    include_str!("../../../../policies/lib/clusters.rego"),
    include_str!("../../../../policies/lib/placement.rego"),
    include_str!("../../../../policies/lib/rules.rego"),
    include_str!("../../../../policies/placement/compliance.rego"),
    include_str!("../../../../policies/placement/jurisdiction.rego"),
    include_str!("../../../../policies/placement/requested.rego"),
];

/// Returns the documents that are watched for one at a path: facts, a bar, those made of single members; or `no` and the place.
fn watched(texts: &[String], path: &[&str], collection: &[&str]) -> String {
    let text = |(number, text): (usize, &String)| Text { name: format!("m{number}"), text: text.clone(), version: None };
    let texts: Vec<_> = texts.iter().enumerate().map(text).collect();
    let program = Program::compile(&texts, &Default::default()).unwrap_or_else(|refused| panic!("{:?}", refused.errors));
    let [path, collection] = [path, collection].map(|path| path.iter().map(|name| Value::from(*name)).collect::<Vec<_>>());
    let policy = program.policy();
    let found = match program.dependencies().members(policy, &path, &collection) {
        Ok(found) => found,
        Err(span) => return format!("no: {}", policy.sources.text(span)),
    };
    let shown = |documents: &BTreeMap<GroupId, Watched>| {
        let one = |(id, watched): (&GroupId, &Watched)| {
            let name = policy.group(*id).unwrap().name.trim_start_matches("data.p.").trim_start_matches("data.").to_owned();
            let keys = if watched.seen == Seen::Keys { " (keys)" } else { "" };
            format!("{name}{keys}{}", if watched.is_keyed { "" } else { " loosely" })
        };
        documents.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let order = if found.is_ordered { " in order" } else { "" };
    format!("{} | {}{order}", shown(&found.facts), shown(&found.made))
}

fn of_rules(rules: &str) -> String {
    watched(&[format!("package p\n\n{rules}\n")], &["p"], &["fleet"])
}

#[test]
fn documents_of_single_members_are_told_from_others() {
    let cases = [
        ("x := input.a", " | "),
        ("x := data.other", " | "),
        // Of the members' keys, nothing can have changed.
        ("x := [input.a, count(data.fleet)]", "no: data.fleet"),
        ("x contains input[n] if some n, _ in data.fleet", " | "),
        ("x := input.a if data.fleet[input.b]", " | "),
        ("x := input.a if not data.fleet[input.b]", " | "),
        // All of it, what lies above it, or anything may be looked at.
        ("x := [input.a, data.fleet]", "no: data.fleet"),
        ("x := data.fleet[input.a].region", "no: data.fleet[input.a].region"),
        // Facts.
        ("x := count([c | some c in data.fleet; c.ready])", "x | "),
        ("x := input.a if y > 2\ny := count([c | some c in data.fleet; c.ready])", "y | "),
        ("x contains [input.a, n] if some n, _ in y\ny[n] := c.region if some n, c in data.fleet", "y | "),
        // Parts of sets and objects.
        ("x contains n if { some n, c in data.fleet; c.region == input.r }", " | x"),
        ("x contains c.zone if { some c in data.fleet; c.region == input.r }", " | x loosely"),
        ("x[n] := c.zone if { some n, c in data.fleet; c.region == input.r }", " | x"),
        ("x[c.zone] := n if { some n, c in data.fleet; c.region == input.r }", " | x loosely"),
        ("x contains n if { some n, c in data.fleet; f(c) }\nf(c) if c.region == input.r", " | x"),
        ("x contains n if { some n, c in data.fleet; not c.zones[input.z] }", " | x"),
        ("x contains n if { some n, c in data.fleet; count([z | some z in c.zones; z != input.z]) > 1 }", " | x"),
        ("x contains n if { some n, c in data.fleet; every z in c.zones { z != input.z } }", " | x"),
        ("x contains n if { some n, _ in data.fleet; data.fleet[n].region == input.r }", " | x"),
        ("x contains n if { some n, c in data.fleet; y with input.c as c }\ny if input.c.region == input.r", " | x"),
        ("x contains input.a\nx contains n if { some n, c in data.fleet; c.region == input.r }", " | x"),
        // Through others.
        ("x contains n if { some n in y; input.a }\ny contains n if { some n, c in data.fleet; c.region == input.r }", " | y"),
        ("x := count(y)\ny contains n if { some n, c in data.fleet; c.region == input.r }", " | y"),
        ("x if not y.a\ny[n] := c.zone if { some n, c in data.fleet; c.region == input.r }", " | y"),
        (
            "x contains n if { some n, _ in data.fleet; not y[n] }\ny contains n if { some n, c in data.fleet; c.region == input.r }",
            " | y",
        ),
        // The members of a set are keys of members.
        (
            "x contains n if { some n in y; data.fleet[n].ready }\ny contains n if { some n, c in data.fleet; c.region == input.r }",
            " | x, y",
        ),
        (
            "x contains k if { some k, _ in y; input.a }\ny[c.zone] := n if { some n, c in data.fleet; c.region == input.r }",
            " | y loosely",
        ),
        // Complete rules that show what they collect.
        ("x := {\"a\": {n: 1 | some n, c in data.fleet; c.region == input.r}}", " | x"),
        ("x := {\"a\": {c.zone | some n, c in data.fleet; c.region == input.r}}", " | x loosely"),
        ("x := y if { y := {n | some n, c in data.fleet; c.region == input.r}; input.a }", " | x"),
        ("x := [n | some n, c in data.fleet; c.region == input.r]", " | x in order"),
        ("x := [1 | some z in y]\ny contains c.zone if { some c in data.fleet; c.region == input.r }", " | y loosely"),
        ("x := [[n, k] | some k in input.ks; some n, c in data.fleet; c.region == k]", "no: some n, c in data.fleet"),
        ("x := {\"a\": {1 | data.fleet[_].ready; input.a}}", " | x loosely"),
        (
            "x := [y, z] if {
                y := {n | some n, c in data.fleet; c.region == input.r}
                z := {n | some n, c in data.fleet; c.zone == input.z}
            }",
            " | x",
        ),
        // What one collects shows in another one.
        (
            "x := z if {
                y := {n | some n, c in data.fleet; c.region == input.r}
                z := {n | some n, c in data.fleet; c.ready; y[n]}
            }",
            "no: some n, c in data.fleet",
        ),
        (
            "x := z if {
                y := {n | some n, c in data.fleet; c.region == input.r}
                z := {n | some n, c in data.fleet; c.ready; count(y) > 1}
            }",
            "no: some n, c in data.fleet",
        ),
        ("x := y if { y := {n | some n, c in data.fleet; c.region == input.r}; count(y) > 1 }", "no: some n, c in data.fleet"),
        ("x := count({n | some n, c in data.fleet; c.region == input.r})", "no: some n, c in data.fleet"),
        ("x if { some c in data.fleet; c.region == input.r }", "no: some c in data.fleet"),
        ("default x := {}\nx := {n | some n, c in data.fleet; c.region == input.r}", "no: some n, c in data.fleet"),
        ("x := {n | some n, c in data.fleet; c.region == input.r} if input.a else := {}", "no: some n, c in data.fleet"),
        // Several members together.
        (
            "x contains n if { some n, c in data.fleet; some o in data.fleet; c.region == o.region; input.a }",
            "no: some n, c in data.fleet",
        ),
        ("x contains n if { some n, c in data.fleet; data.fleet[input.b].region == c.region }", "no: some n, c in data.fleet"),
        ("x[n] := data.fleet[input.b].region if { some n, c in data.fleet; c.ready }", "no: some n, c in data.fleet"),
        ("x contains [n, data.fleet[input.b].region] if { some n, c in data.fleet; c.ready }", "no: some n, c in data.fleet"),
        ("x := {n: data.fleet[input.b].region | some n, c in data.fleet; c.ready}", "no: some n, c in data.fleet"),
        ("x := {[n, data.fleet[input.b].region] | some n, c in data.fleet; c.ready}", "no: some n, c in data.fleet"),
        (
            "x contains n if { some n, c in data.fleet; count([o | some o in data.fleet; o.region == c.region]) > input.a }",
            "no: some n, c in data.fleet",
        ),
        (
            "x contains n if { some n, c in data.fleet; not f(c) }\nf(c) if data.fleet[input.a].region == c.region",
            "no: some n, c in data.fleet",
        ),
        ("x contains n if { some n, c in data.fleet; count(data.fleet) > input.a; c.ready }", "no: some n, c in data.fleet"),
        ("x[n][c.zone] := input.a if some n, c in data.fleet", "no: some n, c in data.fleet"),
        // Keys and values of heads are used: it is the first of these expressions that looks at several members.
        ("x[c].k := 1 if { some _, c in data.fleet; count(data.fleet) > input.a }", "no: some _, c in data.fleet"),
        ("x[c] contains 1 if { some _, c in data.fleet; count(data.fleet) > input.a }", "no: some _, c in data.fleet"),
        ("x[n].k := c if { some n, c in data.fleet; count(data.fleet) > input.a }", "no: some n, c in data.fleet"),
        ("x[n].k := 1 if { some n, _ in data.fleet; count(data.fleet) > input.a }", "no: data.fleet"),
        ("x[n].k := 1 if { some n, _ in data.fleet; input.a }", " | "),
        // Rules by a key that is not known.
        ("x contains n if { some n, c in data.fleet; c.region == t[input.k] }\nt.a := 1\nt.b := input.b", " | x"),
        ("x contains n if { some n, c in data.fleet; c.region == t[input.k] }\nt.a := 1\nt.b.c := input.b", " | x"),
        (
            "x contains n if { some n, c in data.fleet; c.region == t[input.k] }\nt.a := 1\nt.b.c := data.fleet.b.region",
            "no: some n, c in data.fleet",
        ),
        // What stands in for something.
        ("x if y with data.fleet as input.f\ny if data.fleet.a.ready", "no: y with data.fleet as input.f"),
        ("x if { y with input as data.other }\ny contains n if { some n, c in data.fleet; c.region == input.r }", "x | y"),
        (
            "x if { y with input as input.o }\ny contains n if { some n, c in data.fleet; c.region == input.r }",
            "no: y with input as input.o",
        ),
    ];
    let found = cases.map(|(rules, _)| (rules, of_rules(rules)));
    let wrong: Vec<_> = found.iter().zip(cases).filter(|((_, found), (_, expected))| found != expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Of an object of which nobody looks at the values, the keys are compared; a variable for a value may be used anywhere.
#[test]
fn values_are_compared_wherever_they_are_used() {
    let of = |body: &str| {
        let made = "y[n] := c.zone if { some n, c in data.fleet; c.region == input.r }";
        let text = format!("package p\n\n{made}\n\nx if {{ some k, v in y; {body} }}\n");
        watched(&[text], &["p", "x"], &["fleet"])
    };
    for (body, expected) in [
        ("input.a", " | y (keys)"),
        ("k == input.a", " | y (keys)"),
        ("{\"a\": k, \"b\": w} = input.o; w", " | y (keys)"),
        ("v == input.a", " | y"),
        ("v.b == input.a", " | y"),
        ("{\"a\": v, \"b\": w} = input.o; w", " | y"),
        ("{\"a\": [v], \"b\": w} = input.o; w", " | y"),
        ("{\"a\": {\"c\": v}, \"b\": w} = input.o; w", " | y"),
        ("{v: w} = input.o; w", " | y"),
        ("[v, w] = input.o; w", " | y"),
        ("some w in input.o; w == v", " | y"),
        ("every w in input.o { w == v }", " | y"),
        ("every w in v { w == input.a }", " | y"),
        ("every w in y[k] { w == input.a }", " | y"),
        ("every _ in y[input.k] { true }", " | y"),
        ("not input.o[v]", " | y"),
        ("count([w | some w in input.o; w == v]) > 0", " | y"),
    ] {
        assert_eq!(of(body), expected, "{body}");
    }
}

#[test]
fn values_that_heads_show_are_compared() {
    let of = |rule: &str| {
        let made = "y[n] := c.zone if { some n, c in data.fleet; c.region == input.r }";
        watched(&[format!("package p\n\n{made}\n\n{rule}\n")], &["p", "x"], &["fleet"])
    };
    for (rule, expected) in [
        ("x[v].k := 1 if some _, v in y", " | y"),
        ("x[k].k := v if some k, v in y", " | y"),
        ("x[k].k := 1 if some k, _ in y", " | y (keys)"),
        ("x[input.k] contains v if some _, v in y", " | y"),
        ("x[v] contains 1 if some _, v in y", " | y"),
    ] {
        assert_eq!(of(rule), expected, "{rule}");
    }
}

/// Of a package that is looked at by a key that is not known, any rule may be found, but nothing else.
#[test]
fn packages_are_what_is_in_them() {
    let rule = "package p\n\nx contains n if { some n, c in data.fleet; c.region == data.q[input.k] }\n";
    let no = "no: some n, c in data.fleet";
    for (other, expected) in [
        ("package other\n\na := data.fleet.b.region\n", " | x"),
        ("package q\n\na := 1\n\nb := input.b\n", " | x"),
        ("package q\n\na contains n if some n in data.other\n", " | x"),
        ("package q.s.t\n\na := data.other\n", " | x"),
        ("package q\n\na := 1\n\nb := data.fleet.b.region\n", no),
        ("package q\n\na contains n if some n in data.fleet.b.regions\n", no),
        ("package q.s.t\n\na := data.fleet.b.region\n", no),
    ] {
        assert_eq!(watched(&[rule.to_owned(), other.to_owned()], &["p", "x"], &["fleet"]), expected, "{other}");
    }
}

#[test]
fn what_lies_above_may_be_anything() {
    let of = |rules: &str| watched(&[format!("package p\n\n{rules}\n")], &["p"], &["all", "fleet"]);
    assert_eq!(of("x if walk(data.all, input.a)"), "no: data.all");
    assert_eq!(of("x := data.all[input.a]"), "no: data.all[input.a]");
    assert_eq!(of("x := [input.a, data.all.other, data.some]"), " | ");
}

#[test]
fn the_shipped_policies_are_made_of_single_clusters() {
    let texts = SHIPPED.map(str::to_owned);
    let found = watched(&texts, &["kubernetes", "placement"], &["kubernetes", "clusters"]);
    assert_eq!(found, "plimsoll.clusters.all (keys) | plimsoll.rules.reject loosely");
}

#[test]
fn so_are_other_styles() {
    let styles = [
        (include_str!("../../../../benches/serve/styles/helpers.rego"), " | placement, rejected"),
        (include_str!("../../../../benches/serve/styles/comprehensions.rego"), "ready, by_tier, tiers, crowded | by_region"),
        (include_str!("../../../../benches/serve/styles/v0.rego"), "unready | eligible"),
        (include_str!("../../../../benches/serve/styles/walk.rego"), " | eligible"),
    ];
    for (text, expected) in styles {
        let found = watched(&[text.to_owned()], &["kubernetes", "placement"], &["kubernetes", "clusters"]);
        assert_eq!(found.replace("kubernetes.placement.", ""), expected, "{text}");
    }
}
