//! The tree of a module, in the form of OPA's (`v1/ast/policy.go`, `v1/ast/term.go`): the stages of the compiler rewrite it in
//! place, as OPA's do, and `opa parse --format json` prints the same one.

use arcstr::ArcStr;

use super::span::{SourceId, Span};

/// The name of a variable; `$1`, `$2` … are wildcards, `__local1__` … are made by the compiler.
pub type Var = ArcStr;

/// Which language a module is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// Before OPA 1.0.
    V0,
    /// v0 with `import rego.v1`.
    V0CompatV1,
    /// Since OPA 1.0.
    #[default]
    V1,
    /// v1 with `import rego.v2`: `and` and `or` are keywords.
    V2,
}

/// One file.
#[derive(Clone, Debug)]
pub struct Module {
    /// Which text it comes from.
    pub source: SourceId,
    /// Which language it is written in.
    pub version: Version,
    /// Where its rules live.
    pub package: Package,
    /// In the order of the text.
    pub imports: Vec<Import>,
    /// In the order of the text; several bodies are several rules.
    pub rules: Vec<Rule>,
    /// In the order of the text.
    pub comments: Vec<Comment>,
    /// In the order of the text.
    pub annotations: Vec<Annotations>,
    /// How deep terms, bodies and chains of `else` nest at most.
    pub depth: u32,
}

/// `package a.b`.
#[derive(Clone, Debug)]
pub struct Package {
    /// All of the statement.
    pub span: Span,
    /// `data` first.
    pub path: Vec<Term>,
}

/// `import data.a.b as c`.
#[derive(Clone, Debug)]
pub struct Import {
    /// All of the statement.
    pub span: Span,
    /// A reference.
    pub path: Term,
    /// Another name, and where it stands.
    pub alias: Option<(Var, Span)>,
}

/// `# …`.
#[derive(Clone, Debug)]
pub struct Comment {
    /// With the `#`.
    pub span: Span,
    /// Without the `#`.
    pub text: ArcStr,
}

/// A METADATA block (`v1/ast/annotations.go`).
#[derive(Clone, Debug)]
pub struct Annotations {
    /// From the first comment to the last one.
    pub span: Span,
    /// `rule`, `document`, `package` or `subpackages`.
    pub scope: Scope,
    /// The block as the YAML says it, scope included.
    pub fields: crate::value::Value,
    /// What it is about: the index of the rule in its module, or the package.
    pub target: AnnotationTarget,
}

/// How far annotations reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The rule below them.
    Rule,
    /// All rules of this name in the package.
    Document,
    /// The package.
    Package,
    /// The package and all below it.
    Subpackages,
}

/// What annotations are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotationTarget {
    /// The module's package.
    Package,
    /// A rule of the module, by its index.
    Rule(usize),
}

/// A definition.
#[derive(Clone, Debug)]
pub struct Rule {
    /// All of it, from its head to the end of its body.
    pub span: Span,
    /// `default …`.
    pub default: bool,
    /// What it defines.
    pub head: Head,
    /// `true` when none is written.
    pub body: Body,
    /// The body was not written.
    pub generated_body: bool,
    /// `else …`.
    pub otherwise: Option<Box<Rule>>,
    /// Indexes into the module's annotations.
    pub annotations: Vec<usize>,
}

/// The head of a rule.
#[derive(Clone, Debug)]
pub struct Head {
    /// All of it.
    pub span: Span,
    /// The name as OPA has it: empty for `a.b` and for `a[b]` unless the latter is an old partial rule; see `reference`.
    pub name: Var,
    /// All names and brackets; the package is in front of them after `RewriteRuleHeadRefs` of the compiler.
    pub reference: Vec<Term>,
    /// Of a function, perhaps none; `None` for what is no function.
    pub args: Option<Vec<Term>>,
    /// The member of a set, or the key of an object.
    pub key: Option<Term>,
    /// What the document, or the key's member, is.
    pub value: Option<Term>,
    /// Written with `:=`.
    pub assign: bool,
    /// The value was not written.
    pub generated_value: bool,
}

/// Expressions that must all hold.
pub type Body = Vec<Expr>;

/// One expression of a body.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Without its `with`.
    pub span: Span,
    /// What it says.
    pub kind: ExprKind,
    /// `not …`.
    pub negated: bool,
    /// Made by the compiler.
    pub generated: bool,
    /// An equality that was written with `:=` (`v1/ast/policy.go`, `fromAssignment`).
    pub from_assignment: bool,
    /// What it replaces while it is evaluated.
    pub with: Vec<With>,
}

/// What an expression says.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A term that must be defined and not false.
    Term(Term),
    /// A call or an operator: the operator as a reference, then the operands.
    Call(Vec<Term>),
    /// `some x, y`: variables, or one call of `internal.member_2` or `internal.member_3`.
    Some(SomeDecl),
    /// `every k, v in xs { … }`.
    Every(Box<Every>),
    /// `not …` where `not` takes a body (`import future.keywords.not`, `import rego.v2`).
    Not(Box<Not>),
    /// `a and b`.
    And(Box<Logical>),
    /// `a or b`.
    Or(Box<Logical>),
}

/// `some x`.
#[derive(Clone, Debug)]
pub struct SomeDecl {
    /// All of it.
    pub span: Span,
    /// What is declared.
    pub symbols: Vec<Term>,
}

/// `every k, v in xs { … }`.
#[derive(Clone, Debug)]
pub struct Every {
    /// All of it.
    pub span: Span,
    /// Perhaps not named.
    pub key: Option<Term>,
    /// A variable.
    pub value: Term,
    /// What is gone through.
    pub domain: Term,
    /// What must hold for each.
    pub body: Body,
}

/// `not { … }`.
#[derive(Clone, Debug)]
pub struct Not {
    /// All of it.
    pub span: Span,
    /// What must not hold.
    pub body: Body,
    /// It is written in braces.
    pub explicit: bool,
}

/// Both sides of `and` and `or`.
#[derive(Clone, Debug)]
pub struct Logical {
    /// All of it.
    pub span: Span,
    /// Left.
    pub left: Body,
    /// Right.
    pub right: Body,
    /// Left is written in braces.
    pub explicit_left: bool,
    /// Right is written in braces.
    pub explicit_right: bool,
}

/// `with input.a as 1`.
#[derive(Clone, Debug)]
pub struct With {
    /// All of it.
    pub span: Span,
    /// What is replaced.
    pub target: Term,
    /// By what.
    pub value: Term,
}

/// A value that is written down.
#[derive(Clone, Debug)]
pub struct Term {
    /// Where.
    pub span: Span,
    /// What.
    pub kind: Kind,
}

/// What a term is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true`.
    Bool(bool),
    /// As it is written.
    Number(ArcStr),
    /// Without quotes and escapes.
    String(ArcStr),
    /// A name.
    Var(Var),
    /// `a.b[c]`: the first term is a variable, a call or a collection. `input` and `data` alone are references of one term.
    Ref(Vec<Term>),
    /// `[a, b]`.
    Array(Vec<Term>),
    /// `{a: b}`, in OPA's order of the keys. Equal keys stay, as they do in OPA's tree, in the order of the text.
    Object(Vec<(Term, Term)>),
    /// `{a, b}`, in OPA's order, no two equal.
    Set(Vec<Term>),
    /// `[a | …]`.
    ArrayCompr(Box<Comprehension>),
    /// `{a | …}`.
    SetCompr(Box<Comprehension>),
    /// `{a: b | …}`.
    ObjectCompr(Box<ObjectComprehension>),
    /// `f(a, b)`: the operator as a reference, then the operands.
    Call(Vec<Term>),
    /// `$"a {b}"`.
    Template(Box<Template>),
}

/// `[a | …]` or `{a | …}`.
#[derive(Clone, Debug)]
pub struct Comprehension {
    /// What each solution gives.
    pub term: Term,
    /// What is solved.
    pub body: Body,
}

/// `{a: b | …}`.
#[derive(Clone, Debug)]
pub struct ObjectComprehension {
    /// What each solution gives.
    pub key: Term,
    /// What each solution gives.
    pub value: Term,
    /// What is solved.
    pub body: Body,
}

/// `$"a {b}"`.
#[derive(Clone, Debug)]
pub struct Template {
    /// Strings as terms, and expressions.
    pub parts: Vec<TemplatePart>,
    /// Written between backquotes.
    pub multi_line: bool,
}

/// A part of a template.
#[derive(Clone, Debug)]
pub enum TemplatePart {
    /// Text.
    Text(Term),
    /// `{…}`.
    Expr(Expr),
}

impl Term {
    /// A term at a place.
    pub fn new(span: Span, kind: Kind) -> Self {
        Self { span, kind }
    }

    /// A variable.
    pub fn var(span: Span, name: impl Into<Var>) -> Self {
        Self::new(span, Kind::Var(name.into()))
    }

    /// A string.
    pub fn string(span: Span, text: impl Into<ArcStr>) -> Self {
        Self::new(span, Kind::String(text.into()))
    }

    /// The variable's name, if it is one.
    pub fn as_var(&self) -> Option<&Var> {
        if let Kind::Var(name) = &self.kind { Some(name) } else { None }
    }

    /// The string's text, if it is one.
    pub fn as_str(&self) -> Option<&ArcStr> {
        if let Kind::String(text) = &self.kind { Some(text) } else { None }
    }

    /// The parts of a reference, if it is one.
    pub fn as_ref_parts(&self) -> Option<&[Term]> {
        if let Kind::Ref(parts) = &self.kind { Some(parts) } else { None }
    }
}
