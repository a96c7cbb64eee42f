//! Entry points: documents, and queries.

use foldhash::HashSet;

use super::flow::{Flow, Frame};
use super::mark::Marks;
use super::reads::Reads;
use crate::ir::{Block, Policy, Slot};
use crate::value::Value;

/// All of the documents at paths below `data` is answered.
pub(super) fn documents(policy: &Policy, marks: &Marks, paths: &[&[Value]]) -> Reads {
    found(policy, marks, |flow| paths.iter().for_each(|path| flow.answer_document(path)))
}

/// The values of these slots are answered, for each solution.
pub(super) fn query(policy: &Policy, marks: &Marks, (body, slots): (&Block, usize), variables: &[Slot]) -> Reads {
    found(policy, marks, |flow| flow.answer_query(body, Frame::new(slots), variables))
}

fn found<'p>(policy: &'p Policy, marks: &'p Marks, ask: impl Fn(&mut Flow<'p>)) -> Reads {
    let mut shared = HashSet::default();
    loop {
        let mut flow = Flow::new(policy, marks, shared);
        ask(&mut flow);
        match flow.finish() {
            Ok(reads) => return reads,
            Err(more) => shared = more,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::path::{Part, Step};
    use super::super::reads::Root;
    use super::*;
    use crate::ir::{Definition, Group, GroupId, GroupKind, Head, Op, Pattern, Reference, Rule, Term};
    use crate::syntax::span::Span;

    fn input(key: &str) -> Term {
        Term::Reference(Box::new(Reference { head: Head::Input, keys: Box::new([Term::Constant(Value::from(key))]) }))
    }

    fn step(op: Op) -> crate::ir::Step {
        crate::ir::Step { span: Default::default(), op }
    }

    #[test]
    fn a_query_reads_what_its_answers_show() {
        let bind = |slot: u32, key: &str| step(Op::Match(Pattern::Bind(Slot(slot)), input(key)));
        let body: Block = Box::new([bind(0, "a"), bind(1, "b")]);
        let policy = Policy::default();
        let reads = query(&policy, &Marks::of(&policy), (&body, 2), &[Slot(1)]);
        let path = |key: &str| vec![Step::Key(Value::from(key))];
        assert_eq!(reads.input.paths(), [(path("a"), Part::Kind), (path("b"), Part::Whole)]);
    }

    #[test]
    fn what_refers_to_itself_reads_everything() {
        let (reads, places) = of_itself(Box::default());
        assert_eq!((reads.input.paths(), places.len()), (vec![(Vec::new(), Part::Whole)], 2));
        assert!(reads.clock && reads.random && reads.runtime);
    }

    /// Where nothing is known any more is said, also where all of the input was read before.
    #[test]
    fn what_is_read_whole_twice_is_said_of_both_places() {
        let at = |start: u32, op: Op| crate::ir::Step { span: Span { start, ..Span::default() }, op };
        let (_, places) = of_itself(Box::new([
            at(1, Op::Match(Pattern::Equal(Term::Input), Term::Input)),
            at(2, Op::Match(Pattern::Any, own())),
        ]));
        // The head, at 0, is itself as well.
        assert_eq!(places, [(Root::Input, 0), (Root::Input, 1), (Root::Input, 2), (Root::Data, 0), (Root::Data, 2)]);
    }

    fn own() -> Term {
        Term::Reference(Box::new(Reference { head: Head::Group(GroupId(0)), keys: Box::default() }))
    }

    /// Returns what a rule reads whose value is its own document, and where each document is read whole: its root and an offset.
    fn of_itself(body: Block) -> (Reads, Vec<(Root, u32)>) {
        let definition = Definition { slots: 0, known: Box::default(), body, path: Box::default(), value: own() };
        let rule = Rule {
            span: Default::default(),
            head: Default::default(),
            args: Box::default(),
            multi: false,
            keys: 0,
            definitions: Box::new([definition]),
            asked: None,
            otherwise: Vec::new(),
            labels: None,
        };
        let group = Group {
            path: Box::new([Value::from("data"), Value::from("r")]),
            name: "data.r".into(),
            kind: GroupKind::Complete,
            rules: vec![rule],
            default: None,
            index: Default::default(),
            is_cheap: false,
        };
        let root = crate::ir::Node { children: [(Value::from("r"), crate::ir::NodeId(1))].into(), group: None, hidden: false };
        let leaf = crate::ir::Node { children: Default::default(), group: Some(GroupId(0)), hidden: false };
        let policy = Policy { nodes: vec![root, leaf], groups: vec![group], ..Policy::default() };
        let reads = documents(&policy, &Marks::of(&policy), &[&[Value::from("r")]]);
        let places = reads.whole.iter().map(|(root, span)| (*root, span.start)).collect();
        (reads, places)
    }
}
