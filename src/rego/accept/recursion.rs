//! No rule may read itself, neither directly nor through others: evaluation would never end.

use std::collections::VecDeque;

use super::graph::Graph;
use super::names::Names;
use super::report::Report;
use super::tree::display;

/// Reports every rule that can reach itself.
pub(super) fn check(graph: &Graph<'_>, names: &Names, report: &mut Report<'_>) {
    let components = components(graph);
    for (at, rule) in graph.rules.iter().enumerate() {
        let certain = cycle(graph, at, &components, true);
        let verdict = if certain.is_some() { "is" } else { "may be" };
        let Some(path) = certain.or_else(|| cycle(graph, at, &components, false)) else { continue };
        let steps: Vec<_> = path.iter().filter_map(|at| graph.rules.get(*at)).map(|rule| display(&rule.path, names)).collect();
        let name = display(&rule.path, names);
        report.error(
            rule.module,
            rule.at,
            "rego_recursion_error",
            format!("rule {name} {verdict} recursive: {}", steps.join(" -> ")),
        );
    }
}

/// The shortest way from a rule back to itself.
fn cycle(graph: &Graph<'_>, from: usize, components: &[usize], certain: bool) -> Option<Vec<usize>> {
    let mut came_from = std::collections::HashMap::new();
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for edge in graph.reads.get(at)? {
            if certain && !edge.certain || components.get(edge.to) != components.get(from) {
                continue;
            }
            if edge.to == from {
                let mut path = vec![from, at];
                let mut step = at;
                while step != from {
                    step = *came_from.get(&step)?;
                    path.push(step);
                }
                path.reverse();
                if at == from {
                    path = vec![from, from];
                }
                return Some(path);
            }
            if let std::collections::hash_map::Entry::Vacant(entry) = came_from.entry(edge.to) {
                entry.insert(at);
                queue.push_back(edge.to);
            }
        }
    }
    None
}

/// The strongly connected component of each rule (Tarjan's algorithm, without recursion).
fn components(graph: &Graph<'_>) -> Vec<usize> {
    Tarjan::new(graph.reads.len()).run(graph)
}

struct Tarjan {
    order: Vec<Option<usize>>,
    low: Vec<usize>,
    component: Vec<usize>,
    open: Vec<usize>,
    is_open: Vec<bool>,
    next: usize,
}

impl Tarjan {
    fn new(len: usize) -> Self {
        let component = (0..len).collect();
        Self { order: vec![None; len], low: vec![0; len], component, open: Vec::new(), is_open: vec![false; len], next: 0 }
    }

    fn run(mut self, graph: &Graph<'_>) -> Vec<usize> {
        for start in 0..self.order.len() {
            if self.order.get(start).is_some_and(Option::is_none) {
                self.from(start, graph);
            }
        }
        self.component
    }

    fn enter(&mut self, at: usize) {
        if let (Some(order), Some(low), Some(open)) = (self.order.get_mut(at), self.low.get_mut(at), self.is_open.get_mut(at)) {
            *order = Some(self.next);
            *low = self.next;
            *open = true;
        }
        self.next += 1;
        self.open.push(at);
    }

    fn lower(&mut self, at: usize, to: usize) {
        if let Some(low) = self.low.get_mut(at) {
            *low = to.min(*low);
        }
    }

    fn from(&mut self, start: usize, graph: &Graph<'_>) {
        let mut path = vec![(start, 0)];
        self.enter(start);
        while let Some((at, edge)) = path.pop() {
            if let Some(next) = graph.reads.get(at).and_then(|edges| edges.get(edge)) {
                path.push((at, edge + 1));
                match self.order.get(next.to).copied().flatten() {
                    None => {
                        self.enter(next.to);
                        path.push((next.to, 0));
                    }
                    Some(order) if self.is_open.get(next.to) == Some(&true) => self.lower(at, order),
                    Some(_) => {}
                }
                continue;
            }
            self.leave(at);
            if let (Some((parent, _)), Some(low)) = (path.last().copied(), self.low.get(at).copied()) {
                self.lower(parent, low);
            }
        }
    }

    fn leave(&mut self, at: usize) {
        if self.order.get(at).copied().flatten() != self.low.get(at).copied() {
            return;
        }
        while let Some(member) = self.open.pop() {
            if let (Some(open), Some(component)) = (self.is_open.get_mut(member), self.component.get_mut(member)) {
                *open = false;
                *component = at;
            }
            if member == at {
                return;
            }
        }
    }
}
