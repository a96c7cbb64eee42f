//! Bodies and terms.

use std::sync::Arc;

use super::{GroupId, Slot};
use crate::builtins::Builtin;
use crate::syntax::span::Span;
use crate::value::{Shape, Value};

/// Expressions, in the order in which they are evaluated.
pub type Block = Box<[Step]>;

/// One expression.
#[derive(Debug)]
pub struct Step {
    /// Where it stands.
    pub span: Span,
    /// What it does.
    pub op: Op,
}

/// What an expression does.
#[derive(Debug)]
pub enum Op {
    /// Defined, and not false.
    Test(Term),
    /// The value is of this form; what is unbound is bound.
    Match(Pattern, Term),
    /// Each value that a reference finds, of this form (without one: not false).
    Iterate(Box<Iterate>),
    /// A call, with its output.
    Call(Box<Call>),
    /// No solution.
    Not(Block),
    /// A solution for each.
    Every(Box<Every>),
    /// With other documents and functions.
    With(Box<With>),
    /// A solution of both.
    And(Block, Block),
    /// A solution of the first one, or else of the second one.
    Or(Block, Block),
    /// Never.
    Fail,
}

/// A reference with variables that it binds.
#[derive(Debug)]
pub struct Iterate {
    /// Where it begins.
    pub head: Head,
    /// How it goes on.
    pub elements: Box<[Element]>,
    /// What the value must be; without it, anything but false.
    pub output: Option<Pattern>,
    /// What is asked of each value before anything else happens.
    pub filter: Option<Box<Filter>>,
}

/// `some x in xs; x.a.b == known`: other values than those that are found by an index may be passed over.
#[derive(Debug)]
pub struct Filter {
    /// Where the part lies that is compared; keys are text.
    pub path: Box<[Value]>,
    /// What it must be equal to.
    pub wanted: Wanted,
}

/// What is known before a reference is gone through, without any effect.
#[derive(Debug)]
pub enum Wanted {
    /// A variable.
    Slot(Slot),
    /// Always this.
    Constant(Value),
    /// What lies in `input` at this path; keys are text.
    Input(Box<[Value]>),
}

/// One step of a reference.
#[derive(Debug)]
pub enum Element {
    /// This key.
    Key(Term),
    /// Each key of this form.
    Each(Pattern),
}

/// Where a reference begins.
#[derive(Debug)]
pub enum Head {
    /// `input`.
    Input,
    /// `data`: base and virtual documents.
    Data,
    /// The document of a group; the elements go on behind its path.
    Group(GroupId),
    /// `data`, where no rule is: base documents alone.
    Base,
    /// What a term has.
    Term(Term),
}

/// A reference whose keys are all known.
#[derive(Debug)]
pub struct Reference {
    /// Where it begins.
    pub head: Head,
    /// Its keys; of a group, those behind its path.
    pub keys: Box<[Term]>,
}

/// What has at most one value.
#[derive(Debug)]
pub enum Term {
    /// Always this.
    Constant(Value),
    /// What the variable is bound to.
    Slot(Slot),
    /// `input`.
    Input,
    /// A document.
    Reference(Box<Reference>),
    /// `[…]`.
    Array(Box<[Self]>),
    /// `{…: …}`.
    Object(Box<Members>),
    /// `{…}`.
    Set(Box<[Self]>),
    /// A comprehension.
    Comprehension(Box<Comprehension>),
}

/// Members of an object, as they are written.
#[derive(Debug)]
pub struct Members {
    members: Box<[(Term, Term)]>,
    shape: Option<Shaped>,
}

/// Of an object whose keys are known: all that are made of it share one shape.
#[derive(Debug)]
pub struct Shaped {
    /// Its keys.
    pub shape: Arc<Shape>,
    /// For each member as it is written, which of the keys is its own.
    pub places: Box<[usize]>,
}

impl Members {
    /// Members in the order in which they are evaluated.
    pub fn new(members: Box<[(Term, Term)]>) -> Self {
        Self { shape: Shaped::of(&members), members }
    }

    /// If all keys are constants, and no two are equal.
    pub fn shape(&self) -> Option<&Shaped> {
        self.shape.as_ref()
    }
}

impl Shaped {
    fn of(members: &[(Term, Term)]) -> Option<Self> {
        let keys = members.iter().map(|(key, _)| if let Term::Constant(key) = key { Some(key) } else { None });
        let keys: Vec<_> = keys.collect::<Option<_>>()?;
        let mut sorted = keys.clone();
        sorted.sort();
        let places = keys.iter().map(|key| sorted.binary_search(key).ok()).collect::<Option<_>>()?;
        Some(Self { shape: Shape::new(sorted.into_iter().cloned().collect())?, places })
    }
}

impl std::ops::Deref for Members {
    type Target = [(Term, Term)];

    fn deref(&self) -> &Self::Target {
        &self.members
    }
}

/// A comprehension.
#[derive(Debug)]
pub enum Comprehension {
    /// `[value | …]`.
    Array(Block, Term),
    /// `{value | …}`.
    Set(Block, Term),
    /// `{key: value | …}`, and where the key stands.
    Object(Block, Term, Term, Span),
    /// One that is computed once, and then looked up.
    Indexed(Box<IndexedComprehension>),
}

impl Comprehension {
    /// Whether OPA looks at what it gives, to compare it with a value: not where its type alone says that they differ. A set is
    /// compared with anything (opa `v1/topdown/eval.go`, `biunify`).
    pub fn may_equal(&self, value: &Value) -> bool {
        match self {
            Self::Indexed(indexed) => indexed.plain.may_equal(value),
            Self::Array(..) => matches!(value, Value::Array(_) | Value::Set(_)),
            Self::Set(..) => matches!(value, Value::Set(_)),
            Self::Object(..) => matches!(value, Value::Object(_) | Value::Set(_)),
        }
    }
}

/// A comprehension that is computed once for all values of some variables outside of it.
#[derive(Debug)]
pub struct IndexedComprehension {
    /// As it is where those variables are bound.
    pub plain: Comprehension,
    /// As it is where they are not, in a frame of its own. Without it, what it collects is made of other variables outside, and it is
    /// computed where it stands; but several values of one key are no error then, as for all that OPA looks up.
    pub whole: Option<Comprehension>,
    /// There are no solutions for texts that are not found.
    pub complete: bool,
    /// How many slots that frame has.
    pub slots: usize,
    /// Those variables, outside and in that frame.
    pub keys: Box<[(Slot, Slot)]>,
}

/// What a value must be.
#[derive(Debug)]
pub enum Pattern {
    /// Anything.
    Any,
    /// Nothing: as in OPA no variable is taken out of a set, or out of the keys of an object.
    Never,
    /// Anything, and the variable is then bound to it.
    Bind(Slot),
    /// Equal to this.
    Equal(Term),
    /// An array of so many items.
    Array(Box<[Self]>),
    /// An object with these keys and no others.
    Object(Box<[(Term, Self)]>),
}

impl Pattern {
    /// Returns whether a call with this as its output gives the answer, or a part of it; `false` where any answer fits.
    pub fn asks(&self) -> bool {
        !matches!(self, Self::Any | Self::Bind(_))
    }
}

/// What is called.
#[derive(Debug)]
pub enum Target {
    /// A function of the policies.
    Function(GroupId),
    /// One of OPA's.
    Builtin(&'static Builtin),
}

impl Target {
    /// Whether a call of it may have several answers.
    pub fn is_relation(&self) -> bool {
        matches!(self, Self::Builtin(builtin) if builtin.relation)
    }
}

/// A call.
#[derive(Debug)]
pub struct Call {
    /// What is called.
    pub target: Target,
    /// Its name as `with` knows it: a path below `data`, or the builtin's name.
    pub name: Box<str>,
    /// With what.
    pub operands: Box<[Term]>,
    /// What the answer must be; without it, anything but false.
    pub output: Option<Pattern>,
    /// The part of the path in the answer that has a value before the call. Only `walk` reads it, also where `with f as walk` calls it for `f`.
    pub known_path: Option<Box<KnownPath>>,
}

/// The part of a path that has a value before `walk` is called. `walk` looks these keys up instead of going through all members (opa
/// `v1/topdown/walk.go`, `getOutputPath`).
#[derive(Debug)]
pub enum KnownPath {
    /// The path is written as an array: each of its keys, `None` for one that is not known. In `walk(x, [[i, "a", _], v])` the last one.
    Keys(Box<[Option<Term>]>),
    /// The whole path is the value of this term: `path` in `walk(x, [path, v])`.
    Path(Term),
    /// The whole answer is the value of this term, an array of a path and a value: `pair` in `walk(x, pair)`.
    Pair(Term),
}

/// `every key, value in domain { … }`.
#[derive(Debug)]
pub struct Every {
    /// What is gone through.
    pub domain: Term,
    /// The key.
    pub key: Pattern,
    /// The value.
    pub value: Pattern,
    /// What must hold.
    pub body: Block,
    /// Where the domain stands.
    pub place: Span,
}

/// An expression with other documents and functions.
#[derive(Debug)]
pub struct With {
    /// `input` paths (without `input`), and what is there instead.
    pub input: Box<[(Box<[Value]>, Term)]>,
    /// `data` paths (without `data`), and what is there instead.
    pub data: Box<[DataChange]>,
    /// Functions, by their names, and what is called instead.
    pub functions: Box<[(Box<str>, Replacement)]>,
    /// The expression, where one of the paths has a key that is no text in the policy: there is nothing that could be replaced, and it
    /// ends in an error (opa `v1/topdown/input.go`, `errBadPath`).
    pub bad_path: Option<Span>,
    /// The expression.
    pub body: Block,
}

/// A path and what is there instead; `None`, nothing that could be read, if that is a function.
pub type DataChange = (Box<[Value]>, Option<Term>);

/// What is called instead of a function.
#[derive(Debug)]
pub enum Replacement {
    /// Another function.
    Target(Target),
    /// Nothing: this is the answer.
    Value(Term),
    /// Nothing: the answer is this document below `data`, a reference without variables. It is asked for where the function is called, under all
    /// that is replaced there, and not at all where nobody looks at the answer (opa `v1/topdown/eval.go`, `evalCallValue`).
    Document(Term),
}
