//! `graph.reachable_paths` (`v1/topdown/reachable.go`).

use std::sync::Arc;

use super::super::operand::object;
use super::super::{BuiltinError, Context};
use super::{initial, vertices};
use crate::limits::{Account, Halt};
use crate::value::{Object, Set, Value};

pub(super) fn reachable_paths(context: &mut Context, operands: &[&Value]) -> Result<Option<Value>, BuiltinError> {
    let graph = object(operands, 0)?;
    let mut paths = Paths { graph, found: Vec::new(), open: Vec::new(), account: &mut context.account };
    for node in initial(operands)? {
        let Some(edges) = graph.get_within(node, paths.account)? else { continue };
        let neighbours = vertices(edges);
        if neighbours.is_empty() {
            paths.end(&[node])?;
        }
        // A node that is its own neighbour is gone to once.
        for neighbour in neighbours {
            paths.visit(&[node], neighbour)?;
        }
    }
    while let Some((path, node)) = paths.open.pop() {
        paths.follow(path, node)?;
    }
    let found = paths.found;
    Ok(Some(Value::Set(Arc::new(Set::new_within(found, &mut context.account)?))))
}

/// Depth first without recursion: a path may be as long as the graph is large.
struct Paths<'g> {
    graph: &'g Object,
    found: Vec<Value>,
    /// Paths, and the nodes they shall go on with.
    open: Vec<(Vec<&'g Value>, &'g Value)>,
    account: &'g mut Account,
}

impl<'g> Paths<'g> {
    fn visit(&mut self, path: &[&'g Value], node: &'g Value) -> Result<(), Halt> {
        self.account.charge(path.len().saturating_add(4).saturating_mul(size_of::<&Value>()))?;
        self.open.push((path.to_vec(), node));
        Ok(())
    }

    fn follow(&mut self, mut path: Vec<&'g Value>, node: &'g Value) -> Result<(), Halt> {
        self.account.step(1)?;
        let edges = self.graph.get_within(node, self.account)?;
        if edges.is_some() {
            path.push(node);
        }
        let neighbours = edges.map(vertices).unwrap_or_default();
        if neighbours.is_empty() {
            return self.end(&path);
        }
        for neighbour in neighbours {
            // A circle ends the path.
            if self.holds(&path, neighbour)? { self.end(&path)? } else { self.visit(&path, neighbour)? }
        }
        Ok(())
    }

    fn holds(&mut self, path: &[&Value], node: &Value) -> Result<bool, Halt> {
        for known in path {
            if known.equal_within(node, self.account)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn end(&mut self, path: &[&Value]) -> Result<(), Halt> {
        self.account.charge(path.len().saturating_add(4).saturating_mul(size_of::<Value>()))?;
        self.found.push(Value::array(path.iter().map(|node| (*node).clone())));
        Ok(())
    }
}
