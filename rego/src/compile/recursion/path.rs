//! A way from a rule back to itself.

use foldhash::HashMap;

use super::super::graph::{Graph, Part};

/// A way back, both ends included.
pub(super) struct Circle {
    pub(super) parts: Vec<Part>,
    /// No edge needs a variable to have a certain value.
    pub(super) is_static: bool,
}

/// A way back to a rule that depends on itself; a static one if there is one.
pub(super) fn circle(graph: &Graph, part: Part) -> Circle {
    if let Some(parts) = search(graph, part, true) {
        return Circle { parts, is_static: true };
    }
    Circle { parts: search(graph, part, false).unwrap_or_else(|| vec![part, part]), is_static: false }
}

/// Depth first, as OPA does; inside of the rules that depend on each other.
fn search(graph: &Graph, start: Part, only_static: bool) -> Option<Vec<Part>> {
    let group = graph.group(start);
    let mut from: HashMap<Part, Part> = HashMap::default();
    let mut path: Vec<(Part, Option<Part>)> = vec![(start, None)];
    while let Some((part, last)) = path.last_mut() {
        let part = *part;
        let edge = graph.next(part, *last);
        *last = edge.map(|edge| edge.to).or(*last);
        match edge {
            Some(edge) if only_static && edge.dynamic => {}
            Some(edge) if edge.to == start => return Some(path.iter().map(|(part, _)| *part).chain([start]).collect()),
            Some(edge) if graph.group(edge.to) == group && !from.contains_key(&edge.to) => {
                from.insert(edge.to, part);
                path.push((edge.to, None));
            }
            Some(_) => {}
            None => drop(path.pop()),
        }
    }
    None
}
