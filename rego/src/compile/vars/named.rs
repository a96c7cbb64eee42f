//! Variables by how their names begin.

use foldhash::HashSet;

use crate::syntax::tree::{Expr, Kind, Rule, Var};
use crate::syntax::visit::{Node, walk_terms};

/// Variables in rules whose names begin so.
pub(in crate::compile) fn named(rules: &[Rule], prefix: &str) -> HashSet<Var> {
    let mut names = HashSet::default();
    let mut rest: Vec<&Rule> = rules.iter().collect();
    while let Some(rule) = rest.pop() {
        let head = &rule.head;
        // As in OPA, the key counts as a part of the reference only.
        let terms = head.reference.iter().chain(head.args.iter().flatten()).chain(&head.value);
        terms.for_each(|term| add_named(&mut names, Node::Term(term), prefix));
        add_named(&mut names, Node::Body(&rule.body), prefix);
        rest.extend(rule.otherwise.as_deref());
    }
    names
}

/// Variables in a body whose names begin so.
pub(in crate::compile) fn named_in_body(body: &[Expr], prefix: &str) -> HashSet<Var> {
    let mut names = HashSet::default();
    add_named(&mut names, Node::Body(body), prefix);
    names
}

fn add_named(names: &mut HashSet<Var>, node: Node<'_>, prefix: &str) {
    walk_terms(node, |term| {
        if let Kind::Var(name) = &term.kind
            && name.starts_with(prefix)
        {
            names.insert(name.clone());
        }
        false
    });
}
