//! Policies made at random: what is said to keep a cluster out does, and what is said to let it in does.
//!
//! Each condition looks at a place of its own in the input or in the cluster, so that it can be made to hold, or not, by itself.

use plimsoll_contract::why::{Alternative, Condition, Reached, Why};
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use super::explained;

/// A condition of a body.
#[derive(Clone, Debug)]
enum Literal {
    /// `input.metadata.labels.iN == "y"`.
    Input,
    /// `c.spec.cN == "y"`.
    Cluster,
    /// `not c.spec.nN`.
    Not,
    /// `vN := c.spec.bN`, then `vN.x == "y"`.
    Binding,
    /// `some zN in c.spec.zN`, then `zN == "y"`.
    Member,
    /// A function with these bodies.
    Function(Vec<Vec<Literal>>),
    /// `not` a function with these bodies.
    NotFunction(Vec<Vec<Literal>>),
    /// A set of clusters with these bodies, of which this is to be one.
    Set(Vec<Vec<Literal>>),
}

fn literals() -> impl Strategy<Value = Literal> {
    let leaf = prop_oneof![
        1 => Just(Literal::Input),
        3 => Just(Literal::Cluster),
        1 => Just(Literal::Not),
        1 => Just(Literal::Binding),
        1 => Just(Literal::Member),
    ];
    leaf.prop_recursive(2, 12, 3, |inner| {
        let bodies = prop::collection::vec(prop::collection::vec(inner, 1..3), 1..3);
        prop_oneof![
            bodies.clone().prop_map(Literal::Function),
            bodies.clone().prop_map(Literal::NotFunction),
            bodies.prop_map(Literal::Set),
        ]
    })
}

/// How the placement is written.
#[derive(Clone, Copy, Debug)]
enum Style {
    Comprehension,
    Rule,
    Annotation,
    Guarded,
}

#[derive(Clone, Debug)]
struct Case {
    style: Style,
    bodies: Vec<Vec<Literal>>,
    chance: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let styles = prop_oneof![Just(Style::Comprehension), Just(Style::Rule), Just(Style::Annotation), Just(Style::Guarded)];
    let bodies = prop::collection::vec(prop::collection::vec(literals(), 1..4), 1..3);
    (styles, bodies, any::<u64>()).prop_map(|(style, bodies, chance)| Case { style, bodies, chance })
}

/// Writes a policy.
#[derive(Default)]
struct Text {
    next: usize,
    /// Rules and functions beside the placement.
    beside: String,
    /// Places of the input and of clusters that conditions look at.
    inputs: Vec<String>,
    places: Vec<String>,
    /// Inside a function there is no name.
    nameless: bool,
}

impl Text {
    fn body(&mut self, literals: &[Literal]) -> String {
        literals.iter().map(|literal| format!("\t{}\n", self.literal(literal))).collect()
    }

    fn literal(&mut self, literal: &Literal) -> String {
        self.next += 1;
        let n = self.next;
        match literal {
            Literal::Input => {
                self.inputs.push(format!("i{n}"));
                format!("input.metadata.labels.i{n} == \"y\"")
            }
            Literal::Set(_) if self.nameless => self.at(format!("c{n}"), format!("c.spec.c{n} == \"y\"")),
            Literal::Cluster => self.at(format!("c{n}"), format!("c.spec.c{n} == \"y\"")),
            Literal::Not => self.at(format!("n{n}"), format!("not c.spec.n{n}")),
            Literal::Binding => self.at(format!("b{n}"), format!("v{n} := c.spec.b{n}\n\tv{n}.x == \"y\"")),
            Literal::Member => self.at(format!("z{n}"), format!("some z{n} in c.spec.z{n}\n\tz{n} == \"y\"")),
            Literal::Function(bodies) | Literal::NotFunction(bodies) => {
                let before = std::mem::replace(&mut self.nameless, true);
                for body in bodies {
                    let text = format!("f{n}(c) if {{\n{}}}\n\n", self.body(body));
                    self.beside.push_str(&text);
                }
                self.nameless = before;
                let not = if matches!(literal, Literal::NotFunction(_)) { "not " } else { "" };
                format!("{not}f{n}(c)")
            }
            Literal::Set(bodies) => {
                for body in bodies {
                    let text = format!(
                        "s{n} contains name if {{\n\tsome name, c in data.kubernetes.clusters\n{}}}\n\n",
                        self.body(body)
                    );
                    self.beside.push_str(&text);
                }
                format!("name in s{n}")
            }
        }
    }

    fn at(&mut self, place: String, text: String) -> String {
        self.places.push(place);
        text
    }

    /// The policy of a case.
    fn policy(&mut self, case: &Case) -> String {
        let bodies: Vec<_> = case.bodies.iter().map(|body| self.body(body)).collect();
        let each = "some name, c in data.kubernetes.clusters\n";
        let chosen = |bodies: &[String]| -> String {
            bodies.iter().map(|body| format!("chosen[name] := {{\"weight\": 1}} if {{\n\t{each}{body}}}\n\n")).collect()
        };
        let rules = match case.style {
            Style::Comprehension => {
                let sets: Vec<_> = bodies.iter().map(|body| format!("{{name: {{}} |\n\t{each}{body}}}")).collect();
                let all = sets.into_iter().reduce(|all, one| format!("object.union({all}, {one})")).unwrap_or_default();
                format!("placement := {{\"clusters\": {all}}}\n\n")
            }
            Style::Rule => format!("placement := {{\"clusters\": chosen}}\n\n{}", chosen(&bodies)),
            Style::Annotation => {
                let key = "annotations[\"federation.kubernetes.io/replica-set-preferences\"]";
                format!("{key} := {{\"clusters\": chosen}}\n\n{}", chosen(&bodies))
            }
            Style::Guarded => {
                self.inputs.push("guard".into());
                let guard = "input.metadata.labels.guard == \"y\"";
                format!("placement := {{\"clusters\": chosen}} if {guard}\n\n{}", chosen(&bodies))
            }
        };
        format!("package kubernetes.placement\n\n{rules}{}", self.beside)
    }
}

/// What lies at each place.
#[derive(Clone, Debug)]
struct World {
    labels: Map<String, Json>,
    fleet: Vec<Map<String, Json>>,
}

/// What makes the condition of a place hold.
fn holding(place: &str) -> Option<Json> {
    match place.get(..1) {
        Some("n") => None,
        Some("b") => Some(json!({"x": "y"})),
        Some("z") => Some(json!(["x", "y"])),
        _ => Some(json!("y")),
    }
}

/// What makes it fail, in one of several ways.
fn failing(place: &str, way: u64) -> Option<Json> {
    match (place.get(..1), way % 2) {
        (Some("n"), _) => Some(json!(true)),
        (_, 0) => None,
        (Some("b"), _) => Some(json!({"x": "n"})),
        (Some("z"), _) => Some(json!(["n"])),
        _ => Some(json!("n")),
    }
}

fn set(map: &mut Map<String, Json>, place: &str, value: Option<Json>) {
    match value {
        Some(value) => map.insert(place.to_owned(), value),
        None => map.remove(place),
    };
}

impl World {
    fn new(text: &Text, chance: u64) -> Self {
        let mut state = chance;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let mut filled = |places: &[String]| {
            let mut map = Map::new();
            for place in places {
                let value = if next() % 3 > 0 { holding(place) } else { failing(place, next()) };
                set(&mut map, place, value);
            }
            map
        };
        let labels = filled(&text.inputs);
        let fleet = (0..3).map(|_| filled(&text.places)).collect();
        Self { labels, fleet }
    }

    fn why(&self, policy: &str) -> Why {
        let clusters: Vec<_> = self
            .fleet
            .iter()
            .enumerate()
            .map(|(number, spec)| super::cluster(&format!("k{number}"), &json!({}), &Json::from(spec.clone())))
            .collect();
        explained(&[("p.rego", policy)], &clusters, &super::workload(&Json::from(self.labels.clone())))
    }

    fn put(&mut self, cluster: usize, place: &str, holds: bool, way: u64) {
        let value = if holds { holding(place) } else { failing(place, way) };
        match place.get(..1) {
            Some("i" | "g") => set(&mut self.labels, place, value),
            _ => set(&mut self.fleet[cluster], place, value),
        }
    }

    /// Makes a condition hold, or not, by what it says of itself.
    fn make(&mut self, cluster: usize, condition: &Condition, holds: bool) {
        let is_not = condition.text.starts_with("not f");
        match condition.alternatives.as_slice() {
            // Breaking each body that holds, or making one hold.
            alternatives if is_not && holds => alternatives.iter().for_each(|body| self.break_all(cluster, body)),
            [first, ..] if is_not => self.make_all(cluster, first),
            [] => {
                let place = place(&condition.text);
                self.put(cluster, &place, holds, 1);
            }
            [first, ..] if holds => self.make_all(cluster, first),
            alternatives => alternatives.iter().for_each(|body| self.break_all(cluster, body)),
        }
    }

    fn make_all(&mut self, cluster: usize, body: &Alternative) {
        let failing = body.conditions.iter().filter(|condition| condition.result != Reached::Holds);
        failing.for_each(|condition| self.make(cluster, condition, true));
    }

    /// Breaks one of the conditions.
    fn break_one(&mut self, cluster: usize, body: &Alternative, chance: u64) {
        let can: Vec<_> = body.conditions.iter().filter(|condition| breakable(condition)).collect();
        let which = usize::try_from(chance).unwrap_or_default().checked_rem(can.len()).unwrap_or_default();
        can.get(which).into_iter().for_each(|condition| self.make(cluster, condition, false));
    }

    fn break_all(&mut self, cluster: usize, body: &Alternative) {
        let held = body.conditions.iter().filter(|condition| condition.result == Reached::Holds && breakable(condition));
        held.for_each(|condition| self.make(cluster, condition, false));
    }
}

/// Whether a condition is one of those that are made: not what goes through the clusters.
fn breakable(condition: &Condition) -> bool {
    !condition.text.starts_with("some name")
}

fn cases_wanted() -> u32 {
    std::env::var("WHY_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(16)
}

/// The place that a condition looks at: letters and digits behind `labels.`, `spec.` or at the beginning of a variable.
fn place(text: &str) -> String {
    let behind = text.split_once("labels.").or_else(|| text.split_once("spec.")).map(|(_, behind)| behind.to_owned());
    let name = behind.unwrap_or_else(|| {
        // `v7.x == "y"` is about b7, `z7 == "y"` about z7.
        if let Some(rest) = text.strip_prefix('v') { format!("b{rest}") } else { text.to_owned() }
    });
    name.chars().take_while(char::is_ascii_alphanumeric).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases_wanted(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_said_is_true(case in cases()) {
        let mut text = Text::default();
        let policy = text.policy(&case);
        let world = World::new(&text, case.chance);
        let why = world.why(&policy);
        for (number, cluster) in why.clusters.iter().enumerate() {
            if cluster.is_in {
                prop_assert!(!cluster.alternatives.is_empty(), "nobody let {} in:\n{policy}", cluster.name);
                let mut changed = world.clone();
                cluster.alternatives.iter().for_each(|body| changed.break_one(number, body, case.chance));
                let after = changed.why(&policy);
                let is_in = after.clusters.iter().any(|found| found.name == cluster.name && found.is_in);
                prop_assert!(!is_in, "{} stays in:\n{policy}\n{}\n{changed:?}", cluster.name, super::lines(&why, &cluster.name).join("\n"));
                continue;
            }
            prop_assert!(!cluster.alternatives.is_empty(), "nothing is said of {}:\n{policy}", cluster.name);
            for alternative in &cluster.alternatives {
                prop_assert!(!alternative.holds, "{policy}\n{}", super::lines(&why, &cluster.name).join("\n"));
                let mut changed = world.clone();
                changed.make_all(number, alternative);
                let after = changed.why(&policy);
                let is_in = after.clusters.iter().any(|found| found.name == cluster.name && found.is_in);
                prop_assert!(is_in, "{} stays out:\n{policy}\n{}\n{changed:?}\nthen\n{}", cluster.name,
                    super::lines(&why, &cluster.name).join("\n"), super::lines(&after, &cluster.name).join("\n"));
            }
        }
    }
}
