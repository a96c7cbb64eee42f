//! Graphs and trees; `walk` is the evaluator's own.

mod paths;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use super::comparison::looked_up;
use super::operand::{at, object, wrong};
use super::signature::Type;
use super::table::{Builtin, row};
use super::{BuiltinError, Context};
use crate::value::{Set, Value};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row(
        "graph.reachable",
        &[
            Type::Object(&Type::Any, &Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)])),
            Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)]),
        ],
        Some(Type::Set(&Type::Any)),
    )
    .by(reachable),
    row(
        "graph.reachable_paths",
        &[
            Type::Object(&Type::Any, &Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)])),
            Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)]),
        ],
        Some(Type::Set(&Type::Array(&Type::Any))),
    )
    .by(paths::reachable_paths),
    row("walk", &[Type::Any], Some(Type::Tuple(&[Type::Array(&Type::Any), Type::Any]))).relation(),
];

type Answer = Result<Option<Value>, BuiltinError>;

/// Breadth first (`v1/topdown/reachable.go`).
fn reachable(context: &mut Context, operands: &[&Value]) -> Answer {
    let graph = object(operands, 0)?;
    let mut queue: VecDeque<&Value> = initial(operands)?.iter().collect();
    let (mut seen, mut reached) = (HashSet::new(), Vec::new());
    while let Some(node) = queue.pop_front() {
        looked_up(context, node)?;
        let Some(edges) = graph.get_within(node, &mut context.account)? else { continue };
        if !seen.insert(node) {
            continue;
        }
        reached.push(node.clone());
        let before = queue.len();
        queue.extend(vertices(edges));
        context.account.charge(queue.len().saturating_sub(before).saturating_mul(32).saturating_add(64))?;
    }
    Ok(Some(Value::Set(Arc::new(Set::new_within(reached, &mut context.account)?))))
}

fn initial<'o>(operands: &[&'o Value]) -> Result<&'o [Value], BuiltinError> {
    match at(operands, 1)? {
        collection @ (Value::Array(_) | Value::Set(_)) => Ok(vertices(collection)),
        other => Err(wrong(1, other, &["{array, set}"])),
    }
}

/// What an array or a set of nodes holds; nothing else holds any.
fn vertices(collection: &Value) -> &[Value] {
    match collection {
        Value::Array(array) => array.items(),
        Value::Set(set) => set.members(),
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answer, context, limited};
    use crate::limits::Limits;

    /// As OPA 1.22 answers with `--strict-builtin-errors`.
    #[test]
    fn graphs_are_followed_as_in_opa() {
        let mut context = context();
        let graph = r#"{"a": ["b", "c"], "b": {"set": ["c", "x"]}, "c": ["a"], "d": [], "e": null, "s": ["s", "d"]}"#;
        for (name, start, expected) in [
            ("graph.reachable", r#"["a"]"#, r#"{"a", "b", "c"}"#),
            ("graph.reachable", r#"{"set": ["d", "zz", "e"]}"#, r#"{"d", "e"}"#),
            ("graph.reachable", "[]", "set()"),
            ("graph.reachable", "1", "eval_type_error: graph.reachable: operand 2 must be {array, set} but got number"),
            ("graph.reachable_paths", r#"["a"]"#, r#"{["a", "b"], ["a", "b", "c"], ["a", "c"]}"#),
            ("graph.reachable_paths", r#"["d", "zz"]"#, r#"{["d"]}"#),
            ("graph.reachable_paths", r#"["e"]"#, r#"{["e"]}"#),
            ("graph.reachable_paths", r#"["s"]"#, r#"{["s", "d"], ["s", "s"], ["s", "s", "d"]}"#),
        ] {
            assert_eq!(answer(&mut context, name, &format!("[{graph}, {start}]")), expected, "{name} {start}");
        }
        let expected = "eval_type_error: graph.reachable: operand 1 must be object but got array";
        assert_eq!(answer(&mut context, "graph.reachable", "[[], []]"), expected);
    }

    #[test]
    fn paths_are_paid_for_and_may_be_long() {
        let nodes = |count: usize| (0..count).map(|at| format!("\"{at}\"")).collect::<Vec<_>>();
        let all = nodes(30);
        let complete = all.iter().map(|node| format!("{node}: [{}]", all.join(","))).collect::<Vec<_>>().join(",");
        let mut context = limited(Limits { steps: 1_000_000, ..Limits::default() });
        let found = answer(&mut context, "graph.reachable_paths", &format!("[{{{complete}}}, [\"0\"]]"));
        assert_eq!(found, "halt: evaluation took more than 1000000 steps");
        let chain = nodes(3_001).windows(2).map(|pair| format!("{}: [{}]", pair[0], pair[1])).collect::<Vec<_>>().join(",");
        let mut context = super::super::testing::context();
        let found = answer(&mut context, "graph.reachable_paths", &format!("[{{{chain}}}, [\"0\"]]"));
        assert_eq!(found.matches(',').count(), 2_999);
    }
}
