//! `graph.reachable_paths` (OPA: `v1/topdown/reachable.go`).

use regorus::Value;
use regorus::value::{Object, Set};

use super::error::BuiltinError;
use super::{Builtin, operand, steps};

pub(super) const BUILTINS: &[Builtin] = &[Builtin { name: "graph.reachable_paths", operands: 2, call: reachable_paths }];

/// Nodes that the paths of one call may have together.
const NODES: usize = 10_000_000;

fn reachable_paths(values: &[Value]) -> Result<Value, BuiltinError> {
    let graph = match operand::any(values, 1) {
        Value::Object(graph) => graph,
        other => return Err(operand::wrong(1, "object", other)),
    };
    let initial = operand::any(values, 2);
    if !matches!(initial, Value::Array(_) | Value::Set(_)) {
        return Err(operand::wrong(2, "{array, set}", initial));
    }
    let mut paths = Paths { graph, found: Set::new(), open: Vec::new(), nodes: 0 };
    for node in vertices(initial) {
        let Some(edges) = graph.get(node) else { continue };
        let neighbours = vertices(edges);
        if neighbours.is_empty() {
            paths.found.insert(Value::from(vec![node.clone()]));
        }
        for neighbour in neighbours {
            paths.visit(&[node], neighbour)?;
        }
    }
    while let Some((path, node)) = paths.open.pop() {
        paths.follow(path, node)?;
    }
    Ok(paths.found.into())
}

/// What an array or a set of nodes holds; nothing else holds any.
fn vertices(collection: &Value) -> Vec<&Value> {
    match collection {
        Value::Array(items) => items.iter().collect(),
        Value::Set(items) => items.iter_sorted().collect(),
        _ => Vec::new(),
    }
}

/// Depth first without recursion: a path may be as long as the graph is large.
struct Paths<'g> {
    graph: &'g Object,
    found: Set,
    /// Paths, and the nodes they shall go on with.
    open: Vec<(Vec<&'g Value>, &'g Value)>,
    nodes: usize,
}

impl<'g> Paths<'g> {
    fn visit(&mut self, path: &[&'g Value], node: &'g Value) -> Result<(), BuiltinError> {
        steps::steps(path.len().saturating_add(1))?;
        self.nodes = self.nodes.saturating_add(path.len());
        if self.nodes > NODES {
            return Err(BuiltinError::Limit(format!("would make paths of more than {NODES} nodes")));
        }
        self.open.push((path.to_vec(), node));
        Ok(())
    }

    fn follow(&mut self, mut path: Vec<&'g Value>, node: &'g Value) -> Result<(), BuiltinError> {
        let edges = self.graph.get(node);
        if edges.is_some() {
            path.push(node);
        }
        let neighbours = edges.map(vertices).unwrap_or_default();
        if neighbours.is_empty() {
            self.end(&path);
        }
        for neighbour in neighbours {
            // A circle ends the path.
            if path.contains(&neighbour) { self.end(&path) } else { self.visit(&path, neighbour)? }
        }
        Ok(())
    }

    fn end(&mut self, path: &[&Value]) {
        self.found.insert(path.iter().map(|node| (*node).clone()).collect::<Vec<_>>().into());
    }
}
