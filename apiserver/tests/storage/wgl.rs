//! Is there an order in which one register could have answered like this? Wing and Gong's search with Lowe's memory of
//! dead ends: take any operation that may come first, go on with the rest, go back if it cannot be.

use std::collections::HashSet;

/// What the register holds: the write that put it there.
pub(crate) type Content = Option<u64>;

#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) call: u64,
    pub(crate) answer: u64,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read(Content),
    /// Found what it expected and replaced it.
    Swapped {
        expected: Content,
        by: Content,
    },
    /// Was told what is there instead.
    Refused {
        expected: Content,
        found: Content,
    },
    /// Never answered: happened before `answer`, or not at all.
    InDoubt {
        expected: Content,
        by: Content,
    },
}

/// Finds an order of the operations on one register that starts empty.
pub(crate) fn is_linearizable(operations: &[Operation]) -> bool {
    let mut operations = operations.to_vec();
    operations.sort_by_key(|operation| operation.call);
    let mut search = Search { done: vec![false; operations.len()], operations, dead_ends: HashSet::new() };
    search.from(None)
}

struct Search {
    operations: Vec<Operation>,
    done: Vec<bool>,
    dead_ends: HashSet<(Vec<bool>, Content)>,
}

impl Search {
    fn from(&mut self, content: Content) -> bool {
        let open = || self.operations.iter().zip(&self.done).enumerate().filter(|(_, (_, done))| !**done);
        let Some(first_answer) = open().map(|(_, (operation, _))| operation.answer).min() else { return true };
        if !self.dead_ends.insert((self.done.clone(), content)) {
            return false;
        }
        // What was called after another was answered cannot come before it.
        let next: Vec<usize> =
            open().filter(|(_, (operation, _))| operation.call < first_answer).map(|(index, _)| index).collect();
        for index in next {
            self.done[index] = true;
            for after in outcomes(&self.operations[index].kind, content) {
                if self.from(after) {
                    return true;
                }
            }
            self.done[index] = false;
        }
        false
    }
}

/// What the register may hold afterwards; nothing if it could not have answered so.
fn outcomes(kind: &Kind, content: Content) -> Vec<Content> {
    match kind {
        Kind::Read(found) if *found == content => vec![content],
        Kind::Swapped { expected, by } if *expected == content => vec![*by],
        Kind::Refused { expected, found } if *found == content && *expected != content => vec![content],
        Kind::InDoubt { expected, by } if *expected == content => vec![*by, content],
        Kind::InDoubt { .. } => vec![content],
        _ => Vec::new(),
    }
}

#[test]
fn the_checker_itself() {
    let op = |call, answer, kind| Operation { call, answer, kind };
    let put = |expected, by| Kind::Swapped { expected, by };
    let cases: [(&str, Vec<Operation>, bool); 9] = [
        ("nothing", vec![], true),
        ("read after write", vec![op(0, 1, put(None, Some(1))), op(2, 3, Kind::Read(Some(1)))], true),
        ("lost write", vec![op(0, 1, put(None, Some(1))), op(2, 3, Kind::Read(None))], false),
        ("read beside write, old", vec![op(0, 5, put(None, Some(1))), op(1, 2, Kind::Read(None))], true),
        ("new, then old", vec![op(0, 9, put(None, Some(1))), op(1, 2, Kind::Read(Some(1))), op(3, 4, Kind::Read(None))], false),
        ("both won", vec![op(0, 5, put(None, Some(1))), op(1, 4, put(None, Some(2)))], false),
        (
            "refused by what came later",
            vec![op(0, 1, Kind::Refused { expected: None, found: Some(1) }), op(2, 3, put(None, Some(1)))],
            false,
        ),
        (
            "in doubt, seen later",
            vec![
                op(0, 9, Kind::InDoubt { expected: None, by: Some(1) }),
                op(1, 2, Kind::Read(None)),
                op(3, 4, Kind::Read(Some(1))),
            ],
            true,
        ),
        (
            "in doubt, too late",
            vec![
                op(0, 3, Kind::InDoubt { expected: None, by: Some(1) }),
                op(4, 5, Kind::Read(None)),
                op(6, 7, Kind::Read(Some(1))),
            ],
            false,
        ),
    ];
    for (name, operations, expected) in cases {
        assert_eq!(is_linearizable(&operations), expected, "{name}");
    }
}
