//! Rules that depend on themselves, and an order in which each follows what it depends on; without recursion.

use foldhash::HashMap;

use super::{Edge, Part, index};

const UNSEEN: u32 = u32::MAX;

/// Tarjan's search for what depends on each other.
struct Search<'a> {
    edges: &'a [Vec<Edge>],
    number: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<Part>,
    next: u32,
    groups: HashMap<Part, usize>,
    found: usize,
}

/// Groups of nodes that lie on a common circle, by number.
pub(super) fn groups(edges: &[Vec<Edge>]) -> HashMap<Part, usize> {
    let nodes = edges.len();
    let mut search = Search {
        edges,
        number: vec![UNSEEN; nodes],
        low: vec![UNSEEN; nodes],
        on_stack: vec![false; nodes],
        stack: Vec::new(),
        next: 0,
        groups: HashMap::default(),
        found: 0,
    };
    for node in (0..).take(nodes) {
        if search.number_of(node) == UNSEEN {
            search.from(node);
        }
    }
    search.groups
}

impl Search<'_> {
    fn number_of(&self, node: Part) -> u32 {
        self.number.get(index(node)).copied().unwrap_or(UNSEEN)
    }

    fn low_of(&self, node: Part) -> u32 {
        self.low.get(index(node)).copied().unwrap_or(UNSEEN)
    }

    fn from(&mut self, root: Part) {
        let mut path = vec![(root, 0_usize)];
        self.enter(root);
        while let Some((node, at)) = path.last_mut() {
            let node = *node;
            let edge = self.edges.get(index(node)).and_then(|edges| edges.get(*at)).copied();
            *at = at.saturating_add(1);
            match edge {
                Some(edge) if self.number_of(edge.to) == UNSEEN => {
                    self.enter(edge.to);
                    path.push((edge.to, 0));
                }
                Some(edge) if self.on_stack.get(index(edge.to)).is_some_and(|on| *on) => {
                    self.lower(node, self.number_of(edge.to))
                }
                Some(_) => {}
                None => {
                    path.pop();
                    let low = self.low_of(node);
                    path.last().copied().into_iter().for_each(|(above, _)| self.lower(above, low));
                    self.close(node);
                }
            }
        }
    }

    fn enter(&mut self, node: Part) {
        let (at, number) = (index(node), self.next);
        self.next = self.next.saturating_add(1);
        self.number.get_mut(at).into_iter().for_each(|slot| *slot = number);
        self.low.get_mut(at).into_iter().for_each(|slot| *slot = number);
        self.on_stack.get_mut(at).into_iter().for_each(|slot| *slot = true);
        self.stack.push(node);
    }

    fn lower(&mut self, node: Part, to: u32) {
        self.low.get_mut(index(node)).into_iter().for_each(|slot| *slot = (*slot).min(to));
    }

    /// Takes a finished group from the stack.
    fn close(&mut self, node: Part) {
        if self.low_of(node) != self.number_of(node) {
            return;
        }
        let at = self.stack.iter().rposition(|other| *other == node).unwrap_or_default();
        let group: Vec<Part> = self.stack.drain(at..).collect();
        let itself = || self.edges.get(index(node)).is_some_and(|edges| edges.iter().any(|edge| edge.to == node));
        let recursive = group.len() > 1 || itself();
        for member in group {
            self.on_stack.get_mut(index(member)).into_iter().for_each(|slot| *slot = false);
            if recursive {
                self.groups.insert(member, self.found);
            }
        }
        self.found = self.found.saturating_add(usize::from(recursive));
    }
}

/// A search through what nodes refer to. Behind the nodes stand lists that they have in common.
struct Order<'a> {
    edges: &'a [Vec<Part>],
    nodes: Part,
    seen: Vec<bool>,
    /// Lists all of whose nodes were seen.
    done: Vec<bool>,
}

/// All nodes, each behind those it refers to, else ascending; what is referred to is ascending, too, lists last.
pub(super) fn post_order(edges: &[Vec<Part>], nodes: Part) -> Vec<Part> {
    let none = || vec![false; edges.len()];
    let mut order = Order { edges, nodes, seen: none(), done: none() };
    let mut found = Vec::with_capacity(edges.len());
    for root in 0..nodes {
        let mut path: Vec<(Part, Option<Part>)> = Vec::new();
        if order.enter(root) {
            path.push((root, None));
        }
        while let Some((node, last)) = path.last_mut() {
            let next = order.next(*node, *last);
            *last = next.or(*last);
            match next {
                Some(next) if order.enter(next) => path.push((next, None)),
                Some(_) => {}
                None => found.extend(path.pop().map(|(node, _)| order.leave(node))),
            }
        }
    }
    found
}

impl Order<'_> {
    fn edges(&self, node: Part) -> &[Part] {
        self.edges.get(index(node)).map(Vec::as_slice).unwrap_or_default()
    }

    fn lists(&self, node: Part) -> &[Part] {
        let own = self.edges(node);
        own.get(own.partition_point(|to| *to < self.nodes)..).unwrap_or_default()
    }

    fn enter(&mut self, node: Part) -> bool {
        self.seen.get_mut(index(node)).is_some_and(|seen| !std::mem::replace(seen, true))
    }

    fn leave(&mut self, node: Part) -> Part {
        for list in self.lists(node).to_vec() {
            self.done.get_mut(index(list)).into_iter().for_each(|done| *done = true);
        }
        node
    }

    /// The next that a node refers to behind another; nothing of lists that are done.
    fn next(&self, node: Part, last: Option<Part>) -> Option<Part> {
        let open = self.lists(node).iter().filter(|list| self.done.get(index(**list)) == Some(&false));
        let all = open.map(|list| self.edges(*list)).chain([self.edges(node)]);
        let behind = |edges: &[Part]| edges.get(edges.partition_point(|to| Some(*to) <= last)).copied();
        all.filter_map(behind).filter(|to| *to < self.nodes).min()
    }
}

#[cfg(test)]
mod tests {
    use super::{groups, post_order};
    use crate::compile::graph::Edge;

    #[test]
    fn finds_circles_and_orders_the_rest() {
        let edges: Vec<Vec<u32>> = vec![vec![1], vec![2, 3], vec![0], vec![4], vec![4], vec![3]];
        let with = |edges: &[Vec<u32>]| -> Vec<Vec<Edge>> {
            edges.iter().map(|to| to.iter().map(|to| Edge { to: *to, dynamic: false }).collect()).collect()
        };
        let found = groups(&with(&edges));
        let mut members: Vec<u32> = found.keys().copied().collect();
        members.sort_unstable();
        assert_eq!(members, [0, 1, 2, 4]);
        assert!(found[&0] == found[&1] && found[&0] == found[&2] && found[&0] != found[&4]);
        assert_eq!(post_order(&[vec![1, 2], vec![2], vec![]], 3), [2, 1, 0]);
        // 4 and 5 are lists.
        let lists = [vec![3, 4], vec![4, 5], vec![], vec![], vec![1, 2], vec![2, 3]];
        assert_eq!(post_order(&lists, 4), [2, 3, 1, 0]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let last = 200_000;
        let chain: Vec<Vec<Edge>> =
            (0..=last).map(|at| vec![Edge { to: if at == last { 0 } else { at + 1 }, dynamic: false }]).collect();
        assert_eq!(groups(&chain).len(), chain.len());
    }
}
