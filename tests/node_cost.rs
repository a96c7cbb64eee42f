//! What the budget takes a JSON text for is what it takes: measured by the allocator, hence a process of its own.

#[cfg(test)]
mod node_cost {
    use std::ops::RangeInclusive;

    use plimsoll::budget::{Weight, weight};
    use plimsoll::decision::{Classes, Config, Subject, Way, Writer, decide};
    use plimsoll::rego::{Module, Value};
    use plimsoll::snapshot::Store;
    use plimsoll::snapshot::store::StoreOptions;
    use plimsoll::state::Incoming;
    use serde_json::Value as Json;

    /// Of each text, about.
    const BYTES: usize = 1 << 20;
    /// A text that is charged for more than so many times what it takes would be refused for nothing.
    const RIGHT: RangeInclusive<f64> = 1.0..=4.0;
    /// Of values: objects share the names that they have in common, and a text does not tell at once that they do.
    const SHARED: RangeInclusive<f64> = 1.0..=8.0;
    /// Of policies; dense ones end at the parser's own limit.
    const ROUGHLY: RangeInclusive<f64> = 0.4..=4.0;
    const POLICY: &str = "package kubernetes.placement\nannotations[\"example.com/n\"] := input.metadata.name\n";

    fn many(one: &str) -> String {
        format!("[{}]", vec![one; BYTES / (one.len() + 1)].join(","))
    }

    /// Objects that have no name in common.
    fn objects(members: usize) -> String {
        let object = |at: usize| {
            let member = |member: usize| format!("\"k{at:05}{member}\":0");
            format!("{{{}}}", (0..members).map(member).collect::<Vec<_>>().join(","))
        };
        format!("[{}]", (0..BYTES / (members * 11 + 3)).map(object).collect::<Vec<_>>().join(","))
    }

    fn shapes() -> Vec<(&'static str, String)> {
        let wide = (0..BYTES / 12).map(|n| format!("\"k{n:06}\":0")).collect::<Vec<_>>().join(",");
        let chain = |open: &str, close: &str| many(&format!("{}0{}", open.repeat(100), close.repeat(100)));
        vec![
            ("[{\"a\":0}]", many("{\"a\":0}")),
            ("[{}]", many("{}")),
            ("[{}], names of their own", objects(1)),
            ("[{}], five names of their own", objects(5)),
            ("[[]]", many("[]")),
            ("[[0]]", many("[0]")),
            ("[0]", many("0")),
            ("[1e9]", many("1e9")),
            ("[12345678901234567]", many("12345678901234567")),
            ("[0.25]", many("0.25")),
            ("[-1.25E-9]", many("-1.25E-9")),
            ("[true]", many("true")),
            ("[1234567890123456789012]", many("1234567890123456789012")),
            ("[\"\"]", many("\"\"")),
            ("[\"x\"]", many("\"x\"")),
            ("[\"\\u0041\"]", many("\"\\u0041\"")),
            ("[\"\\n\"]", many("\"\\n\\n\\n\\n\\n\\n\\n\\n\\n\"")),
            ("long", many(&format!("\"{}\"", "x".repeat(10_000)))),
            ("one long", format!("[\"{}\"]", "x".repeat(BYTES))),
            ("one escaped", format!("[\"{}\"]", "\\n".repeat(BYTES / 2))),
            ("wide", format!("{{{wide}}}")),
            ("{name,value}", many("{\"name\":\"a\",\"value\":\"b\"}")),
            ("6 members", many("{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6}")),
            (
                "12 members",
                many("{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":1,\"h\":2,\"i\":3,\"j\":4,\"k\":5,\"l\":6}"),
            ),
            ("chain {", chain("{\"a\":", "}")),
            ("chain [", chain("[", "]")),
        ]
    }

    fn peak<T: 'static>(work: impl FnOnce() -> T + Send + 'static) -> i64 {
        let run = move || {
            let before = regorus_mimalloc::current_thread_allocation_stats().allocated;
            let kept = work();
            let peak = regorus_mimalloc::current_thread_allocation_stats().peak;
            drop(kept);
            peak - before
        };
        std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap().join().unwrap()
    }

    fn read(text: &str) -> impl Send + use<> {
        serde_json::from_slice::<Json>(text.as_bytes()).unwrap()
    }

    fn asked(text: &str) -> impl Send + use<> {
        Value::from_json(text.as_bytes()).unwrap()
    }

    fn stored(text: &str) -> impl Send + use<> {
        let store = Store::new(StoreOptions::default()).unwrap();
        store.put_data(&["x".into()], Incoming::read(text.as_bytes(), 1).unwrap()).unwrap();
        store
    }

    fn decided(text: &str) {
        let store = Store::new(StoreOptions::default()).unwrap();
        store.put_policies("files", vec![Module { key: "p.rego".into(), text: POLICY.into() }]).unwrap();
        let metadata = r#"{"name":"x","namespace":"y"}"#;
        let object = format!(r#"{{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{metadata},"spec":{text}}}"#);
        let object: Json = serde_json::from_slice(object.as_bytes()).unwrap();
        let mut config = Config::default();
        config.annotation_keys.insert("example.com/n".into());
        let decision = decide(
            &store.load(),
            Subject { object: &object, kind: None, way: Way::Create, writer: Writer::Other, last: None },
            &config,
        );
        assert_eq!(decision.outcome.name(), "place", "{}", decision.outcome);
    }

    /// The charge beside the peak; the text itself is there before.
    fn compare<T: 'static>(
        name: &str,
        text: &str,
        charge: u64,
        right: RangeInclusive<f64>,
        work: fn(&str) -> T,
    ) -> Option<String> {
        let owned = text.to_owned();
        let peak = peak(move || work(&owned));
        let ratio = charge as f64 / peak as f64;
        (!right.contains(&ratio)).then(|| format!("{name}: {charge} charged for {peak}: {ratio:.2} x"))
    }

    #[test]
    fn texts_are_charged_for_what_they_take_and_not_for_much_more() {
        let wrong: Vec<String> = shapes()
            .iter()
            .flat_map(|(name, text)| {
                let weight = Weight::of(text.as_bytes());
                [
                    compare(&format!("{name} read"), text, weight.read(), RIGHT, read),
                    compare(&format!("{name} asked"), text, weight.asked(), SHARED, asked),
                    compare(&format!("{name} stored"), text, weight::of_documents(text.as_bytes(), 1), RIGHT, stored),
                    compare(&format!("{name} decided"), text, weight.decided(), RIGHT, decided),
                ]
            })
            .flatten()
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// A class of its own for each weight: `clusters` of the fleet are chosen, and as many are rejected.
    fn classed(clusters: usize) -> (String, Vec<Json>) {
        let name = |n: usize| format!("\"cluster-of-some-region-{n:05}\"");
        let chosen: Vec<_> = (0..clusters).map(|n| format!("{}: {{\"weight\": input.spec.weight}}", name(n))).collect();
        let rejected: Vec<_> = (clusters..2 * clusters).map(|n| format!("{}: \"outside of eu\"", name(n))).collect();
        let policy = format!(
            "package kubernetes.placement\nplacement := {{\"clusters\": {{{}}}}}\nrejected := {{{}}}\nwarnings contains \"careful\"\n",
            chosen.join(", "),
            rejected.join(", ")
        );
        let object = |weight: usize| {
            serde_json::json!({"apiVersion": "extensions/v1beta1", "kind": "ReplicaSet",
                "metadata": {"name": "x", "namespace": "y"}, "spec": {"weight": weight}})
        };
        (policy, (1..=200).map(object).collect())
    }

    /// What classes are charged for, beside what stays allocated when their objects have been decided.
    fn kept(clusters: usize) -> (f64, usize) {
        let (policy, objects) = classed(clusters);
        let store = Store::new(StoreOptions::default()).unwrap();
        store.put_policies("files", vec![Module { key: "p.rego".into(), text: policy }]).unwrap();
        let config = Config { classes: Classes::new(1 << 30), ..Config::default() };
        let decided = |object: &Json| {
            let subject = Subject { object, kind: None, way: Way::Create, writer: Writer::Other, last: None };
            let decision = decide(&store.load(), subject, &config);
            assert_eq!((decision.outcome.name(), decision.clusters().len()), ("place", clusters), "{}", decision.outcome);
        };
        let (first, others) = objects.split_first().unwrap();
        decided(first);
        let allocated = || regorus_mimalloc::current_thread_allocation_stats().allocated;
        let (before, charged) = (allocated(), config.classes.bytes());
        others.iter().for_each(decided);
        assert_eq!(config.classes.count(), objects.len());
        ((config.classes.bytes() - charged) as f64, usize::try_from(allocated() - before).unwrap())
    }

    #[test]
    fn kept_answers_are_charged_for_what_they_take() {
        const TWICE: RangeInclusive<f64> = 0.5..=2.0;
        for clusters in [1, 10, 100, 1_000] {
            let (charged, taken) = std::thread::spawn(move || kept(clusters)).join().unwrap();
            let ratio = charged / taken as f64;
            assert!(TWICE.contains(&ratio), "{clusters} clusters: {charged} charged for {taken}: {ratio:.2} x");
        }
    }

    #[test]
    fn policies_are_charged_for_what_they_take() {
        let rules = [
            ("facts", "allow if input.a == 1\n"),
            ("names", "p[x] := y if { x := input.a.b.c; y := f(x, data.z[x]) }\nf(x, y) := x if y\n"),
            ("literals", "v contains [{\"a\": 0}, {\"b\": []}]\n"),
        ];
        for (name, rule) in rules {
            let text = format!("package a\n{}", rule.repeat(1000));
            let wrong = compare(name, &text, weight::of_policies(text.len()), ROUGHLY, |text| {
                let store = Store::new(StoreOptions::default()).unwrap();
                store.put_policies("files", vec![Module { key: "p.rego".into(), text: text.into() }]).unwrap();
                store
            });
            assert_eq!(wrong, None);
        }
    }
}
