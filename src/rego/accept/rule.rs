//! Rules and modules as the checks see them.

use regorus::Value;

use super::term::{Body, Kind, Term};

/// One definition. The branches of an `else` chain hang on the first.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// Which of the modules.
    pub(super) module: usize,
    /// Offset of the definition, or of its `else`.
    pub(super) at: u32,
    /// `data`, the package, the name, and what the head adds; only the last kind may hold variables.
    pub(super) path: Vec<Term>,
    /// How many of `path` are `data`, package and name.
    pub(super) name_len: usize,
    pub(super) args: Vec<Term>,
    pub(super) head: Head,
    pub(super) default: bool,
    pub(super) body: Body,
    pub(super) otherwise: Option<Box<Rule>>,
}

/// What a definition contributes.
#[derive(Clone, Debug)]
pub(super) enum Head {
    /// The value at the path.
    Value(Term),
    /// A member of the set at the path.
    Member(Term),
}

/// A module's rules with what names mean in it.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) imports: Vec<Import>,
    /// `data` and the package.
    pub(super) package: Vec<Term>,
    pub(super) package_at: u32,
    pub(super) rules: Vec<Rule>,
}

/// `import path as name`.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) at: u32,
    pub(super) path: Vec<Term>,
    /// The name it brings; for `rego` and `future` none.
    pub(super) alias: Option<String>,
}

impl Import {
    /// `import rego.v1` and `import future.…` bring no names.
    pub(super) fn is_of_language(&self) -> bool {
        let root = self.path.first().map(|part| &part.kind);
        matches!(root, Some(Kind::Scalar(Value::String(root))) if matches!(root.as_ref(), "rego" | "future"))
    }
}

impl Head {
    pub(super) fn term(&self) -> &Term {
        match self {
            Self::Value(term) | Self::Member(term) => term,
        }
    }

    pub(super) fn term_mut(&mut self) -> &mut Term {
        match self {
            Self::Value(term) | Self::Member(term) => term,
        }
    }
}

impl Rule {
    /// The definition and its `else` branches.
    pub(super) fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |rule| rule.otherwise.as_deref())
    }

    /// The part of the path before its first variable.
    pub(super) fn ground(&self) -> &[Term] {
        let len = self.path.iter().take_while(|part| part.is_scalar()).count();
        self.path.get(..len).unwrap_or(&self.path)
    }

    pub(super) fn is_ground(&self) -> bool {
        self.ground().len() == self.path.len()
    }

    pub(super) fn is_function(&self) -> bool {
        !self.args.is_empty()
    }

    /// Calls a function on the definition and each `else` branch.
    pub(super) fn for_each_mut(&mut self, change: &mut dyn FnMut(&mut Self)) {
        change(self);
        if let Some(next) = &mut self.otherwise {
            next.for_each_mut(change);
        }
    }
}
