//! Variables: numbers with names.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// A variable. Undeclared variables of one name are one variable; each declaration makes a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Var(u32);

/// A set of variables.
pub(super) type VarSet = BTreeSet<Var>;

/// Variables, with those of what is around: no set is copied for what is inside.
pub(super) struct Scope<'a> {
    around: Option<&'a Scope<'a>>,
    pub(super) own: VarSet,
}

impl<'a> Scope<'a> {
    pub(super) fn of(own: VarSet) -> Self {
        Self { around: None, own }
    }

    pub(super) fn inside(around: &'a Self) -> Self {
        Self { around: Some(around), own: VarSet::new() }
    }

    pub(super) fn contains(&self, var: Var) -> bool {
        self.own.contains(&var) || self.around.is_some_and(|around| around.contains(var))
    }
}

pub(super) const DATA: Var = Var(0);
pub(super) const INPUT: Var = Var(1);

/// The names of all variables of a set of modules.
#[derive(Debug)]
pub(super) struct Names {
    names: Vec<Name>,
    by_text: HashMap<Rc<str>, Var>,
    next_expr: u32,
}

#[derive(Debug)]
struct Name {
    text: Rc<str>,
    form: NameForm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameForm {
    Written,
    Wildcard,
    Generated,
}

impl Names {
    pub(super) fn new() -> Self {
        let mut names = Self { names: Vec::new(), by_text: HashMap::new(), next_expr: 0 };
        names.written("data");
        names.written("input");
        names
    }

    fn push(&mut self, text: Rc<str>, form: NameForm) -> Var {
        let var = Var(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(Name { text, form });
        var
    }

    /// The variable of a name as written.
    pub(super) fn written(&mut self, text: &str) -> Var {
        if let Some(var) = self.by_text.get(text) {
            return *var;
        }
        let text: Rc<str> = text.into();
        let form = if text.starts_with("__local") { NameForm::Generated } else { NameForm::Written };
        let var = self.push(text.clone(), form);
        self.by_text.insert(text, var);
        var
    }

    /// The variable of a name, if it was ever written.
    pub(super) fn known(&self, text: &str) -> Option<Var> {
        self.by_text.get(text).copied()
    }

    /// A `_`: never the same variable twice.
    pub(super) fn wildcard(&mut self) -> Var {
        self.push("_".into(), NameForm::Wildcard)
    }

    /// A new variable that nobody wrote.
    pub(super) fn generate(&mut self) -> Var {
        self.push("__local__".into(), NameForm::Generated)
    }

    /// A new variable for a declaration of a written one.
    pub(super) fn declare(&mut self, of: Var) -> Var {
        let text = self.text(of);
        self.push(text, NameForm::Written)
    }

    pub(super) fn text(&self, var: Var) -> Rc<str> {
        self.get(var).map_or_else(|| "?".into(), |name| name.text.clone())
    }

    pub(super) fn is_generated(&self, var: Var) -> bool {
        self.get(var).is_some_and(|name| name.form == NameForm::Generated)
    }

    pub(super) fn is_wildcard(&self, var: Var) -> bool {
        self.get(var).is_some_and(|name| name.form == NameForm::Wildcard)
    }

    /// The variable that its name stands for where nothing declares it.
    pub(super) fn is_as_written(&self, var: Var) -> bool {
        self.get(var).is_some_and(|name| self.by_text.get(&name.text) == Some(&var))
    }

    fn get(&self, var: Var) -> Option<&Name> {
        self.names.get(usize::try_from(var.0).unwrap_or(usize::MAX))
    }

    /// A number for a new statement.
    pub(super) fn expr(&mut self) -> u32 {
        self.next_expr += 1;
        self.next_expr
    }
}

/// `data` and `input`, which are bound everywhere.
pub(super) fn reserved() -> VarSet {
    VarSet::from([DATA, INPUT])
}
