//! Rules as the checks see them: references are lists, operators are calls, and every variable is a number.
//!
//! The shape follows OPA's own compiler, because what is safe, recursive or in conflict is defined by what that compiler does.

use regorus::Value;

use super::names::Var;

/// A list of statements that must all hold.
pub(super) type Body = Vec<Expr>;

/// A value, or something that yields values.
#[derive(Clone, Debug)]
pub(super) struct Term {
    /// Offset in the module.
    pub(super) at: u32,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Scalar(Value),
    Var(Var),
    /// A head and at least one step into it.
    Ref(Vec<Term>),
    Array(Vec<Term>),
    Set(Vec<Term>),
    Object(Vec<(Term, Term)>),
    Call(Call),
    Comprehension(Box<Comprehension>),
}

/// `[value | body]`, `{value | body}` or `{key: value | body}`.
#[derive(Clone, Debug)]
pub(super) struct Comprehension {
    pub(super) form: Form,
    /// The value, or key and value.
    pub(super) terms: Vec<Term>,
    pub(super) body: Body,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Array,
    Set,
    Object,
}

/// A function or operator and its operands.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) operator: Operator,
    pub(super) operands: Vec<Term>,
}

#[derive(Clone, Debug)]
pub(super) enum Operator {
    /// Written as an operator: its name as a function, which no rule can shadow.
    Infix(&'static str),
    /// A name or a path.
    Path(Vec<Term>),
}

pub(super) const UNIFY: &str = "eq";
pub(super) const ASSIGN: &str = "assign";
pub(super) const EQUAL: &str = "equal";
pub(super) const MEMBER: &str = "internal.member_2";
pub(super) const MEMBER_WITH_KEY: &str = "internal.member_3";

/// One statement.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) at: u32,
    /// Tells statements of one body apart.
    pub(super) id: u32,
    pub(super) kind: ExprKind,
    pub(super) negated: bool,
    /// Target and value.
    pub(super) with: Vec<(Term, Term)>,
    /// Made by expansion: the last operand of a call is its output.
    pub(super) generated: bool,
    /// Was `:=`, so nothing flows from its left side to its right side.
    pub(super) assigned: bool,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Term(Term),
    Call(Call),
    /// `some x, y`.
    Some(Vec<Term>),
    /// `some k, v in collection`.
    SomeIn(Box<SomeIn>),
    Every(Box<Every>),
}

#[derive(Clone, Debug)]
pub(super) struct SomeIn {
    pub(super) key: Option<Term>,
    pub(super) value: Term,
    pub(super) collection: Term,
}

#[derive(Clone, Debug)]
pub(super) struct Every {
    pub(super) key: Option<Term>,
    pub(super) value: Term,
    pub(super) domain: Term,
    pub(super) body: Body,
}

impl Term {
    pub(super) fn var(var: Var, at: u32) -> Self {
        Self { at, kind: Kind::Var(var) }
    }

    pub(super) fn string(text: &str, at: u32) -> Self {
        Self { at, kind: Kind::Scalar(Value::from(text)) }
    }

    pub(super) fn as_var(&self) -> Option<Var> {
        match self.kind {
            Kind::Var(var) => Some(var),
            _ => None,
        }
    }

    /// Holds no variable, reference, call or comprehension.
    pub(super) fn is_constant(&self) -> bool {
        match &self.kind {
            Kind::Scalar(_) => true,
            Kind::Array(items) | Kind::Set(items) => items.iter().all(Self::is_constant),
            Kind::Object(fields) => fields.iter().all(|(key, value)| key.is_constant() && value.is_constant()),
            Kind::Var(_) | Kind::Ref(_) | Kind::Call(_) | Kind::Comprehension(_) => false,
        }
    }

    pub(super) fn is_scalar(&self) -> bool {
        matches!(self.kind, Kind::Scalar(_))
    }

    /// Same constant: scalars by value, composites member by member.
    pub(super) fn same_constant(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Scalar(a), Kind::Scalar(b)) => a == b,
            (Kind::Array(a), Kind::Array(b)) | (Kind::Set(a), Kind::Set(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_constant(b))
            }
            (Kind::Object(a), Kind::Object(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0.same_constant(&b.0) && a.1.same_constant(&b.1))
            }
            (Kind::Var(a), Kind::Var(b)) => a == b,
            _ => false,
        }
    }
}

impl Expr {
    /// The operands of a unification or assignment.
    pub(super) fn equality(&self) -> Option<(&Term, &Term)> {
        self.infix(UNIFY)
    }

    pub(super) fn infix(&self, name: &str) -> Option<(&Term, &Term)> {
        match &self.kind {
            ExprKind::Call(Call { operator: Operator::Infix(found), operands }) if *found == name => match operands.as_slice() {
                [left, right] => Some((left, right)),
                _ => None,
            },
            _ => None,
        }
    }

    /// `:=`.
    pub(super) fn is_assignment(&self) -> bool {
        self.infix(ASSIGN).is_some()
    }
}
