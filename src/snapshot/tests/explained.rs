use super::*;
use crate::rego::Limits;
use crate::rego::trace::{Explain, Form, Steps};

fn notes(world: &World, query: &str) -> Vec<String> {
    let steps = Steps { explain: Explain::Full, form: Form::Lines, most: 1_000, bytes: 1 << 20 };
    let trace = world.store.load().explain(query, None, &Limits::default(), steps).unwrap();
    let lines = trace.lines();
    let said = lines.lines().filter_map(|line| line.split_once("| Note "));
    said.map(|(_, note)| note.to_owned()).collect()
}

#[test]
fn steps_are_those_on_the_state_of_the_snapshot() {
    let world = World::new(vec![clusters()]);
    let policy = "package a\n\nn := x if {\n\tx := count(data.kubernetes.clusters)\n\ttrace(sprintf(\"%d clusters\", [x]))\n}\n";
    world.policies("files", &[("p", policy)]).unwrap();
    world.replace(&clusters(), &[object("", "c", 1, "x")]);
    assert_eq!(notes(&world, "data.a.n"), ["\"1 clusters\""]);
    world.delta(&clusters(), &[put("", "d", 1, "")]);
    world.store.put_data(&path("limits"), json!({"eu": 3})).unwrap();
    assert_eq!(notes(&world, "data.a.n"), ["\"2 clusters\""]);
    // What no policy reads.
    assert_eq!(notes(&world, "trace(sprintf(\"%v\", [data.limits]))"), ["\"{\"eu\": 3}\""]);
    assert_eq!(notes(&world, "trace(data.kubernetes.clusters.c.metadata.labels.l)"), ["\"x\""]);
    assert!(notes(&world, "data.limits.eu > 2").is_empty());
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let world = World::new(vec![]);
    world.policies("files", &[("p", "package a\n\nf(x) := x\n")]).unwrap();
    let steps = Steps { explain: Explain::Full, form: Form::Api, most: 10, bytes: 1_000 };
    let explain = |path: &str| world.store.load().explain_document(&self::path(path), None, &Limits::default(), steps);
    assert!(matches!(explain("a/f"), Err(crate::snapshot::QueryError::Compile(_))));
    assert!(!explain("a").unwrap().is_empty());
}
