//! Which type a variable or a path has, from the innermost scope outwards (`v1/ast/env.go`, `TypeEnv`).

use std::rc::Rc;

use foldhash::HashMap;

use super::TypeEnv;
use super::lattice::Type;
use super::tree::{Key, Place, Tree};
use crate::syntax::tree::{Term, Var};

/// Scopes on top of what the set says.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    layers: Vec<Layer>,
    /// The layers that know a variable, or a path that begins with it, ascending.
    homes: HashMap<Var, Vec<usize>>,
    /// Changes with all that can be seen, and is what it was when a scope ends.
    state: u64,
    last_state: u64,
}

/// One scope.
#[derive(Debug, Default)]
struct Layer {
    vars: HashMap<Var, Option<Type>>,
    paths: Option<Rc<Tree>>,
    /// Which layer variables are put into.
    vars_home: usize,
    /// What `state` was before.
    before: u64,
}

/// Where a path is looked up.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A variable of a scope; `None` for a type that is not known.
    Var(Option<Type>),
    /// Paths that a scope replaces.
    Layer(Rc<Tree>),
    /// Rules.
    Rules,
    /// Builtins.
    Builtins,
}

impl Scopes {
    /// Opens a scope of variables.
    pub(crate) fn push(&mut self) {
        let home = self.layers.len();
        self.layers.push(Layer { vars_home: home, before: self.state, ..Layer::default() });
    }

    /// Opens a scope that replaces paths; variables go into the one around it.
    pub(crate) fn push_paths(&mut self, paths: Rc<Tree>) {
        let at = self.layers.len();
        let vars_home = self.layers.last().map_or(at, |layer| layer.vars_home);
        for key in paths.keys(Tree::ROOT) {
            if let Key::Var(name) = key {
                self.homes.entry(name.clone()).or_default().push(at);
            }
        }
        self.layers.push(Layer { paths: Some(paths), vars_home, before: self.state, ..Layer::default() });
        self.state = self.fresh();
    }

    /// Closes the innermost scope.
    pub(crate) fn pop(&mut self) {
        let Some(layer) = self.layers.pop() else { return };
        let at = self.layers.len();
        let paths = layer.paths.iter().flat_map(|paths| paths.keys(Tree::ROOT));
        let roots = paths.filter_map(|key| if let Key::Var(name) = key { Some(name) } else { None });
        for name in layer.vars.keys().chain(roots) {
            if let Some(homes) = self.homes.get_mut(name) {
                homes.retain(|home| *home != at);
            }
        }
        self.state = layer.before;
    }

    /// A number for all that can be seen now.
    pub(crate) fn state(&self) -> u64 {
        self.state
    }

    fn fresh(&mut self) -> u64 {
        self.last_state = self.last_state.saturating_add(1);
        self.last_state
    }

    /// Says which type a variable has.
    pub(crate) fn put(&mut self, var: &Var, of: Option<Type>) {
        let Some(home) = self.layers.last().map(|layer| layer.vars_home) else { return };
        let Some(layer) = self.layers.get_mut(home) else { return };
        if layer.vars.insert(var.clone(), of).is_none() {
            let homes = self.homes.entry(var.clone()).or_default();
            let at = homes.partition_point(|other| *other < home);
            homes.insert(at, home);
        }
        self.state = self.fresh();
        let outside = self.fresh();
        self.layers.iter_mut().skip(home.saturating_add(1)).for_each(|layer| layer.before = outside);
    }

    /// The type of a variable; `None` outside when no scope knows it, inside when its type is not known.
    pub(crate) fn var(&self, var: &Var) -> Option<Option<Type>> {
        let home = self.homes.get(var)?.last()?;
        let layer = self.layers.get(*home)?;
        layer.vars.get(var).cloned().or_else(|| {
            let paths = layer.paths.as_ref()?;
            Some(paths.value(paths.child(Tree::ROOT, &Key::Var(var.clone()))?).cloned())
        })
    }

    /// Where a path that begins with a variable may be, from the innermost scope outwards.
    pub(crate) fn sources(&self, var: &Var) -> Vec<Source> {
        let homes = self.homes.get(var).map(Vec::as_slice).unwrap_or_default();
        let layers = homes.iter().rev().filter_map(|home| self.layers.get(*home));
        let source = |layer: &Layer| match layer.vars.get(var) {
            Some(of) => Source::Var(of.clone()),
            None => layer.paths.as_ref().map_or(Source::Rules, |paths| Source::Layer(Rc::clone(paths))),
        };
        layers.map(source).chain([Source::Rules, Source::Builtins]).collect()
    }
}

impl Source {
    /// The tree of the paths; a variable has none.
    pub(crate) fn tree<'a>(&'a self, env: &'a TypeEnv) -> Option<&'a Tree> {
        match self {
            Self::Var(_) => None,
            Self::Layer(tree) => Some(tree),
            Self::Rules => Some(&env.rules),
            Self::Builtins => Some(&env.builtins),
        }
    }

    /// The node of a path's first part.
    pub(crate) fn first(&self, env: &TypeEnv, first: &Term) -> Option<Place> {
        self.tree(env)?.child(Tree::ROOT, &Key::of(first))
    }
}
