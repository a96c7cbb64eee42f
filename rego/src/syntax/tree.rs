//! The tree of a module, in the form of OPA's (`v1/ast/policy.go`, `v1/ast/term.go`): the stages of the compiler rewrite it in
//! place, as OPA's do, and `opa parse --format json` prints the same one.

mod expr;
mod term;

use arcstr::ArcStr;

use super::span::{SourceId, Span};

pub use expr::{Body, Every, Expr, ExprKind, Logical, Not, SomeDecl, With};
pub use term::{Comprehension, Kind, ObjectComprehension, Template, TemplatePart, Term};

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

impl Head {
    /// Whether it is of a function with operands. One without, `f() := 1`, makes a document.
    pub fn is_function(&self) -> bool {
        self.args.as_ref().is_some_and(|args| !args.is_empty())
    }
}

impl Rule {
    /// Itself and all its `else`.
    pub fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |rule| rule.otherwise.as_deref())
    }

    /// Visits itself and all its `else`.
    pub fn each_of_chain(&mut self, mut visit: impl FnMut(&mut Self)) {
        let mut next = Some(self);
        while let Some(rule) = next {
            visit(rule);
            next = rule.otherwise.as_deref_mut();
        }
    }
}
