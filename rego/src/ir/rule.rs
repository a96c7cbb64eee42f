//! Rules and where they live.

use std::collections::BTreeMap;

use super::{Block, GroupId, NodeId, Pattern, RuleIndex, Term};
use crate::syntax::span::Span;
use crate::value::Value;

/// A place below `data` that rules define, or that lies above one.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// What lies below it, in OPA's order of the keys.
    pub children: BTreeMap<Value, NodeId>,
    /// The rules here.
    pub group: Option<GroupId>,
    /// Not shown in documents above it (`data.system`).
    pub hidden: bool,
}

/// What rules of one path define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// One value. A head with empty brackets, `r() := 1`, is no other than `r := 1`, as in OPA.
    Complete,
    /// A set.
    Set,
    /// An object, perhaps of sets.
    Object,
    /// A function with so many operands, one at least.
    Function(usize),
}

impl GroupKind {
    /// Whether there is a document at its path.
    pub fn is_document(self) -> bool {
        !matches!(self, Self::Function(_))
    }
}

/// The rules at one node; with heads that have variables, also those below it.
#[derive(Debug)]
pub struct Group {
    /// Its path, `data` first.
    pub path: Box<[Value]>,
    /// The path as OPA writes it, for messages.
    pub name: Box<str>,
    /// What they define.
    pub kind: GroupKind,
    /// In the order of the modules.
    pub rules: Vec<Rule>,
    /// What holds when none of them does.
    pub default: Option<Rule>,
    /// Which of them may hold.
    pub index: RuleIndex,
    /// A function that costs less than looking its answer up, and answers the same however equal operands are written; none that some call asks
    /// for a given answer, which has to be remembered.
    pub is_cheap: bool,
}

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// Where it stands.
    pub span: Span,
    /// Where its head stands.
    pub head: Span,
    /// Its operands, if it is a function's.
    pub args: Box<[Pattern]>,
    /// It adds members to a set (`contains`).
    pub multi: bool,
    /// How many keys its head has below the group's path.
    pub keys: usize,
    /// How it is evaluated, by the number of keys (and the member of a set) that are known before: none first.
    pub definitions: Box<[Definition]>,
    /// How it is evaluated where a call asks for a given value, which is known before the body: of functions that some call of the set asks so,
    /// where the head has variables.
    pub asked: Option<Box<Definition>>,
    /// `else`, in order.
    pub otherwise: Vec<Rule>,
    /// What METADATA labels it with: where that is in [`super::Policy::labels`].
    pub labels: Option<usize>,
}

/// A rule as it is evaluated for so many known keys.
#[derive(Debug)]
pub struct Definition {
    /// How many slots its frame has.
    pub slots: usize,
    /// What the known keys must be.
    pub known: Box<[Pattern]>,
    /// What must hold.
    pub body: Block,
    /// The keys of the head, once the body holds.
    pub path: Box<[Term]>,
    /// The value, or the member.
    pub value: Term,
}
