//! A template as a tree (`text/template/parse`, `node.go`).

use std::collections::HashMap;

/// All templates of a text; the text itself has no name that anybody can say.
#[derive(Debug, Default)]
pub(super) struct Templates {
    pub(super) root: Vec<Node>,
    pub(super) named: HashMap<String, Vec<Node>>,
}

/// A part of a template.
#[derive(Debug)]
pub(super) enum Node {
    Text(String),
    Action(Pipe),
    If(Branch),
    With(Branch),
    Range(Branch),
    Template { name: String, pipe: Option<Pipe>, place: Place },
    Break,
    Continue,
}

/// What depends on a value.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) pipe: Pipe,
    pub(super) then: Vec<Node>,
    pub(super) otherwise: Vec<Node>,
}

/// Commands, each of which gets the value of the one before; and the variables that get the last.
#[derive(Debug)]
pub(super) struct Pipe {
    pub(super) variables: Vec<String>,
    /// `=`, not `:=`.
    pub(super) assigns: bool,
    pub(super) commands: Vec<Command>,
}

/// An operand, or a function and its operands.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) words: Vec<Word>,
    /// From the first of them to the last.
    pub(super) place: Place,
}

/// An operand, and where it stands.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) term: Term,
    pub(super) place: Place,
}

/// What an operand is; fields are looked for one below the other.
#[derive(Debug)]
pub(super) enum Term {
    Dot,
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Field(Vec<String>),
    Variable(String, Vec<String>),
    Function(String),
    Pipe(Box<Pipe>, Vec<String>),
}

/// Line, column, and what stands there.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) text: String,
}
